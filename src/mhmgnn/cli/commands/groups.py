"""The command that writes the groups that the pairs of a graph were made of."""

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

MOST = 2**31 - 1  # nodes of a graph


def groups(
    run: Run,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Where they go: .csv, .tsv, .parquet, or .json for HIF; else they are printed.",
        ),
    ] = None,
    top: Annotated[int | None, typer.Option(help="How many, most probable first; else all.")] = None,
    with_nodes: Annotated[
        list[str] | None, typer.Option("--with", metavar="NODE", help="A node in each; may be repeated.")
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="LEAST:MOST", help="How many nodes a group may have, such as 3:6, or 3: for more."
        ),
    ] = None,
    probability: Annotated[float | None, typer.Option(help="The least probability, such as 0.8.")] = None,
    long: Annotated[
        bool, typer.Option("--long", help="A row for each member of a group, in .csv or .tsv.")
    ] = False,
    devices: Devices = 1,
    as_json: Json = False,
) -> None:
    """Find the groups that the pairs were made of, of any size, each with its probability."""
    from mhmgnn.models.group_list import check_ending
    from mhmgnn.models.load import load

    began = time.monotonic()
    bounds = None if sizes is None else _bounds(sizes)
    if out is not None:
        check_ending(out, long=long)
    elif long:
        raise DataError("--long is a form of a file; name one with --out")
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
        console.say("the search was cut short in dense parts: there may be groups that were not looked at")
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
        pairs = sum(len(group.nodes) == 2 for group in found.groups)
        left_out = f", {pairs:,} of them pairs; --sizes 3: leaves pairs out" if pairs else ""
        console.say(f"{len(found.groups):,} groups{left_out}\nprobability  members")
        for group in found.groups:
            print(f"{group.probability:11.4f}  {', '.join(group.names)}")


def _bounds(sizes: str) -> tuple[int, int]:
    """The least and most of "3:6", of "3:", which has no most, or of "4", which is both."""
    least, mark, most = sizes.partition(":")
    if not least.isdecimal() or not (most or "0").isdecimal():
        raise DataError(f"--sizes is {sizes!r}; give the least and the most, such as 3:6, or 3:, or one size")
    return int(least), int(most or MOST if mark else least)
