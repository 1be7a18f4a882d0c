"""Compiled walk over stars: a centre and k - 1 of its neighbours. A k-set belongs to its lowest centre."""

import numpy as np

from mhmgnn.graph.csr import place
from mhmgnn.runtime.jit import njit


@njit(cache=True, nogil=True)
def count_centres(indptr, indices, k, low, high, counts):
    """Write how many k-sets each node of low..high is the lowest centre of into `counts`."""
    nothing = np.empty(0, np.int64), np.empty((0, k), np.int64)
    for centre in range(low, high):
        counts[centre] = _walk(indptr, indices, k, centre, 0, 0, *nothing)


@njit(cache=True, nogil=True)
def write_ranks(indptr, indices, k, low, high, counts, ranks, ksets):
    """Write the k-sets of rising `ranks`, counted from the first of node `low`, into `ksets` (s, k)."""
    base, taken = np.int64(0), 0
    for centre in range(low, high):
        end = base + counts[centre]
        if taken < ranks.size and ranks[taken] < end:
            _walk(indptr, indices, k, centre, base, taken, ranks, ksets)
            while taken < ranks.size and ranks[taken] < end:
                taken += 1
        base = end


@njit(cache=True, nogil=True)
def _walk(indptr, indices, k, centre, base, taken, ranks, ksets):
    """How many k-sets have this node as their lowest centre; the ranked ones from `taken` on are written."""
    row = indices[indptr[centre] : indptr[centre + 1]]
    if row.size < k - 1:
        return 0
    chosen = np.arange(k - 1)
    met = np.int64(0)
    while True:
        if _is_lowest(indptr, indices, row, chosen, centre):
            if taken < ranks.size and ranks[taken] == base + met:
                _insert(row, chosen, centre, ksets[taken])
                taken += 1
            met += 1
        i = k - 2
        while i >= 0 and chosen[i] == row.size - (k - 1) + i:
            i -= 1
        if i < 0:
            return met
        chosen[i] += 1
        for j in range(i + 1, k - 1):
            chosen[j] = chosen[i] + j - i


@njit(cache=True, nogil=True)
def _is_lowest(indptr, indices, row, chosen, centre):
    """Whether no lower node of the star is adjacent to all others."""
    for i in range(chosen.size):
        u = row[chosen[i]]
        if u > centre:
            return True
        alone = False
        for j in range(chosen.size):
            if j != i and place(indptr, indices, u, row[chosen[j]]) < 0:
                alone = True
                break
        if not alone:
            return False
    return True


@njit(cache=True, nogil=True)
def _insert(row, chosen, centre, kset):
    """Write the star, sorted."""
    at = chosen.size
    while at > 0 and row[chosen[at - 1]] > centre:
        kset[at] = row[chosen[at - 1]]
        at -= 1
    kset[at] = centre
    for i in range(at):
        kset[i] = row[chosen[i]]
