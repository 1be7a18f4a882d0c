"""Random cliques of a graph, the reference by which the context of sets is standardised."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.subgraphs.cliques import some_cliques

SIZES = (2, 3, 4, 5, 6, 8)


class Cliques(NamedTuple):
    """Uniform cliques of one size, in random order."""

    ksets: np.ndarray  # (s, k) int64
    total: float  # how many the graph has


def random_cliques(
    graph: Graph, most: int, rng: np.random.Generator, *, threads: int | None = None
) -> dict[int, Cliques]:
    """Random cliques of each of `SIZES` that the graph has, at most so many of a size."""
    found = {}
    for k in SIZES:
        ksets, total = some_cliques(graph, k, most, rng, threads=threads)
        if len(ksets):
            found[k] = Cliques(rng.permutation(ksets), total)
    return found
