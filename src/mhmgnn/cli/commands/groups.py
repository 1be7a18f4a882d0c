"""The command that finds the groups of a graph."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mhmgnn.cli.commands.model import Run, written
from mhmgnn.cli.output import Json, print_json
from mhmgnn.cli.processes import Address, Chosen, Devices, Engine, Workers, check_engine, in_processes
from mhmgnn.errors import DataError
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import together

if TYPE_CHECKING:
    from mhmgnn.models.group_list import GroupList

MOST = 2**31 - 1  # nodes of a graph
GO_ON = "run the command again: with --out it goes on from the sets that were scored"


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
        str | None,
        typer.Option(metavar="LEAST:MOST", help="Range of group sizes, such as 3:6, or 3: for 3 and more."),
    ] = None,
    probability: Annotated[
        float | None, typer.Option(help="All groups of at least this probability, such as 0.8.")
    ] = None,
    long: Annotated[
        bool, typer.Option("--long", help="Write a row per member of a group (.csv, .tsv).")
    ] = False,
    devices: Devices = 1,
    engine: Chosen = Engine.HERE,
    workers: Workers = None,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Find the groups that the pairs were made of. They have any size; each comes with its probability.

    With --out, a run that was killed resumes from the sets that were scored.
    """
    from mhmgnn.models.group_list import check_ending
    from mhmgnn.models.groups import Scoring
    from mhmgnn.models.groups_file import Asked, write_groups
    from mhmgnn.models.kept import Kept
    from mhmgnn.models.load import load

    began = time.monotonic()
    asked = Asked(top, [], None if sizes is None else _bounds(sizes), probability)
    if out is not None:
        check_ending(out, long=long)
    elif long:
        raise DataError("--long is a file format; name a file with --out")
    elif engine is Engine.RAY:
        raise DataError("--engine ray writes a file; name it with --out")
    check_engine(engine, devices, workers, address)
    in_processes(devices, then=GO_ON)
    with ExitStack() as stack:
        keep: Callable[[Path], Kept] = Kept
        if engine is Engine.RAY:
            from mhmgnn.models.groups_ray import keep_by_ray

            keep = stack.enter_context(keep_by_ray(load, run, workers=workers, address=address))
        crew = stack.enter_context(together())
        model = load(run)
        by_index = model.graph is None or model.graph.names is None
        asked = asked._replace(with_nodes=written(with_nodes or [], by_index))
        if out is not None:
            found = write_groups(model, out, asked, long=long, crew=crew, keep=keep, quiet=False)
        else:
            tell = stack.enter_context(console.progress("groups", quiet=not crew.leads))
            found = model.groups(**asked._asdict(), scoring=Scoring(crew, tell=tell))
    if crew.leads:
        _show(found, out, time.monotonic() - began, as_json)


def _show(found: "GroupList", out: Path | None, seconds: float, as_json: bool) -> None:
    """Print the groups, or where they went."""
    if not found.complete:
        console.say("the search was cut short in dense parts of the graph: some groups may be missing")
    if out is not None and as_json:
        print_json({"out": out, "groups": len(found), "complete": found.complete, "seconds": seconds})
    elif out is not None:
        console.say(f"{out}: {len(found):,} groups")
    elif as_json:
        print_json({"complete": found.complete, "groups": [group._asdict() for group in found]})
    else:
        pairs = sum(len(group.nodes) == 2 for group in found)
        left_out = f", {pairs:,} of them pairs; --sizes 3: leaves pairs out" if pairs else ""
        console.say(f"{len(found):,} groups{left_out}\nprobability  members")
        for group in found:
            print(f"{group.probability:11.4f}  {', '.join(group.names)}")


def _bounds(sizes: str) -> tuple[int, int]:
    """The bounds in "3:6"; "3:" has no upper one, and "4" is both bounds."""
    least, mark, most = sizes.partition(":")
    if not least.isdecimal() or not (most or "0").isdecimal():
        raise DataError(f"--sizes is {sizes!r}; give the least and the most, such as 3:6, or 3:, or one size")
    return int(least), int(most or MOST if mark else least)
