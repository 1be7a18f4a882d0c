"""The command that shows what all this is for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mhmgnn.demo import Demo


def demo(
    run: Annotated[Path | None, typer.Option(help="Folder to keep the model in.")] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same shop and same model.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Tell nothing on the way.")] = False,
) -> None:
    """Learn which products make one cart from pairs alone, and check against the hidden carts."""
    from mhmgnn.demo import demo as show

    print(_text(show(seed=seed, run=run, quiet=quiet)))


def _text(found: "Demo") -> str:
    graph = found.model.graph
    lines = [
        "",
        f"A shop: {graph}; an edge is a pair bought together, carts are hidden.",
        f"Of {found.triangles:,} triangles, {found.carts:,} are exactly a cart. Which?",
        "",
        "balanced accuracy of linear probes on the unseen half   paper's  converged",
        *(f"  {name:<52}  {score.paper:.3f}  {score.converged:.3f}" for name, score in found.detections),
        "",
        "ten triangles of lowest energy, found without labels:",
        *(f"  {'cart ' if real else '     '} {', '.join(item.names)}" for item, real in found.best),
        "",
        f"what completes {', '.join(found.asked)}:",
        *(f"  {candidate.energy:9.3f}  {candidate.name}" for candidate in found.completions),
    ]
    return "\n".join(lines)
