"""Commands on data sets: list them, describe one, fetch their files."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mhmgnn.cli.examples import example
from mhmgnn.cli.output import Json, print_json
from mhmgnn.errors import DataError
from mhmgnn.runtime import console

data = typer.Typer(help="Data sets: list them, describe one, fetch their files.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A data set, as `mhmgnn data list` calls it.")]
DataDir = Annotated[
    Path | None, typer.Option(help="Folder of raw files; by default that of MHMGNN_DATA, else your cache.")
]


@data.command("list", epilog=example("data list"))
def list_sets(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Print every data set, its size in the paper, and whether its files were found."""
    from mhmgnn.datasets.files import data_folder
    from mhmgnn.datasets.sources import SOURCES, look

    folder = data_folder(data_dir)
    rows = [
        {
            "name": name,
            "kind": source.kind,
            "paper": source.published,
            "generated": not source.files,
            "missing": look(name, data_dir).missing,
        }
        for name, source in SOURCES.items()
    ]
    if as_json:
        print_json({"folder": folder, "sets": rows})
    else:
        print("\n".join(_listed(row, folder) for row in rows))


def _listed(row: dict[str, Any], folder: Path) -> str:
    size = ", ".join(f"{row['paper'][what]:,} {what}" for what in ("nodes", "graphs") if what in row["paper"])
    if row["generated"]:
        state = "generated, needs no file"
    elif row["missing"]:
        state = f"not in {folder}: {', '.join(row['missing'])}"
    else:
        state = f"found in {folder}"
    return f"{row['name']:<12} {row['kind']:<20} {size:<13} {state}"


@data.command(epilog=example("data info"))
def info(
    name: Name,
    data_dir: DataDir = None,
    seed: Annotated[int, typer.Option(help="Seed of the data sets that are sampled: market and dblp.")] = 0,
    as_json: Json = False,
) -> None:
    """Print the size of the data set NAME, beside the paper's figures."""
    from mhmgnn.datasets.info import info as count

    found = count(name, data_dir, seed)
    if as_json:
        print_json(found.facts())
    else:
        print(found)


@data.command(epilog=example("data fetch"))
def fetch(
    name: Annotated[str, typer.Argument(help="A data set, as `mhmgnn data list` calls it, or all.")],
    data_dir: DataDir = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
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
            console.say(f"{each}: {error}")
            failed.append(each)
            continue
        if not paths and not quiet:
            console.say(f"{each} is generated from a seed and needs no file")
        for path in paths:
            print(path)
    if failed:
        raise DataError(f"not all files could be fetched for {', '.join(failed)}; the reasons are above")
