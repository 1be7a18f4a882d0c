"""Is this k-set a hidden hyperedge?"""

from __future__ import annotations

from typing import Any

import numpy as np

from mhmgnn.datasets.citations import Citations
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.hyperedges import Hyperedges, Match
from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks import candidates
from mhmgnn.evaluation.tasks.citing import citing_sets
from mhmgnn.evaluation.tasks.kind import KSetTask, register
from mhmgnn.evaluation.tasks.side import Drawing, Labelling
from mhmgnn.evaluation.tasks.task import Task
from mhmgnn.graph import Graph
from mhmgnn.subgraphs.exact import edge_codes


@register
class HyperedgeDetection(KSetTask):
    """Which candidates are hyperedges: star-like k-sets of citations, else k-cliques."""

    name, title = "hyperedge", "Hyperedge detection"
    sought = (1, "hyperedges")

    def __init__(self, match: Match = "exact") -> None:
        self.match = match

    def labelling(self, graph: Graph, truth: Any, k: int) -> Labelling:
        """1 for a hyperedge, else 0."""
        if isinstance(truth, Citations):
            return Labelling(
                candidates.stars,
                lambda ksets: truth.has_citing_centre(ksets).astype(np.int64),
                rare=1,
                census=lambda nodes: citing_sets(truth, nodes, k),
            )
        if not isinstance(truth, Hyperedges):
            raise DataError(f"a truth of the kind {type(truth).__name__} has no hyperedges; give Hyperedges")
        return Labelling(
            candidates.cliques,
            lambda ksets: truth.holds(ksets, self.match).astype(np.int64),
            rare=1,
            census=lambda nodes: hyperedges_inside(graph, truth, nodes, k) if self.match == "exact" else None,
        )


def hyperedges(
    dataset: Dataset[Any],
    k: int,
    *,
    match: Match = "exact",
    most: int = 10_000,
    by_class: bool = True,
    seed: int = 0,
) -> Task:
    """Is this k-set a hidden hyperedge?

    Citation networks: candidates have a node adjacent to all the others; label 1 if some node cites all the
    others. Else candidates are the k-cliques; label 1 if the k nodes are a hyperedge (`match` "exact") or
    part of one ("contained").

    A side keeps at most `most` k-sets: with `by_class` as many of each label as possible, drawn uniformly
    within it, else drawn uniformly from all candidates. Balanced accuracy does not depend on how many k-sets
    a class has; by class it is known better.
    """
    if isinstance(dataset.truth, Citations) and match != "exact":
        raise DataError(f"match is {match!r}; a citation network knows only 'exact'")
    return HyperedgeDetection(match).draw(dataset, Drawing(k, most, by_class), seed)


def hyperedges_inside(graph: Graph, truth: Hyperedges, nodes: np.ndarray, k: int) -> np.ndarray:
    """Every hyperedge of k nodes, all in `nodes` and adjacent to one another, once, (m, k)."""
    of_size = np.flatnonzero(truth.sizes == k)
    ksets = np.unique(truth.members[truth.offsets[of_size, None] + np.arange(k)], axis=0)
    ksets = ksets[np.isin(ksets, nodes).all(axis=1)]
    every_pair = (1 << k * (k - 1) // 2) - 1
    return np.asarray(ksets[edge_codes(graph.rows, ksets) == every_pair])
