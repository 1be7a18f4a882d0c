"""The demo: a generated shop whose carts are hidden, and how well they are found from pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mhmgnn.baselines.comparison.compare import Answers
from mhmgnn.baselines.comparison.questions import complete_by_all
from mhmgnn.baselines.comparison.rows import OURS, Row
from mhmgnn.baselines.recovery import RIVALS
from mhmgnn.config import RunConfig
from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.datasets.market import PRODUCTS, generate
from mhmgnn.evaluation.completion import hold_out
from mhmgnn.evaluation.probes.linear import probe
from mhmgnn.evaluation.probes.score import Score
from mhmgnn.graph import Graph
from mhmgnn.graph.partition import regions, split
from mhmgnn.models.completion import Candidate
from mhmgnn.models.group_list import Group
from mhmgnn.models.model import Model
from mhmgnn.report.comparison import section_of
from mhmgnn.report.report import report
from mhmgnn.report.run import Labels, Task
from mhmgnn.subgraphs.cliques import list_cliques
from mhmgnn.training.loop import fit

WORDS = {"False": "not a cart", "True": "cart"}
REGIONS = 8  # METIS parts of the half on which a probe is trained
BEST = 50  # the most probable groups, whose precision is reported
SHOWN = (3, 3, 3, 4, 4, 4, 5, 5, 6)  # sizes of the groups that are printed
RECOVERERS = ("maximal cliques", "greedy cover")
PROBED = 4_000  # triangles on which probes are trained and tested
SETTINGS = ["train.steps=80", "groups.worlds=12", "groups.laws=24"]  # takes half the time of the defaults
ASKED = ("espresso machine", "coffee grinder")


class Detection(NamedTuple):
    """How well a probe on one method's vectors separates carts from other triangles, on the held-out half."""

    method: str
    score: Score


class Demo(NamedTuple):
    """The results of the demo."""

    model: Model
    carts: int  # number of hidden carts
    recovery: Answers
    completion: Answers
    best: tuple[tuple[Group, bool], ...]  # probable groups of several sizes, and whether each was a cart
    asked: tuple[str, ...]
    completions: tuple[Candidate, ...]
    triangles: np.ndarray  # (t, 3) of the graph
    is_cart: np.ndarray  # (t,) bool, whether each is exactly a cart
    detections: tuple[Detection, ...]


def demo(
    *,
    products: int = PRODUCTS,
    config: RunConfig | None = None,
    seed: int = 0,
    run: Path | None = None,
    quiet: bool = False,
) -> Demo:
    """Generate the shop, train a model on its pairs, and search for its carts."""
    market = generate(seed=seed, products=products)
    graph, truth = market.graph, market.truth
    config = RunConfig().with_settings(SETTINGS) if config is None else config
    model = fit(graph, 3, config=config, seed=seed, run=run, quiet=quiet)
    groups = model.groups(sizes=(3, graph.num_nodes)).groups
    triangles = list_cliques(graph, 3)
    is_cart = truth.holds(triangles)
    return Demo(
        model,
        len(truth),
        _recovery(graph, truth, [frozenset(group.nodes) for group in groups]),
        _completion(truth, graph.num_nodes, seed),
        _by_name(groups, truth),
        ASKED,
        tuple(model.complete(ASKED, top=5)),
        triangles,
        is_cart,
        _detect(model, triangles, is_cart, seed),
    )


def report_demo(found: Demo, run: Path, page: Path) -> Path:
    """Write the report of the demo's run, with sections on the hidden carts; returns its path."""
    task = Task(
        "Which triangles are carts?",
        found.detections,
        "Each half of the shop is tested by probes that were trained on the other half.",
        WORDS,
    )
    labels = Labels(found.triangles, [WORDS[str(bool(cart))] for cart in found.is_cart])
    first = [
        section_of("recovery", "Carts found from pairs", found.recovery),
        section_of("completion", "Carts never seen, completed", found.completion),
    ]
    return report(run, page=page, labels=labels, tasks=[task], cliques=True, first=first)


def _recovery(graph: Graph, truth: Hyperedges, ours: Sequence[frozenset[int]]) -> Answers:
    """Precision and recall of groups of three and more nodes; `ours` are sorted by probability."""
    carts = {frozenset(truth[i].tolist()) for i in np.flatnonzero(truth.sizes > 2).tolist()}

    def figures(groups: Sequence[frozenset[int]]) -> dict[str, float]:
        hits = [group in carts for group in groups]
        return {
            "best": sum(hits[:BEST]) / max(len(hits[:BEST]), 1),
            "precision": sum(hits) / max(len(hits), 1),
            "recall": sum(hits) / max(len(carts), 1),
        }

    rows = [Row(by, figures(groups), 0.0) for by, groups in _found_by_rivals(graph)]
    columns = {"best": f"first {BEST}", "precision": "of all found", "recall": "of all carts"}
    return Answers(
        "Groups of three and more products: what share of them are carts, and what share of the carts is "
        "found? Ours are sorted by probability, those of rivals by size",
        columns,
        (*rows, Row(OURS, figures(ours), 0.0)),
    )


def _found_by_rivals(graph: Graph) -> Iterator[tuple[str, list[frozenset[int]]]]:
    for by in RECOVERERS:
        sets = RIVALS[by](graph).sets
        groups = [frozenset(part.tolist()) for part in np.split(sets.members, sets.offsets[1:-1])]
        yield by, sorted((group for group in groups if len(group) > 2), key=len, reverse=True)


def _completion(truth: Hyperedges, nodes: int, seed: int) -> Answers:
    """How often the hidden product of a held-out cart is among the first ten."""
    held = hold_out(truth, nodes, seed=seed, counts=True)
    return Answers(
        f"Who completes a cart never seen? {len(held.queries):,} carts, one product of each hidden",
        {"hits": "among ten", "mrr": "1 / rank, mean"},
        tuple(complete_by_all(held)),
    )


def _by_name(groups: Sequence[Group], truth: Hyperedges) -> tuple[tuple[Group, bool], ...]:
    """The most probable groups of each size in `SHOWN`, and whether each is a cart."""
    carts = {frozenset(truth[i].tolist()) for i in range(len(truth))}
    chosen = []
    for size in sorted(set(SHOWN)):
        chosen += [group for group in groups if len(group.nodes) == size][: SHOWN.count(size)]
    return tuple((group, frozenset(group.nodes) in carts) for group in chosen)


def _detect(model: Model, triangles: np.ndarray, is_cart: np.ndarray, seed: int) -> tuple[Detection, ...]:
    """Scores of probes that separate carts from as many other triangles, at most `PROBED` in all."""
    graph = model.graph
    assert graph is not None, "it was trained on one"
    rng = np.random.default_rng(seed)
    some = [rng.permutation(np.flatnonzero(is_cart == cart))[: PROBED // 2] for cart in (False, True)]
    drawn = np.sort(np.concatenate(some))
    ksets, labels = triangles[drawn], is_cart[drawn]
    untrained = fit(graph, 3, config=_without_training(model.config), seed=seed)
    matrices = {
        "sum of raw features": np.asarray(sum(_dense(graph, ksets[:, slot]) for slot in range(3))),
        "random weights": untrained.embed(ksets),
        OURS: model.embed(ksets),
    }
    half = split(graph, 2)
    region = regions(graph, half, REGIONS)
    return tuple(
        Detection(name, _held_out(x, labels, half[ksets], region[ksets])) for name, x in matrices.items()
    )


def _without_training(config: RunConfig) -> RunConfig:
    return replace(config, train=replace(config.train, steps=0)).as_in_paper()


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
