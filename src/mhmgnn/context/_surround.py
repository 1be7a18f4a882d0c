"""Compiled: statistics of the nodes around a set, with long rows of hubs searched instead of scanned."""

import numpy as np

from mhmgnn.context._hubs import MOST_MARKED, mark, tally_hubs
from mhmgnn.context._meet import meet
from mhmgnn.graph.csr import longest_row, place
from mhmgnn.runtime.jit import njit

LONG = 256  # longer rows are searched, not scanned; anything from 64 to 4,096 takes about as long
DENSE = 24  # nodes adjacent to a whole set among which the density is measured
WHOLE, NEAR, HALF, FEWER, DEGREES, DENSITY, SUM_LEAST, MOST_LEAST = range(8)  # columns of `surround`


@njit(cache=True, nogil=True)
def hub_keys(indptr, members, offsets, long):
    """A hash of the rows that each set searches, 0 if it searches at most one, (s,) int64."""
    keys = np.zeros(offsets.size - 1, np.int64)
    ordered = np.empty(longest_row(offsets), np.int64)
    for i in range(keys.size):
        size = offsets[i + 1] - offsets[i]
        walked = _walked_first(indptr, members[offsets[i] : offsets[i + 1]], long, ordered)
        if size - walked > 1:
            for node in ordered[walked:size]:
                keys[i] = keys[i] * 1_000_003 + node + 1
    return keys


@njit(cache=True, nogil=True)
def surround(indptr, indices, weights, members, offsets, order, long, scratch, around):
    """Write the statistics of the nodes around each set in `order` into `around`, (s, 8) float64.

    Its columns: the number of outside nodes adjacent to all k members, to k - 1, to at least half, to fewer;
    the sum of the members' degrees; the density among the nodes adjacent to all (the DENSE of lowest degree);
    the sum and the maximum, over nodes adjacent to all, of the smallest count with a member.

    All of it is exact. Rows up to `long` are scanned, except for the longest of a set. That row and all rows
    beyond `long` (unless the shortest of the set is one) are searched for each node found. Nodes that only
    searched rows hold are counted without being listed: the nodes adjacent to exactly j of these hubs, minus
    those found. For one hub that is its degree, for several the result of `tally_hubs`. `scratch` is a
    `Scratch`, left as it was.
    """
    most = longest_row(offsets)
    ordered, hubs, dense = np.empty(most, np.int64), np.empty(0, np.int64), np.empty(DENSE, np.int64)
    shared, alone = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    marked, marks = hubs, np.zeros(MOST_MARKED + 1, np.int64)
    for i in order:
        k = offsets[i + 1] - offsets[i]
        walked = _walked_first(indptr, members[offsets[i] : offsets[i + 1]], long, ordered)
        if k - walked == 1:
            alone[1] = _degree(indptr, ordered[walked])
        elif k - walked > 1:
            if hubs.size != k - walked or (hubs != ordered[walked:k]).any():
                hubs = ordered[walked:k].copy()
                marked = tally_hubs(indptr, indices, weights, hubs, marked, marks, shared, scratch)
            alone[: k - walked + 1] = shared[: k - walked + 1]
        held = meet(indptr, indices, weights, ordered[:k], walked, scratch)
        _count(indptr, ordered[:k], walked, held, weights.size > 0, scratch, alone, dense, around[i])
        around[i, DENSITY] = _density(indptr, indices, dense[: min(np.int64(around[i, WHOLE]), DENSE)])
        scratch.times[scratch.met[:held]] = 0
    for u in marked:
        mark(indptr, indices, u, -1, marks, scratch)


@njit(cache=True, nogil=True)
def _count(indptr, ordered, walked, held, counted, scratch, alone, dense, row):
    """Write the statistics of one set into its row of `surround`, and nodes adjacent to all into `dense`.

    `alone[j]` is the number of nodes adjacent to exactly j hubs; the nodes found are subtracted from it.
    """
    k = ordered.size
    row[:] = 0.0
    for t in range(k):
        row[DEGREES] += _degree(indptr, ordered[t])
        if t < walked:
            alone[scratch.hubs[t]] -= 1
    for t in range(k, held):
        v = scratch.met[t]
        j = scratch.times[v]
        alone[scratch.hubs[t]] -= 1
        if j == k:
            _keep(indptr, dense, np.int64(row[WHOLE]), v)
            if counted:
                row[SUM_LEAST] += scratch.least[v]
                row[MOST_LEAST] = max(row[MOST_LEAST], scratch.least[v])
        row[_kind(j, k)] += 1.0
    for j in range(1, k - walked + 1):
        row[_kind(j, k)] += alone[j]


@njit(cache=True, nogil=True)
def _walked_first(indptr, members, long, ordered):
    """Write the members into `ordered`, those whose rows are scanned first, the longest row last.

    Returns how many are scanned: the shortest row, and others up to `long` except for the longest.
    """
    k, shortest, longest = members.size, 0, 0
    for a in range(k):
        if _degree(indptr, members[a]) < _degree(indptr, members[shortest]):
            shortest = a
        if _degree(indptr, members[a]) >= _degree(indptr, members[longest]):
            longest = a
    walked, end = 0, k - 1
    for a in range(k):
        if a == shortest or (a != longest and _degree(indptr, members[a]) <= long):
            ordered[walked] = members[a]
            walked += 1
        elif a != longest:
            end -= 1
            ordered[end] = members[a]
    if k > 1:
        ordered[k - 1] = members[longest]
    return walked


@njit(cache=True, nogil=True)
def _keep(indptr, dense, held, v):
    """Insert v into `dense`, the nodes of lowest degree among the `held` inserted before, in order."""
    at = min(held, dense.size)
    if at == dense.size:
        if _degree(indptr, dense[at - 1]) <= _degree(indptr, v):
            return
        at -= 1
    while at > 0 and _degree(indptr, dense[at - 1]) > _degree(indptr, v):
        dense[at] = dense[at - 1]
        at -= 1
    dense[at] = v


@njit(cache=True, nogil=True)
def _density(indptr, indices, nodes):
    """The share of pairs of the nodes that are adjacent; nodes are sorted by degree."""
    found = 0
    for a in range(nodes.size):
        for b in range(a + 1, nodes.size):
            found += place(indptr, indices, nodes[a], nodes[b]) >= 0
    return 2.0 * found / max(nodes.size * (nodes.size - 1), 1)


@njit(cache=True, nogil=True, inline="always")
def _kind(j, k):
    if j == k:
        return WHOLE
    if j == k - 1:
        return NEAR
    return HALF if 2 * j >= k else FEWER


@njit(cache=True, nogil=True, inline="always")
def _degree(indptr, node):
    return indptr[node + 1] - indptr[node]
