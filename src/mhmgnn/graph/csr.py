"""Compiled look-ups in the sorted rows of a graph."""

import numpy as np
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


@njit(cache=True, nogil=True)
def sets_connected(indptr, indices, members, offsets):
    """Whether each set, of any size, induces a connected subgraph, (s,) bool."""
    out = np.empty(offsets.size - 1, np.bool_)
    for i in range(out.size):
        left = members[offsets[i] : offsets[i + 1]].copy()
        met = 1  # the first `met` nodes are reached, those before `at` are done
        at = 0
        while at < met and met < left.size:
            for j in range(met, left.size):
                if place(indptr, indices, left[at], left[j]) >= 0:
                    left[met], left[j] = left[j], left[met]
                    met += 1
            at += 1
        out[i] = met == left.size
    return out
