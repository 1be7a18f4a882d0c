"""Commands on data sets: which there are, what they count, and how to get their files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from mhmgnn import screen
from mhmgnn.errors import DataError

data = typer.Typer(help="The data sets: list them, count them, fetch their files.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A data set, as `mhmgnn data list` calls it.")]
DataDir = Annotated[
    Path | None, typer.Option(help="Folder of raw files; else what MHMGNN_DATA names, else your cache.")
]


@data.command("list")
def list_sets(data_dir: DataDir = None) -> None:
    """Print every data set, how large the paper's is, and whether its files are there."""
    from mhmgnn.datasets.files import data_folder
    from mhmgnn.datasets.info import PUBLISHED
    from mhmgnn.datasets.sources import SOURCES, look

    folder = data_folder(data_dir)
    for name, source in SOURCES.items():
        _, paper = PUBLISHED.get(name, ("", {}))
        size = ", ".join(f"{paper[what]:,} {what}" for what in ("nodes", "graphs") if what in paper)
        missing = look(name, data_dir).missing
        if not source.files:
            state = "generated, needs no file"
        elif missing:
            state = f"not in {folder}: {', '.join(missing)}"
        else:
            state = f"found in {folder}"
        print(f"{name:<12} {source.kind:<20} {size:<13} {state}")


@data.command()
def info(
    name: Name,
    data_dir: DataDir = None,
    seed: Annotated[int, typer.Option(help="Of the sets that are drawn: market and dblp.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")] = False,
) -> None:
    """Count what the data set NAME holds, beside the paper's figures."""
    from mhmgnn.datasets.info import info as count

    found = count(name, data_dir, seed)
    print(json.dumps(found.facts(), indent=2) if as_json else found)


@data.command()
def fetch(
    name: Annotated[str, typer.Argument(help="A data set, as `mhmgnn data list` calls it, or all.")],
    data_dir: DataDir = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Tell nothing on the way.")] = False,
) -> None:
    """Fetch the raw files of NAME from their publishers, check them and print where they are."""
    from mhmgnn.datasets.fetch import fetch as get
    from mhmgnn.datasets.sources import SOURCES

    failed = []
    for each in SOURCES if name == "all" else [name]:
        try:
            paths = get(each, data_dir=data_dir, quiet=quiet)
        except DataError as error:
            if name != "all":
                raise
            screen.say(f"{each}: {error}")
            failed.append(each)
            continue
        if not paths and not quiet:
            screen.say(f"{each} is generated from a seed and needs no file")
        for path in paths:
            print(path)
    if failed:
        raise DataError(f"not all files could be had for {', '.join(failed)}; the reasons are above")
