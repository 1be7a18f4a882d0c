"""A large graph -> a similar but smaller subgraph."""

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.subgraphs import _fire
from mhmgnn.subgraphs.fire import forest_fire


def excerpt(graph: Graph, edges: int, rng: np.random.Generator) -> Graph:
    """A forest-fire sample of about `edges` edges with their counts; the graph itself if it has no more."""
    if graph.num_edges <= edges:
        return graph
    size = int(graph.num_nodes * edges / graph.num_edges)
    key = rng.integers(2**64, dtype=np.uint64)
    nodes, indptr, indices = forest_fire(graph, size, np.zeros(1, np.int64), key=key, threads=1)[0]
    if graph.weights is None:
        return Graph(indptr, indices)
    return Graph(
        indptr, indices, weights=graph.weights[_fire.entries_of(*graph.rows, nodes, indptr, indices)]
    )
