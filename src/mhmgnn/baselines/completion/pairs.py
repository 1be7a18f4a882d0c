"""Scores that are sums over the given nodes of a measure of pairs; w is the count, 1 without counts."""

from __future__ import annotations

import numpy as np

from mhmgnn.evaluation.completion import Scorer
from mhmgnn.graph import Graph

SMOOTHING = 0.1  # added to every count in the geometric mean, so that a missing pair does not give 0


def sum_of_counts(graph: Graph) -> Scorer:
    r"""How often a node v was seen with the given ones: :math:`\sum_g w_{gv}`."""
    counts = graph.to_scipy(counts=True).astype(np.float64)
    return lambda given: np.asarray(counts[given].sum(axis=0))


def cosine(graph: Graph) -> Scorer:
    r"""Counts over the root of the strengths: :math:`\sum_g w_{gv} / \sqrt{s_g s_v}`."""
    scale = 1 / np.sqrt(np.maximum(graph.strengths, 1e-300))
    counts = graph.to_scipy(counts=True).astype(np.float64)
    return lambda given: np.asarray(scale[given] @ counts[given]) * scale


def geometric_mean(graph: Graph) -> Scorer:
    r"""The geometric mean of counts, as a sum of logs: :math:`\sum_g \log(w_{gv} + 0.1)`."""
    logs = graph.to_scipy(counts=True).astype(np.float64)
    logs.data = np.log(logs.data + SMOOTHING) - np.log(
        SMOOTHING
    )  # relative to log(SMOOTHING), so that missing pairs are 0 and the matrix stays sparse
    return lambda given: np.asarray(logs[given].sum(axis=0)) + given.size * np.log(SMOOTHING)


def jaccard(graph: Graph) -> Scorer:
    r"""Shared neighbours over all neighbours: :math:`\sum_g |N_g \cap N_v| / |N_g \cup N_v|`; no counts."""
    near, degrees = graph.to_scipy(), graph.degrees

    def score(given: np.ndarray) -> np.ndarray:
        found = np.zeros(graph.num_nodes)
        for node in given:
            common = (near[[node]] @ near).tocsr()
            other = common.indices
            found[other] += common.data / (degrees[node] + degrees[other] - common.data)
        return found

    return score
