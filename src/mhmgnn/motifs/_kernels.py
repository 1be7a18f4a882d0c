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
def edge_bits(indptr, indices, ksets, out):
    """Write the code of each k-set into `out`: bit j(j-1)/2 + i is set when slots i < j are adjacent."""
    for m in range(ksets.shape[0]):
        code = 0
        bit = 0
        for j in range(1, ksets.shape[1]):
            v = ksets[m, j]
            for i in range(j):
                u = ksets[m, i]
                if indptr[u + 1] - indptr[u] <= indptr[v + 1] - indptr[v]:
                    found = place(indptr, indices, u, v)
                else:
                    found = place(indptr, indices, v, u)
                if found >= 0:
                    code |= 1 << bit
                bit += 1
        out[m] = code


@njit(cache=True, nogil=True)
def edge_places(indptr, indices, ksets, out):
    """Write into `out`, (b, k, k), where slot j stands in the row of slot i; -1 if they are not adjacent."""
    k = ksets.shape[1]
    for m in range(ksets.shape[0]):
        for i in range(k):
            for j in range(k):
                out[m, i, j] = place(indptr, indices, ksets[m, i], ksets[m, j])
