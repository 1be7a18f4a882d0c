"""How many papers of this k-set cite none of the others?"""

from __future__ import annotations

from typing import Any

import numpy as np

from mhmgnn.datasets.citations import Citations
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks import candidates
from mhmgnn.evaluation.tasks.citing import citing_sets
from mhmgnn.evaluation.tasks.kind import KSetTask, register
from mhmgnn.evaluation.tasks.side import NO_LABEL, Drawing, Labelling
from mhmgnn.evaluation.tasks.task import Task
from mhmgnn.graph import Graph


@register
class LeafCounting(KSetTask):
    """The leaves of the DAG of citations among the nodes of a connected k-set."""

    name, title = "dag-leaves", "DAG leaf counting"

    def labelling(self, graph: Graph, truth: Citations, k: int) -> Labelling:
        """1 to k - 1 leaves; none where papers cite one another in a cycle."""

        def label(ksets: np.ndarray) -> np.ndarray:
            leaves = truth.leaves(ksets)
            return np.where(leaves > 0, leaves, NO_LABEL)

        def one_cites_all(nodes: np.ndarray) -> np.ndarray | None:
            ksets = citing_sets(truth, nodes, k)  # k - 1 leaves: one paper cites the others, no other does
            return None if ksets is None else ksets[truth.leaves(ksets) == k - 1]

        return Labelling(candidates.connected, label, rare=k - 1, census=one_cites_all)

    def draw(self, dataset: Dataset[Any], drawing: Drawing, seed: int) -> Task:
        """A task on a citation network; no other graph has directions."""
        if not isinstance(dataset.truth, Citations):
            raise DataError(
                f"{dataset.name} has no citations; leaves are counted in cora, citeseer and pubmed"
            )
        return super().draw(dataset, drawing, seed)


def dag_leaves(
    dataset: Dataset[Any], k: int, *, most: int = 10_000, by_class: bool = True, seed: int = 0
) -> Task:
    """How many papers of this connected k-set cite none of the others, 1 to k - 1?

    k-sets without such a paper, where papers cite one another in a cycle, have no label and are left out.
    `most` and `by_class` are those of `hyperedges`.
    """
    return LeafCounting().draw(dataset, Drawing(k, most, by_class), seed)
