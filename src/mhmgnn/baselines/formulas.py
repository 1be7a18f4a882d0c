"""One-line formulas that a person would try to tell groups from other sets: rivals of the group energy."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from mhmgnn.context.context import adjacent_to_all
from mhmgnn.context.pairs import OVERLAP, pair_overlap
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets

PLAIN = ("degrees", "common neighbours", "Jaccard", "Adamic-Adar")
COUNTED = ("geometric mean", "harmonic mean", "least count", "lift")


def formulas(graph: Graph, ksets: np.ndarray) -> dict[str, np.ndarray]:
    r"""What each formula gives for cliques of k nodes, (s, k) to (s,); higher is more together.

    Degrees: their sum. Common neighbours: nodes adjacent to all. Jaccard and Adamic-Adar: means over pairs.
    With counts w: their geometric and harmonic mean and the least, and the lift,
    :math:`\sum_{ij} \log w_{ij} - (k - 1) \sum_i \log s_i` with strengths s.
    """
    entries = _entries(graph, ksets)  # (s, pairs)
    overlap = pair_overlap(graph)[entries]
    common, adamic = (overlap[..., OVERLAP.index(name)] for name in ("common", "adamic-adar"))
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    either = graph.degrees[owner[entries]] + graph.degrees[graph.indices[entries]] - common
    found = {
        "degrees": graph.degrees[ksets].sum(axis=1).astype(np.float64),
        "common neighbours": adjacent_to_all(graph, Sets.of_rows(ksets)),
        "Jaccard": (common / np.maximum(either, 1)).mean(axis=1),
        "Adamic-Adar": adamic.mean(axis=1),
    }
    if graph.weights is None:
        return found
    count = graph.weights[entries].astype(np.float64)
    expected = (ksets.shape[1] - 1) * np.log(graph.strengths[ksets]).sum(axis=1)
    return found | {
        "geometric mean": np.exp(np.log(count).mean(axis=1)),
        "harmonic mean": 1 / (1 / count).mean(axis=1),
        "least count": count.min(axis=1),
        "lift": np.log(count).sum(axis=1) - expected,
    }


def _entries(graph: Graph, ksets: np.ndarray) -> np.ndarray:
    """Where each pair of each clique stands in `graph.indices`, (s, k (k - 1) / 2)."""
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    codes = owner * graph.num_nodes + graph.indices
    pairs = combinations(range(ksets.shape[1]), 2)
    return np.stack(
        [np.searchsorted(codes, ksets[:, a] * graph.num_nodes + ksets[:, b]) for a, b in pairs], axis=1
    )
