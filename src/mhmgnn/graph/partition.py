"""A graph -> parts with few edges between them: of the same size (METIS), or communities (Louvain)."""

import numpy as np
from scipy import sparse

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph


def split(graph: Graph, count: int, *, seed: int = 0) -> np.ndarray:
    """The METIS part of each node, (n,) int64 from 0 to count - 1; another seed may cut elsewhere."""
    from pymetis import CSRAdjacency, Options, part_graph

    check_whole("count", count, 1)
    if graph.num_nodes < count:
        raise DataError(f"a graph of {graph.num_nodes} nodes cannot be cut into {count} parts")
    if count == 1:
        return np.zeros(graph.num_nodes, np.int64)
    options = Options(seed=seed + 1)  # METIS takes 0 and 1 for the same
    cut = part_graph(count, CSRAdjacency(*graph.rows), options=options)
    return np.asarray(cut.vertex_part, np.int64)


def communities(graph: Graph, *, seed: int = 0) -> np.ndarray:
    """The community of each node, (n,) int64, the largest first: Louvain's, of highest modularity (2008)."""
    from sknetwork.clustering import Louvain

    if not graph.num_edges:
        return np.arange(graph.num_nodes)
    found = Louvain(random_state=seed, shuffle_nodes=True).fit_predict(sparse.csr_matrix(graph.to_scipy()))
    rank = np.argsort(np.argsort(-np.bincount(found), kind="stable"), kind="stable")
    return np.asarray(rank[found], np.int64)


def induced(graph: Graph, nodes: np.ndarray) -> Graph:
    """The graph on `nodes` alone, (m,) int64 in rising order, with its counts, without features or names."""
    part = graph.to_scipy(counts=True)[nodes][:, nodes].tocsr()
    part.sort_indices()
    weights = None if graph.weights is None else part.data
    return Graph(part.indptr.astype(np.int64), part.indices.astype(np.int32), weights=weights)


def regions(graph: Graph, sides: np.ndarray, count: int, *, seed: int = 0) -> np.ndarray:
    """The region of each node, (n,) int64: every side, (n,), is cut into `count` of its own.

    Side s holds the regions from s * count on. A side of fewer nodes has as many regions as nodes.
    """
    region = np.empty(graph.num_nodes, np.int64)
    for side in np.unique(sides):
        nodes = np.flatnonzero(sides == side)
        parts = split(induced(graph, nodes), min(count, nodes.size), seed=seed)
        region[nodes] = parts + side * count
    return region
