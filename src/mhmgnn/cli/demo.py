"""The first two minutes: a shop whose carts are hidden, and what is learned of them from pairs alone."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mhmgnn.config import RunConfig
from mhmgnn.datasets.market import generate
from mhmgnn.evaluation.probes.linear import probe
from mhmgnn.evaluation.probes.score import Score
from mhmgnn.graph import Graph
from mhmgnn.graph.partition import regions, split
from mhmgnn.models.completion import Candidate
from mhmgnn.models.model import Model
from mhmgnn.models.search import Found
from mhmgnn.report.report import report
from mhmgnn.report.run import Labels, Task
from mhmgnn.subgraphs.cliques import list_cliques
from mhmgnn.training.loop import fit

WORDS = {"False": "not a cart", "True": "cart"}
REGIONS = 8  # METIS parts of the half that trains a probe


class Detection(NamedTuple):
    """How well one method tells hidden carts from other triangles, on the half it has not seen."""

    method: str
    score: Score


class Demo(NamedTuple):
    """What the demo found."""

    model: Model
    triangles: np.ndarray  # (t, 3) of the graph
    is_cart: np.ndarray  # (t,) bool, whether each is exactly a cart
    detections: tuple[Detection, ...]
    best: tuple[tuple[Found, bool], ...]  # discovered sets, and whether each was a cart
    asked: tuple[str, ...]
    completions: tuple[Candidate, ...]


def demo(
    *,
    products: int = 600,
    config: RunConfig | None = None,
    seed: int = 0,
    run: Path | None = None,
    quiet: bool = False,
) -> Demo:
    """Generate the market, train at k = 3 on its pairs, and look for the carts."""
    market = generate(seed=seed, products=products)
    graph = market.graph
    model = fit(graph, 3, config=config, seed=seed, run=run, quiet=quiet)
    untrained = fit(graph, 3, config=_without_training(model.config), seed=seed)
    ksets = list_cliques(graph, 3)
    is_cart = market.truth.holds(ksets)
    assert graph.x is not None, "products have words"
    matrices = {
        "sum of raw features": np.asarray(sum(_dense(graph, ksets[:, slot]) for slot in range(3))),
        "random weights": untrained.embed(ksets),
        "mhmgnn": model.embed(ksets),
    }
    half = split(graph, 2)
    region = regions(graph, half, REGIONS)
    detections = tuple(
        Detection(name, _held_out(x, is_cart, half[ksets], region[ksets])) for name, x in matrices.items()
    )
    found = model.discover(top=10, cliques=True).sets
    real = market.truth.holds(np.array([item.nodes for item in found])).tolist()
    asked = ("espresso machine", "coffee grinder")
    completed = model.complete(asked, top=5)
    best = tuple(zip(found, real, strict=True))
    return Demo(model, ksets, is_cart, detections, best, asked, tuple(completed))


def report_demo(found: Demo, run: Path, page: Path) -> Path:
    """Write the page of the demo's run, with the carts it did not see; where it went."""
    task = Task(
        "Which triangles are carts?",
        found.detections,
        "Each half of the shop is tested by probes that were trained on the other half.",
        WORDS,
    )
    labels = Labels(found.triangles, [WORDS[str(bool(cart))] for cart in found.is_cart])
    return report(run, page=page, labels=labels, tasks=[task], cliques=True)


def _without_training(config: RunConfig) -> RunConfig:
    return replace(config, train=replace(config.train, steps=0)).without_groups()


def _dense(graph: Graph, nodes: np.ndarray) -> np.ndarray:
    assert graph.x is not None, "products have words"
    rows = graph.x[nodes]
    return rows if isinstance(rows, np.ndarray) else np.asarray(rows.toarray())


def _held_out(x: np.ndarray, labels: np.ndarray, half: np.ndarray, region: np.ndarray) -> Score:
    """The score on each half after training on the other, averaged."""
    halves: Sequence[np.ndarray] = [(half == side).all(axis=1) for side in (0, 1)]
    return Score.over(
        [
            probe(x[train], labels[train], x[test], labels[test], regions=region[train].min(axis=1))
            for train, test in (halves, halves[::-1])
        ]
    )
