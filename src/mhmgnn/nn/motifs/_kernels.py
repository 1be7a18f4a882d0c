"""Compiled look-ups of the edges inside k-sets."""

from mhmgnn.graph.csr import place
from mhmgnn.runtime.jit import njit


@njit(cache=True, nogil=True)
def edge_places(indptr, indices, ksets, out):
    """Write into `out`, (b, k, k), the CSR entry of the edge from slot i to slot j; -1 without an edge."""
    k = ksets.shape[1]
    for m in range(ksets.shape[0]):
        for i in range(k):
            for j in range(k):
                out[m, i, j] = place(indptr, indices, ksets[m, i], ksets[m, j])
