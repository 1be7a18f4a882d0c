"""Compiled look-ups of the edges inside k-sets."""

from numba import njit


@njit(cache=True, nogil=True)
def place(indptr, indices, u, v):
    """Where v stands in the row of u, as an index into `indices`; -1 if it does not."""
    low, high = indptr[u], indptr[u + 1]
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low if low < indptr[u + 1] and indices[low] == v else -1


@njit(cache=True, nogil=True)
def edge_places(indptr, indices, ksets, out):
    """Write into `out`, (b, k, k), where slot j stands in the row of slot i; -1 if they are not adjacent."""
    k = ksets.shape[1]
    for m in range(ksets.shape[0]):
        for i in range(k):
            for j in range(k):
                out[m, i, j] = place(indptr, indices, ksets[m, i], ksets[m, j])
