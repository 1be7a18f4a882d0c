"""Random cliques of a graph: what is usual there, and what the context of other sets is measured by."""

from __future__ import annotations

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.subgraphs.cliques import some_cliques

SIZES = (2, 3, 4, 5, 6, 8)


def random_cliques(graph: Graph, most: int, rng: np.random.Generator) -> dict[int, Sets]:
    """Uniform cliques of each of `SIZES` that the graph has, in random order, at most so many of a size."""
    found = {}
    for k in SIZES:
        ksets, _ = some_cliques(graph, k, most, rng, threads=1)
        if len(ksets):
            found[k] = Sets.of_rows(rng.permutation(ksets))
    return found
