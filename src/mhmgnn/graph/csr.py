"""Compiled work on sorted rows: the neighbours of each node of a graph, or the members of each set."""

import numpy as np

from mhmgnn.runtime.jit import njit


@njit(cache=True, nogil=True)
def first_from(indices, low, high, node):
    """The first index in low..high whose entry is not below `node`; `high` if there is none."""
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def place(indptr, indices, u, v):
    """The index into `indices` at which v is in the row of u; -1 if it is not."""
    at = first_from(indices, indptr[u], indptr[u + 1], v)
    return at if at < indptr[u + 1] and indices[at] == v else -1


@njit(cache=True, nogil=True)
def common_neighbours(indptr, indices, ksets):
    """How many nodes are adjacent to all nodes of each set, (s,) int64."""
    common = np.zeros(ksets.shape[0], np.int64)
    for s in range(ksets.shape[0]):
        least = ksets[s, 0]
        for u in ksets[s]:
            if indptr[u + 1] - indptr[u] < indptr[least + 1] - indptr[least]:
                least = u
        for v in indices[indptr[least] : indptr[least + 1]]:
            adjacent = True
            for u in ksets[s]:
                if u != least and place(indptr, indices, u, v) < 0:
                    adjacent = False
                    break
            common[s] += adjacent
    return common


@njit(cache=True, nogil=True)
def sources(indptr):
    """The row of each entry, (entries,) int32."""
    out = np.empty(indptr[-1], np.int32)
    for row in range(indptr.size - 1):
        out[indptr[row] : indptr[row + 1]] = row
    return out


@njit(cache=True, nogil=True)
def longest_row(indptr):
    """The length of the longest row, at least 1."""
    most = 1
    for row in range(indptr.size - 1):
        most = max(most, indptr[row + 1] - indptr[row])
    return most


@njit(cache=True, nogil=True)
def append_row(indices, indptr, count, row):
    """Append a row, sorted, after the first `count`; returns both arrays, which are doubled when full."""
    start = indptr[count]
    if start + row.size > indices.size:
        indices = np.concatenate((indices, np.empty(indices.size + row.size, np.int64)))
    if count + 2 > indptr.size:
        indptr = np.concatenate((indptr, np.zeros(indptr.size, np.int64)))
    indices[start : start + row.size] = np.sort(row)
    indptr[count + 1] = start + row.size
    return indices, indptr


@njit(cache=True, nogil=True)
def pairs_in_rows(indptr, indices):
    """All pairs of entries within a row, (p, 2) int64; pairs in several rows are repeated."""
    total = 0
    for row in range(indptr.size - 1):
        size = indptr[row + 1] - indptr[row]
        total += size * (size - 1) // 2
    out, at = np.empty((total, 2), np.int64), 0
    for row in range(indptr.size - 1):
        for a in range(indptr[row], indptr[row + 1]):
            for b in range(indptr[row], a):
                out[at, 0], out[at, 1] = indices[b], indices[a]
                at += 1
    return out


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


@njit(cache=True, nogil=True)
def pairs_missing(indptr, indices, members, offsets):
    """How many pairs of each set, of any size, are not adjacent, (s,) int64."""
    out = np.zeros(offsets.size - 1, np.int64)
    for i in range(out.size):
        for a in range(offsets[i], offsets[i + 1]):
            for b in range(offsets[i], a):
                out[i] += place(indptr, indices, members[a], members[b]) < 0
    return out
