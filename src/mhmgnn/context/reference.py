"""Random cliques of a graph, the reference by which the context of sets is standardised."""

from __future__ import annotations

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.subgraphs.cliques import some_cliques

SIZES = (2, 3, 4, 5, 6, 8)


def random_cliques(graph: Graph, most: int, rng: np.random.Generator) -> dict[int, Sets]:
    """Uniformly random cliques of each size in `SIZES` that the graph has, at most `most` of each."""
    found = {}
    for k in SIZES:
        ksets, _ = some_cliques(graph, k, most, rng, threads=1)
        if len(ksets):
            found[k] = Sets.of_rows(rng.permutation(ksets))
    return found
