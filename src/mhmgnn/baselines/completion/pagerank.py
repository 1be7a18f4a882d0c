"""Personalised PageRank: the stationary distribution of a walk that restarts at the given nodes."""

from __future__ import annotations

import numpy as np

from mhmgnn.evaluation.completion import Scorer
from mhmgnn.graph import Graph

RESTART = 0.15
TOLERANCE = 1e-9  # on the sum of absolute changes in a step


def pagerank(graph: Graph) -> Scorer:
    r"""The stationary distribution of a walk that restarts at a given node with probability 0.15.

    .. math:: x = 0.15\, r + 0.85\, W D^{-1} x

    r is uniform on the given nodes, W holds the counts and D the strengths. Computed by power iteration; a
    walk at a node without neighbours restarts.
    """
    counts = graph.to_scipy(counts=True).astype(np.float64)
    strengths = graph.strengths
    leave = (1 - RESTART) / np.maximum(strengths, 1e-300) * (strengths > 0)

    def score(given: np.ndarray) -> np.ndarray:
        start = np.zeros(graph.num_nodes)
        start[given] = 1 / given.size
        now, change = start, np.inf
        while change > TOLERANCE:
            walked = counts @ (leave * now)
            after = walked + (1 - walked.sum()) * start
            change, now = np.abs(after - now).sum(), after
        return now

    return score
