"""The command that counts connected k-sets."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mhmgnn.cli.output import Json, print_json
from mhmgnn.cli.processes import Devices, in_processes
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import started, together

if TYPE_CHECKING:
    from mhmgnn.graph import Graph
    from mhmgnn.subgraphs.result import Estimate


def count(
    graph: Annotated[Path, typer.Argument(help="Edge list (text, .gz, .parquet, .npz) or a saved graph.")],
    k: Annotated[int, typer.Option("-k", "--k", help="Nodes in a set.")] = 3,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether text has a header line; detected by default."),
    ] = None,
    by_shape: Annotated[bool, typer.Option(help="Count every isomorphism class, k up to 6.")] = False,
    method: Annotated[str, typer.Option(help="auto, exact, growth, k-walk or pair-walk.")] = "auto",
    tours: Annotated[
        int, typer.Option(help="Random tours, or sets that are grown; the error falls as 1/sqrt(tours).")
    ] = 1000,
    supernode: Annotated[
        int | None, typer.Option(help="k-sets in the supernode; by default, enough for short tours.")
    ] = None,
    precision: Annotated[
        float | None, typer.Option(help="Continue until this relative standard error, such as 0.01.")
    ] = None,
    max_steps: Annotated[int, typer.Option(help="Most steps of all tours together.")] = 10**9,
    limit: Annotated[
        int | None, typer.Option(help="Most k-sets that auto counts one by one; 10^9 by default.")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Same seed, same numbers.")] = 0,
    threads: Annotated[int | None, typer.Option(min=1, help="Default: all cores.")] = None,
    devices: Devices = 1,
    as_json: Json = False,
) -> None:
    """Count the connected k-node sets of GRAPH. Exactly, or from random ones with a confidence interval."""
    in_processes(devices)
    from mhmgnn.graph import Graph
    from mhmgnn.subgraphs.estimate import estimate_sum

    read = Graph.read(graph, header=header, weights=False)
    quiet = as_json or not started().leads
    with together() as crew, console.progress(f"counting connected {k}-sets", quiet=quiet) as progress:
        found = estimate_sum(
            read,
            k,
            "shape" if by_shape else None,
            method=method,  # type: ignore[arg-type]  # checked there, with a message that lists the methods
            tours=tours,
            supernode=supernode,
            seed=seed,
            precision=precision,
            max_steps=max_steps,
            limit=limit,
            threads=threads,
            progress=progress,
            crew=crew,
        )
    if not crew.leads:
        return
    facts = _count_facts(read, k, found, level, by_shape)
    if as_json:
        print_json(facts)
    else:
        print(_count_text(facts, level))


def _count_facts(graph: "Graph", k: int, found: "Estimate", level: float, by_shape: bool) -> dict[str, Any]:
    """The facts of a count, for text and JSON."""
    total = found.sum() if by_shape else found
    low, high = found.interval(level)
    facts = asdict(total) | {"interval": list(total.interval(level)), "level": level, "k": k}
    facts["graph"] = {"nodes": graph.num_nodes, "edges": graph.num_edges, "merged": graph.merged._asdict()}
    del facts["sum_stderr"]
    if by_shape:
        from mhmgnn.subgraphs.shapes import motif_shapes

        columns = zip(motif_shapes(k).shapes, found.value, found.stderr, low, high, strict=True)  # type: ignore[arg-type]
        facts["shapes"] = [
            {
                "name": shape.name,
                "edges": [list(edge) for edge in shape.edges],
                "value": float(value),
                "stderr": float(stderr),
                "interval": [float(a), float(b)],
                "share": float(value) / total.value if total.value else 0.0,
            }
            for shape, value, stderr, a, b in columns
        ]
    return facts


def _count_text(facts: dict[str, Any], level: float) -> str:
    graph, merged = facts["graph"], facts["graph"]["merged"]
    lines = [f"graph: {graph['nodes']:,} nodes, {graph['edges']:,} edges"]
    if any(merged.values()):
        lines[0] += f" (merged: {merged['repeated']:,} repeated, {merged['self_loops']:,} self-loops)"
    lines.append(f"connected {facts['k']}-sets: {_with_interval(facts, level)}")
    if not facts["exact"]:
        relative = facts["stderr"] / facts["value"] if facts["value"] else float("inf")
        drawn = "sets grown" if facts["method"] == "growth" else "tours"
        lines.append(
            f"{facts['method']}: {facts['tours']:,} {drawn}, {facts['steps']:,} steps, relative standard "
            f"error {relative:.2%}, ended by {facts['ended']}, {facts['seconds']:.2f} s"
        )
    for row in facts.get("shapes", ()):
        edges = " ".join(f"{a}-{b}" for a, b in row["edges"])
        counted = _with_interval(row | {"exact": facts["exact"]}, level)
        lines.append(f"  {row['name']:<16} {row['share']:>8.3%}  {counted}  {edges}")
    return "\n".join(lines)


def _with_interval(row: dict[str, Any], level: float) -> str:
    if row["exact"]:
        return f"{row['value']:,.0f} (exact)"
    low, high = row["interval"]
    return f"{row['value']:,.0f} ({level:.0%} interval {low:,.0f} to {high:,.0f})"
