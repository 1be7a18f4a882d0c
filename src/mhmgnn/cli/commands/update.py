"""The command that adds pairs to a trained run."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mhmgnn.cli.commands.model import Header, Run, Weights, column
from mhmgnn.cli.output import Json, print_json
from mhmgnn.errors import DataError
from mhmgnn.runtime import console

if TYPE_CHECKING:
    from mhmgnn.graph import Graph


def update(
    run: Run,
    pairs: Annotated[Path, typer.Argument(help="Further pairs: text, .gz, .parquet, or a saved graph.")],
    header: Header = None,
    weights: Weights = None,
    features: Annotated[
        Path | None, typer.Option(help="Features of the new nodes: CSV, TSV, Parquet; .npy, .npz.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Add the pairs even if the last update added the same.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: Json = False,
) -> None:
    """Add PAIRS to RUN: counts add up, new nodes join, weights are trained a little further.

    The run is replaced in one step, and kept as RUN/previous: a service takes the new one up.
    """
    from mhmgnn.models.load import load
    from mhmgnn.training.update import update as add

    known = load(run).graph
    if known is None:
        raise DataError(f"{run} holds a model of many graphs; pairs can be added to one graph alone")
    further = _read(pairs, known, header, weights, quiet=quiet)
    found = add(run, further, features=features, again=again, quiet=quiet)
    if as_json:
        graph = found.model.graph
        assert graph is not None, "a run of one graph"
        size = {"run": run, "changed": found.facts is not None, "edges": graph.num_edges}
        print_json(size | {"update": found.facts})
    elif not quiet and found.facts is not None:
        console.say(f"{run}: updated in {found.facts['seconds']:.1f} s; the former run is {run / 'previous'}")


def _read(pairs: Path, known: "Graph", header: bool | None, weights: str | None, *, quiet: bool) -> "Graph":
    """The further pairs, their nodes called as those of the run are; counts only where the run has some."""
    from mhmgnn.graph import Graph

    ids = "index" if known.names is None else "name"
    further = Graph.read(pairs, ids=ids, header=header, weights=column(weights), quiet=quiet)
    if known.weights is None and further.weights is not None:
        if weights not in (None, "none"):
            raise DataError(
                f"the run was trained on pairs without counts, and --weights {weights} asks for some; "
                "say --weights none, or fit anew with counts"
            )
        if not quiet:
            console.say("the run was trained on pairs without counts: the pairs alone are added")
        return replace(further, weights=None)
    return further
