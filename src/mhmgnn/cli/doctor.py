"""The command that tells what is installed and found."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mhmgnn.doctor import Health


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")] = False,
) -> None:
    """Tell what is installed, threads, device, folders and data found; code 1 if something is missing."""
    from dataclasses import asdict

    from mhmgnn.doctor import examine

    found = examine()
    print(json.dumps(asdict(found), indent=2) if as_json else _text(found))
    if found.missing:
        raise typer.Exit(1)


def _text(found: "Health") -> str:
    memory = "not told" if found.memory_bytes is None else f"{found.memory_bytes / 2**30:.1f} GiB"
    there = [name for name, is_there in found.data.items() if is_there]
    absent = [name for name in found.data if name not in there]
    rows = [
        *found.versions.items(),
        ("packages", _packages(found.packages)),
        *((f"extra {extra}", _packages(packages)) for extra, packages in found.extras.items()),
        ("threads", str(found.threads)),
        ("device", found.device),
        ("memory", memory),
        *((f"{what} folder", folder) for what, folder in found.folders.items()),
        ("data found", ", ".join(there) or "none; `mhmgnn data fetch NAME` gets a data set"),
        *([("data not found", ", ".join(absent))] if absent else []),
    ]
    return "\n".join(f"{name:<16} {text}" for name, text in rows)


def _packages(versions: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {version or 'MISSING'}" for name, version in versions.items())
