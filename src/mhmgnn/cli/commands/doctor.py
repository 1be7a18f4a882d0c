"""The command that checks the installation, or a run's folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mhmgnn.cli.output import Json, print_json

if TYPE_CHECKING:
    from mhmgnn.cli.doctor import Health


Folder = Annotated[
    Path | None,
    typer.Argument(help="A run or a saved graph, to be compared with its checksums."),
]


def doctor(folder: Folder = None, as_json: Json = False) -> None:
    """Check the installation, or the files of a run.

    Prints versions, threads, device, folders and data found; exit code 1 if a package is missing. With
    FOLDER, compares all files of a run or a saved graph with their checksums; exit code 1 if one is damaged.
    """
    from dataclasses import asdict

    from mhmgnn.cli.doctor import examine, inspect

    if folder is not None:
        checked = inspect(folder)
        if as_json:
            print_json([asdict(one) for one in checked])
        else:
            print("\n".join(f"{one.name:<16} {one.told}" for one in checked))
        if not all(one.whole for one in checked):
            raise typer.Exit(1)
        return
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
