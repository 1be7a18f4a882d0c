"""EASE (Steck, 2019): a linear item-to-item model in closed form, here from pairs."""

from __future__ import annotations

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.evaluation.completion import Scorer
from mhmgnn.graph import Graph

LARGEST = 5_000  # nodes: the matrix is dense, and its inverse takes n^3 steps


def ease(graph: Graph) -> Scorer:
    r"""The sum over given nodes g of :math:`B_{gv} = -P_{gv} / P_{vv}`, with :math:`B_{vv} = 0`.

    :math:`P = (G + \lambda I)^{-1}`, where G holds the counts. Its diagonal would be the number of groups of
    each node, which is not known; strengths stand in for it. :math:`\lambda` is the mean strength. Refuses
    more than 5,000 nodes.
    """
    if graph.num_nodes > LARGEST:
        raise DataError(f"EASE is too large for {graph.num_nodes:,} nodes; it takes {LARGEST:,} at most")
    strengths = graph.strengths
    gram = graph.to_scipy(counts=True).toarray().astype(np.float64)
    gram[np.diag_indices_from(gram)] = strengths + max(strengths.mean(), 1.0)
    inverse = np.linalg.inv(gram)
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0.0)
    return lambda given: np.asarray(weights[given].sum(axis=0))
