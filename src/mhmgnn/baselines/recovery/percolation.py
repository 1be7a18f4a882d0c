"""k-clique percolation (Palla et al., 2005) for k = 3: communities of triangles."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from mhmgnn.baselines.recovery.recovered import Recovered
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.subgraphs.cliques import draw_cliques

MOST = 10**7  # triangles that are used; of more, a random sample


def percolation(graph: Graph, *, most: int = MOST) -> Recovered:
    """Communities of triangles that are connected by shared edges, for k = 3.

    k is 3 for all graphs, as choosing it would need the true groups. Of more than `most` triangles a random
    sample is used. An edge that lies in no triangle is in no community.
    """
    triangles, total = draw_cliques(graph, 3, most, np.random.default_rng(0))
    n = graph.num_nodes
    pairs = np.concatenate([triangles[:, [a, b]] @ np.array([n, 1]) for a, b in ((0, 1), (0, 2), (1, 2))])
    distinct, place = np.unique(pairs, return_inverse=True)
    first, second, third = place.reshape(3, -1)  # a triangle connects its three edges
    joined = (np.ones(2 * first.size), (np.concatenate([first, first]), np.concatenate([second, third])))
    num, community = connected_components(sparse.coo_array(joined, shape=(distinct.size, distinct.size)))
    nodes = np.concatenate([distinct // n, distinct % n])
    rows = np.unique(np.tile(community, 2).astype(np.int64) * n + nodes)
    sizes = np.bincount(rows // n, minlength=num)
    return Recovered(Sets(rows % n, np.concatenate([[0], np.cumsum(sizes)])), complete=total <= most)
