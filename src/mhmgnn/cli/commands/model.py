"""Commands that train a model, complete nodes and discover sets."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mhmgnn.cli.output import Json, print_json
from mhmgnn.cli.processes import Devices, in_processes
from mhmgnn.errors import DataError
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import started

if TYPE_CHECKING:
    from mhmgnn.graph import Graph

Run = Annotated[Path, typer.Argument(help="Folder of a model trained by `fit`.")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether text has a header line; detected by default."),
]
Weights = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column of counts, how often a pair was seen, by title or by position from 0; none to ignore "
        "counts; detected by default.",
    ),
]


def fit(
    graph: Annotated[Path, typer.Argument(help="Edge list (text, .gz, .parquet, .npz) or a saved graph.")],
    run: Annotated[Path, typer.Argument(help="Folder for the model, its log and its checkpoints.")],
    k: Annotated[
        int | None, typer.Option("-k", "--k", help="Nodes in a set; 3 unless the config says otherwise.")
    ] = None,
    header: Header = None,
    weights: Weights = None,
    features: Annotated[
        Path | None, typer.Option(help="Node features: .npy, .npz, CSV, TSV, Parquet.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Settings of the run as TOML.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, such as train.batch=50; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same model.")] = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the last checkpoint in RUN.")
    ] = False,
    devices: Devices = 1,
    baseline: Annotated[
        str | None, typer.Option(help="Fit this baseline instead; `mhmgnn baselines list` names them.")
    ] = None,
    with_report: Annotated[
        bool, typer.Option("--report", help="Write a report of the run to RUN/report.html.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: Json = False,
) -> None:
    """Train a model on GRAPH without labels and save it to RUN."""
    if baseline is not None:
        if config is not None or resume or devices > 1 or with_report:
            raise DataError("a baseline takes --set, and none of --config, --resume, --devices and --report")
        files = (graph, features, header, column(weights))
        facts = _fit_baseline(baseline, files, run, k or 3, settings or [], seed, quiet)
        if as_json:
            print_json(facts)
        elif not quiet:
            console.say(f"{run}: the baseline {baseline}")
        return
    in_processes(devices, then="go on from the last step kept with --resume")
    from mhmgnn.config import RunConfig
    from mhmgnn.graph import Graph
    from mhmgnn.training.loop import fit as train

    began = time.monotonic()
    chosen = (RunConfig() if config is None else RunConfig.read(config)).with_settings(settings or [])
    read = Graph.read(graph, features=features, header=header, weights=column(weights), quiet=quiet)
    model = train(
        read,
        k,
        config=chosen,
        seed=seed,
        run=run,
        resume=resume,
        quiet=quiet,
    )
    if not started().leads:
        return
    ended = {name: model.facts[name] for name in ("steps", "loss", "settled")}
    facts = _fitted(read, run, model.k, seed, began) | ended | {"page": None}
    if not quiet and not as_json:
        loss = "no loss yet" if facts["loss"] is None else f"loss {facts['loss']:.3f}"
        why = "the loss had settled" if facts["settled"] else "all steps were done"
        console.say(f"{run}: {facts['steps']} steps, {loss}; {why}")
    if with_report:
        from mhmgnn.report.report import report

        facts["page"] = report(run)
        if not as_json:
            console.say(f"{facts['page']}: open it in a browser")
    if as_json:
        print_json(facts)


def _fitted(graph: "Graph", run: Path, k: int, seed: int, began: float) -> dict[str, Any]:
    """What every fit reports: folder, data, and the seconds since `began`."""
    size = {"nodes": graph.num_nodes, "edges": graph.num_edges, "features": graph.num_features}
    counts = None
    if graph.weights is not None:
        least, most = float(graph.weights.min()), float(graph.weights.max())
        counts = {"least": least, "most": most, "mean": float(graph.weights.mean(dtype="float64"))}
    seconds = time.monotonic() - began
    return {"run": run, "k": k, "seed": seed, **size, "counts": counts, "seconds": seconds}


def _fit_baseline(
    name: str,
    files: tuple[Path, Path | None, bool | None, str | int | Literal[False] | None],
    run: Path,
    k: int,
    settings: list[str],
    seed: int,
    quiet: bool,
) -> dict[str, Any]:
    """Fit and save a baseline; returns the facts to report."""
    from mhmgnn.baselines.baseline import fit_baseline, read_settings
    from mhmgnn.graph import Graph

    began = time.monotonic()
    chosen, extended = read_settings(name, settings)
    path, features, header, weights = files
    graph = Graph.read(path, features=features, header=header, weights=weights, quiet=quiet)
    fitted = fit_baseline(name, graph, k, settings=chosen, degree_features=extended, seed=seed, quiet=quiet)
    fitted.save(run)
    return _fitted(graph, run, k, seed, began) | {"baseline": name}


def complete(
    run: Run,
    nodes: Annotated[list[str], typer.Argument(help="One node or more, by name (by index without names).")],
    top: Annotated[int, typer.Option(help="How many candidates.")] = 10,
    exclude: Annotated[list[str] | None, typer.Option(help="A node to leave out; may be repeated.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="Rank by an energy of noises instead: noise for all, or one kind.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the nodes most likely to join given ones in a new group. With score and energy of the set."""
    from mhmgnn.models.load import load

    model = load(run)
    by_index = model.graph is None or model.graph.names is None
    found = model.complete(
        written(nodes, by_index), top=top, exclude=written(exclude or [], by_index), kind=kind
    )
    if as_json:
        print_json([candidate._asdict() for candidate in found])
    else:
        console.say("     score     energy  name: high scores belong, low energies belong together")
        for candidate in found:
            print(f"{candidate.score:10.4f} {candidate.energy:10.4f}  {candidate.name}")


def discover(
    run: Run,
    top: Annotated[int, typer.Option(help="How many sets.")] = 20,
    size: Annotated[int | None, typer.Option(help="Nodes in a set; k by default.")] = None,
    match: Annotated[
        str | None, typer.Option(help="Which group energy: exact, or contained in a group.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="An energy of noises instead: noise for all, or one kind.")
    ] = None,
    require: Annotated[list[str] | None, typer.Option(help="A node in every set; may be repeated.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="A node in no set; may be repeated.")] = None,
    cliques: Annotated[
        bool, typer.Option("--cliques", help="Only sets whose nodes are all adjacent.")
    ] = False,
    limit: Annotated[int, typer.Option(help="Most sets that are all scored; beyond it, search.")] = 10**7,
    seed: Annotated[int, typer.Option(help="Same seed, same sets.")] = 0,
    as_json: Json = False,
) -> None:
    """Print the connected sets of one size with the lowest energies."""
    from mhmgnn.models.load import load

    model = load(run)
    by_index = model.graph is None or model.graph.names is None
    found = model.discover(
        top=top,
        size=size,
        match=match,
        kind=kind,
        require=written(require or [], by_index),
        exclude=written(exclude or [], by_index),
        cliques=cliques,
        limit=limit,
        seed=seed,
    )
    if as_json:
        sets = [item._asdict() for item in found.sets]
        print_json({"exact": found.exact, "sets": sets})
    else:
        console.say(
            "every connected set of this size was scored"
            if found.exact
            else "found by a search from random sets: there may be better ones"
        )
        print("\n".join(f"{item.energy:10.4f}  {', '.join(item.names)}" for item in found.sets))


def column(weights: str | None) -> str | int | Literal[False] | None:
    """The argument of `Graph.read` for `--weights`."""
    if weights == "none":
        return False
    return int(weights) if weights is not None and weights.isdecimal() else weights


def written(nodes: list[str], by_index: bool) -> list[str] | list[int]:
    """Nodes of the command line as the library takes them: names, or indices if nodes have no names."""
    if not by_index:
        return nodes
    for node in nodes:
        if not node.isdecimal():
            raise DataError(f"node {node!r} is not an index; the graph's nodes have no names")
    return [int(node) for node in nodes]
