"""The command that runs the demo."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mhmgnn.cli.commands.compare import answer_facts, answer_lines
from mhmgnn.cli.output import Json, print_json
from mhmgnn.runtime import console

if TYPE_CHECKING:
    from mhmgnn.cli.demo import Demo


def demo(
    run: Annotated[Path | None, typer.Option(help="Folder to keep the model in.")] = None,
    page: Annotated[Path, typer.Option(help="Where to write the report.")] = Path("report.html"),
    seed: Annotated[int, typer.Option(help="Same seed, same shop and same model.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: Json = False,
) -> None:
    """Find the carts of a generated shop from its pairs. They are checked against the hidden carts."""
    from mhmgnn.cli.demo import demo as show
    from mhmgnn.cli.demo import report_demo

    with TemporaryDirectory() as scratch:
        folder = run or Path(scratch) / "shop"
        found = show(seed=seed, run=folder, quiet=quiet)
        if not as_json:
            print(_text(found))
        report_demo(found, folder, page)
    if as_json:
        print_json({"seed": seed, **_facts(found), "run": run, "page": page})
    elif not quiet:
        console.say(f"{page}: open it in a browser")


def _facts(found: "Demo") -> dict[str, Any]:
    """The figures of the demo, for JSON."""
    graph = found.model.graph
    assert graph is not None, "it was trained on one"
    return {
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "hidden": found.carts,
        "recovery": answer_facts(found.recovery),
        "completion": answer_facts(found.completion),
        "best": [item._asdict() | {"cart": real} for item, real in found.best],
        "asked": found.asked,
        "completions": [candidate._asdict() for candidate in found.completions],
        "triangles": len(found.triangles),
        "carts": int(found.is_cart.sum()),
        "scores": [
            {"method": name, "paper": score.paper, "converged": score.converged}
            for name, score in found.detections
        ],
    }


def _text(found: "Demo") -> str:
    graph = found.model.graph
    lines = [
        "",
        f"A shop: {graph}; an edge is a pair bought together. Its {found.carts:,} carts are hidden.",
        "",
        f"{found.recovery.title}.",
        *answer_lines(found.recovery),
        "",
        "some probable groups, found without labels:",
        *(f"  {'cart ' if real else '     '} {', '.join(item.names)}" for item, real in found.best),
        "",
        f"{found.completion.title}.",
        *answer_lines(found.completion),
        "",
        f"what completes {', '.join(found.asked)}:",
        *(f"  {candidate.energy:9.3f}  {candidate.name}" for candidate in found.completions),
        "",
        f"Of {len(found.triangles):,} triangles, {found.is_cart.sum():,} are exactly a cart. Which?",
        "balanced accuracy of linear probes on the unseen half   paper's  converged",
        *(f"  {name:<52}  {score.paper:.3f}  {score.converged:.3f}" for name, score in found.detections),
    ]
    return "\n".join(lines)
