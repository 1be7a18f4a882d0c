"""The command that finds the groups of a graph."""

import time
from pathlib import Path
from typing import Annotated

import typer

from mhmgnn.cli.commands.model import Run, written
from mhmgnn.cli.output import Json, print_json
from mhmgnn.cli.processes import Devices, in_processes
from mhmgnn.errors import DataError
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import together


def groups(
    run: Run,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="File to write: .csv, .tsv, .parquet, or .json for HIF; by default they are printed.",
        ),
    ] = None,
    top: Annotated[int | None, typer.Option(help="Most groups, by probability; all by default.")] = None,
    with_nodes: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="NODE", help="A node that every group must hold; may be repeated."),
    ] = None,
    sizes: Annotated[
        str | None, typer.Option(metavar="LEAST:MOST", help="Range of group sizes, such as 3:6.")
    ] = None,
    probability: Annotated[
        float | None, typer.Option(help="All groups of at least this probability, such as 0.8.")
    ] = None,
    long: Annotated[
        bool, typer.Option("--long", help="Write a row per member of a group (.csv, .tsv).")
    ] = False,
    devices: Devices = 1,
    as_json: Json = False,
) -> None:
    """Find the groups that the pairs were made of. They have any size; each comes with its probability."""
    from mhmgnn.models.group_list import check_ending
    from mhmgnn.models.load import load

    began = time.monotonic()
    bounds = None if sizes is None else _bounds(sizes)
    if out is not None:
        check_ending(out, long=long)
    elif long:
        raise DataError("--long is a file format; name a file with --out")
    in_processes(devices)
    with together() as crew:
        model = load(run)
        nodes = written(with_nodes or [], model.graph is None or model.graph.names is None)
        with console.progress("groups", quiet=not crew.leads) as tell:
            tell(0.0, "searching")
            found = model.groups(top=top, with_nodes=nodes, sizes=bounds, probability=probability, crew=crew)
    if not crew.leads:
        return
    if not found.complete:
        console.say("the search was cut short in dense parts of the graph: some groups may be missing")
    if out is not None:
        found.write(out, long=long)
        facts = {"out": out, "groups": len(found.groups), "complete": found.complete}
        if as_json:
            print_json({**facts, "seconds": time.monotonic() - began})
        else:
            console.say(f"{out}: {len(found.groups):,} groups")
    elif as_json:
        rows = [group._asdict() for group in found.groups]
        print_json({"complete": found.complete, "groups": rows})
    else:
        for group in found.groups:
            print(f"{group.probability:10.4f}  {', '.join(group.names)}")


def _bounds(sizes: str) -> tuple[int, int]:
    """The bounds in "3:6"; "4" is both bounds."""
    least, mark, most = sizes.partition(":")
    if not least.isdecimal() or not (most if mark else least).isdecimal():
        raise DataError(f"--sizes is {sizes!r}; give the least and the most, such as 3:6, or one size")
    return int(least), int(most if mark else least)
