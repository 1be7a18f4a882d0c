"""Compiled: random cliques grown node by node, for graphs with too many cliques to count."""

import numpy as np

from mhmgnn.graph.csr import place
from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw


@njit(cache=True, nogil=True)
def grow_cliques(indptr, indices, k, tries, stream):
    """Grow a k-clique in each try: the cliques, (tries, k) int64, and their weights, (tries,).

    The weight is the product over steps of the number of nodes that could join. A try that cannot reach k
    nodes has weight 0, and -1 for the missing nodes.
    """
    ksets, weights = np.full((tries, k), -1, np.int64), np.zeros(tries)
    widest = 0
    for node in range(indptr.size - 1):
        widest = max(widest, indptr[node + 1] - indptr[node])
    near = np.empty(widest, np.int64)
    for i in range(tries):
        entry = draw(stream, indices.size)
        u = np.searchsorted(indptr, entry, side="right") - 1
        v = np.int64(indices[entry])
        ksets[i, 0], ksets[i, 1] = u, v
        if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
            u, v = v, u
        left = 0
        for at in range(indptr[u], indptr[u + 1]):
            if place(indptr, indices, v, indices[at]) >= 0:
                near[left] = indices[at]
                left += 1
        weight = 1.0
        for j in range(2, k):
            weight *= left
            if left == 0:
                break
            joined = near[draw(stream, left)]
            ksets[i, j] = joined
            kept = 0
            for x in range(left):
                if place(indptr, indices, joined, near[x]) >= 0:
                    near[kept] = near[x]
                    kept += 1
            left = kept
        weights[i] = weight
    return ksets, weights
