"""The command that tells what is installed and found."""

from typing import TYPE_CHECKING

import typer

from mhmgnn.cli.output import Json, print_json

if TYPE_CHECKING:
    from mhmgnn.doctor import Health


def doctor(as_json: Json = False) -> None:
    """Tell what is installed, threads, device, folders and data found; code 1 if something is missing."""
    from dataclasses import asdict

    from mhmgnn.doctor import examine

    found = examine()
    if as_json:
        print_json(asdict(found))
    else:
        print(_text(found))
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
