"""Compiled: greedy weighted set cover of the edges of a graph by cliques."""

import heapq

import numpy as np

from mhmgnn.graph.csr import place
from mhmgnn.runtime.jit import njit


@njit(cache=True, nogil=True)
def number_pairs(indptr, indices):
    """The edge id of each entry of the CSR rows, (2e,) int64; edges (u, v), u < v, are numbered in order."""
    out = np.empty(indices.size, np.int64)
    found = 0
    for u in range(indptr.size - 1):
        for at in range(indptr[u], indptr[u + 1]):
            if indices[at] > u:
                out[at] = found
                found += 1
            else:
                out[at] = out[place(indptr, indices, indices[at], u)]
    return out


@njit(cache=True, nogil=True)
def pairs_of_sets(indptr, indices, number, members, offsets):
    """The edge ids inside each clique: offsets, (s + 1,) int64, and ids, int32."""
    first = np.zeros(offsets.size, np.int64)
    for i in range(offsets.size - 1):
        size = offsets[i + 1] - offsets[i]
        first[i + 1] = first[i] + size * (size - 1) // 2
    pairs = np.empty(first[-1], np.int32)
    for i in range(offsets.size - 1):
        at = first[i]
        for a in range(offsets[i], offsets[i + 1]):
            for b in range(offsets[i], a):
                pairs[at] = number[place(indptr, indices, members[a], members[b])]
                at += 1
    return first, pairs


@njit(cache=True, nogil=True)
def choose(first, pairs, offsets, cost, idle_cost, num_pairs):
    """A greedy set cover of all pairs: each step takes the set of least cost per pair not yet covered.

    A node of a set whose pairs in it are all covered already costs `idle_cost` more; `offsets` are those of
    the members of sets. Redundant sets, whose pairs are all covered by others, are removed at the end, the
    dearest per pair first. Returns the numbers of the sets in the order of choice, and in how many of them
    each pair lies, (num_pairs,) int64.
    """
    times = np.zeros(num_pairs, np.int64)
    heap = [(cost[i] / (first[i + 1] - first[i]), i) for i in range(cost.size)]
    heapq.heapify(heap)
    chosen = np.empty(num_pairs, np.int64)
    count, left = 0, num_pairs
    while left > 0 and len(heap) > 0:
        _, i = heapq.heappop(heap)
        new = fresh_nodes(pairs[first[i] : first[i + 1]], offsets[i + 1] - offsets[i], times)
        added = 0
        for x in range(first[i], first[i + 1]):
            added += times[pairs[x]] == 0
        if added == 0:
            continue
        price = (cost[i] + idle_cost * (new.size - new.sum())) / added
        if len(heap) > 0 and (price, i) > heap[0]:
            heapq.heappush(heap, (price, i))
            continue
        for x in range(first[i], first[i + 1]):
            times[pairs[x]] += 1
        left -= added
        chosen[count] = i
        count += 1
    return _without_idle(first, pairs, cost, chosen[:count].copy(), times), times


@njit(cache=True, nogil=True)
def fresh_nodes(pairs, size, times):
    """Which nodes of a set of `size` nodes have a pair in it that is covered no `times` yet, (size,) bool."""
    new = np.zeros(size, np.bool_)
    at = 0
    for a in range(size):
        for b in range(a):
            if times[pairs[at]] == 0:
                new[a] = new[b] = True
            at += 1
    return new


@njit(cache=True, nogil=True)
def _without_idle(first, pairs, cost, chosen, times):
    """The chosen sets without redundant ones, in their order; `times` is lowered for those removed."""
    price = np.empty(chosen.size)
    for c in range(chosen.size):
        price[c] = -cost[chosen[c]] / (first[chosen[c] + 1] - first[chosen[c]])
    stays = np.ones(chosen.size, np.bool_)
    for c in np.argsort(price, kind="mergesort"):
        i = chosen[c]
        idle = True
        for x in range(first[i], first[i + 1]):
            idle = idle and times[pairs[x]] > 1
        if idle:
            stays[c] = False
            for x in range(first[i], first[i + 1]):
                times[pairs[x]] -= 1
    return chosen[stays]


@njit(cache=True, nogil=True)
def trim(members, offsets, first, pairs, chosen, num_pairs):
    """Chosen sets reduced to the nodes of pairs that no earlier chosen set covers.

    Returns only sets that lost nodes and still have more than two, as members and offsets.
    """
    times = np.zeros(num_pairs, np.int64)
    total = 0
    for i in chosen:
        total += offsets[i + 1] - offsets[i]
    out, ends = np.empty(total, np.int64), np.zeros(chosen.size + 1, np.int64)
    count, at = 0, 0
    for i in chosen:
        size = offsets[i + 1] - offsets[i]
        new = fresh_nodes(pairs[first[i] : first[i + 1]], size, times)
        for x in range(first[i], first[i + 1]):
            times[pairs[x]] += 1
        kept = new.sum()
        if 2 < kept < size:
            for a in range(size):
                if new[a]:
                    out[at] = members[offsets[i] + a]
                    at += 1
            count += 1
            ends[count] = at
    return out[:at].copy(), ends[: count + 1].copy()


@njit(cache=True, nogil=True)
def count_alone(first, pairs, chosen, times):
    """How many pairs of each chosen set lie in no other chosen one, (c,) int64."""
    alone = np.zeros(chosen.size, np.int64)
    for c in range(chosen.size):
        for x in range(first[chosen[c]], first[chosen[c] + 1]):
            alone[c] += times[pairs[x]] == 1
    return alone
