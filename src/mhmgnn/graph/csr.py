"""Compiled look-ups in the sorted rows of a graph."""

from numba import njit


@njit(cache=True, nogil=True)
def first_from(indices, low, high, node):
    """The first place from `low` on, below `high`, whose entry is not less than the node; else `high`."""
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def place(indptr, indices, u, v):
    """Where v stands in the row of u, as an index into `indices`; -1 if it does not."""
    at = first_from(indices, indptr[u], indptr[u + 1], v)
    return at if at < indptr[u + 1] and indices[at] == v else -1
