"""Compiled: a greedy edge clique cover."""

import numpy as np

from mhmgnn.graph.csr import append_row, longest_row, place
from mhmgnn.runtime.jit import njit


@njit(cache=True, nogil=True)
def grow_cliques(indptr, indices):
    """Cliques grown from the edges that no earlier clique holds, in order of edges: members and offsets."""
    covered = np.zeros(indices.size, np.bool_)  # entries of the rows
    members, offsets = np.empty(1 << 14, np.int64), np.zeros(1 << 12, np.int64)
    longest = longest_row(indptr)
    clique, nodes = np.empty(longest + 1, np.int64), np.empty(longest, np.int64)
    gain = np.empty(longest, np.int64)
    count = np.int64(0)  # typed: a literal has `append_row` compiled again
    for u in range(indptr.size - 1):
        for at in range(indptr[u], indptr[u + 1]):
            if indices[at] < u or covered[at]:
                continue
            clique[0], clique[1] = u, indices[at]
            size = _grow(indptr, indices, covered, clique, nodes, gain)
            for a in range(size):
                for b in range(size):
                    if a != b:
                        covered[place(indptr, indices, clique[a], clique[b])] = True
            members, offsets = append_row(members, offsets, count, clique[:size])
            count += 1
    return members[: offsets[count]].copy(), offsets[: count + 1].copy()


@njit(cache=True, nogil=True)
def _grow(indptr, indices, covered, clique, nodes, gain):
    """Grow the edge in `clique` to a maximal clique and return its size; `nodes`, `gain` are scratch."""
    u, v = clique[0], clique[1]
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    held, size = 0, 2
    for x in range(indptr[u], indptr[u + 1]):
        y = place(indptr, indices, v, indices[x])
        if y >= 0:
            nodes[held] = indices[x]
            gain[held] = (not covered[x]) + (not covered[y])
            held += 1
    while held > 0:
        best = nodes[np.argmax(gain[:held])]
        clique[size] = best
        size += 1
        kept = 0
        for i in range(held):
            y = place(indptr, indices, best, nodes[i])
            if y >= 0:
                nodes[kept], gain[kept] = nodes[i], gain[i] + (not covered[y])
                kept += 1
        held = kept
    return size
