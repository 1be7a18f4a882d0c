"""Compiled walk over the k-cliques of a graph, many at a time (pivoting, after Jain and Seshadhri, 2020).

A clique belongs to its node of lowest rank, its root; the rest of it lies among the root's later neighbours,
which are few when ranks are those of a degeneracy order. These are slots 0..d-1 here, sets of them bit masks.
The walk ends in leaves: nodes that are held and nodes to choose from, all adjacent to one another, such that
every choice makes a clique of its own. So a leaf of n choices stands for C(n, k - held) cliques at once, and
a clique of 200 nodes is one leaf.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

MOST = 2**61  # counts stop here, so that sums of two stay whole


class Space(NamedTuple):
    """Scratch arrays for the walk of one root: d slots, w words a bit mask, at most d + 1 levels."""

    near: np.ndarray  # (d, w) uint64, the slots that each slot is adjacent to
    left: np.ndarray  # (d + 2, w) uint64, slots that may still join, at each level
    todo: np.ndarray  # (d + 2, w) uint64, those of them that will be held in turn
    size: np.ndarray  # (d + 2, 2) int64, how many are held (with the root) and how many can be chosen
    held: np.ndarray  # (k,) int64 slots, from place 1 on
    choice: np.ndarray  # (d + 1,) int64 slots
    chosen: np.ndarray  # (k,) int64 places in `choice`, rising


class Wanted(NamedTuple):
    """Which cliques are asked for, and where they go."""

    ranks: np.ndarray  # (s,) int64, rising: places in the order of the walk
    ksets: np.ndarray  # (s, k) int64


@njit(cache=True, nogil=True)
def degeneracy_rank(indptr, indices):
    """The rank of each node in a degeneracy order, (n,) int64: fewest neighbours left goes first."""
    n = indptr.size - 1
    degree = indptr[1:] - indptr[:-1]
    start = np.zeros(n + 1, np.int64)  # of the nodes with so many neighbours left, in `order`
    for v in range(n):
        start[degree[v] + 1] += 1
    start = np.cumsum(start)[:n]
    order, rank = np.empty(n, np.int64), np.empty(n, np.int64)
    filled = start.copy()
    for v in range(n):
        rank[v] = filled[degree[v]]
        order[rank[v]] = v
        filled[degree[v]] += 1
    for at in range(n):
        v = order[at]
        for u in indices[indptr[v] : indptr[v + 1]]:
            if degree[u] > degree[v]:
                first = start[degree[u]]
                other = order[first]
                order[first], order[rank[u]] = u, other
                rank[other], rank[u] = rank[u], first
                start[degree[u]] = first + 1
                degree[u] -= 1
    return rank


@njit(cache=True, nogil=True)
def later_rows(indptr, indices, rank):
    """The neighbours of higher rank of each node, as rows: `start` (n + 1,) int64 and `later` (e,) int32."""
    start = np.zeros(indptr.size, np.int64)
    later = np.empty(indices.size // 2, np.int32)
    held = 0
    for v in range(rank.size):
        for u in indices[indptr[v] : indptr[v + 1]]:
            if rank[u] > rank[v]:
                later[held] = u
                held += 1
        start[v + 1] = held
    return start, later


@njit(cache=True, nogil=True)
def binomials(n, k):
    """How many ways there are to choose j of i, (n + 1, k + 1) int64, at most `MOST`."""
    ways = np.zeros((n + 1, k + 1), np.int64)
    ways[:, 0] = 1
    for i in range(1, n + 1):
        for j in range(1, k + 1):
            ways[i, j] = min(ways[i - 1, j - 1] + ways[i - 1, j], MOST)
    return ways


@njit(cache=True, nogil=True)
def count_roots(start, later, k, low, high, ways, steps, counts):
    """Write how many k-cliques each node of low..high is the root of, at most `MOST`, into `counts`.

    A root whose walk takes more than `steps` steps has the count -1.
    """
    space = _space(start, k, low, high)
    slot = np.full(start.size - 1, -1, np.int32)
    nothing = Wanted(np.empty(0, np.int64), np.empty((0, k), np.int64))
    none = np.int64(0)  # typed, as in `write_ranks`: for a literal, numba compiles `_walk` once more
    for root in range(low, high):
        _load(start, later, root, slot, space.near)
        counts[root] = _walk(
            space, root, later[start[root] : start[root + 1]], k, ways, none, nothing, none, steps
        )


@njit(cache=True, nogil=True)
def write_ranks(start, later, k, low, high, ways, counts, wanted):
    """Write the wanted cliques; ranks are counted from the first clique of root `low`."""
    space = _space(start, k, low, high)
    slot = np.full(start.size - 1, -1, np.int32)
    base, taken = np.int64(0), np.int64(0)
    for root in range(low, high):
        end = base + counts[root]
        if taken < wanted.ranks.size and wanted.ranks[taken] < end:
            _load(start, later, root, slot, space.near)
            _walk(space, root, later[start[root] : start[root + 1]], k, ways, base, wanted, taken, MOST)
            while taken < wanted.ranks.size and wanted.ranks[taken] < end:
                taken += 1
        base = end


@njit(cache=True, nogil=True)
def _space(start, k, low, high):
    d = 0
    for root in range(low, high):
        d = max(d, start[root + 1] - start[root])
    words = (d + 63) >> 6
    return Space(
        np.empty((d, words), np.uint64),
        np.empty((d + 2, words), np.uint64),
        np.empty((d + 2, words), np.uint64),
        np.empty((d + 2, 2), np.int64),
        np.empty(k, np.int64),
        np.empty(d + 1, np.int64),
        np.empty(k, np.int64),
    )


@njit(cache=True, nogil=True)
def _load(start, later, root, slot, near):
    """Write which of the later neighbours of the root are adjacent; `slot` (n,) holds -1 before and after."""
    nodes = later[start[root] : start[root + 1]]
    for i in range(nodes.size):
        slot[nodes[i]] = i
        near[i, : (nodes.size + 63) >> 6] = 0
    for i in range(nodes.size):
        for u in later[start[nodes[i]] : start[nodes[i] + 1]]:
            j = slot[u]
            if j >= 0:
                near[i, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
                near[j, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    for node in nodes:
        slot[node] = -1


@njit(cache=True, nogil=True)
def _walk(space, root, nodes, k, ways, base, wanted, taken, steps):
    """Count the k-cliques of the root and write the wanted ones from `taken` on; `base` come before it.

    It gives up after so many `steps`: -1.

    At a level, `left` may join what is held and what can be chosen. The slot with the most neighbours in
    `left`, the pivot, becomes a choice for the cliques among these neighbours; the others, not adjacent to
    it, are held in turn, each without those before it. With two nodes to go, a pivot costs more than it
    saves.
    """
    words = (nodes.size + 63) >> 6
    near, left, todo, size = space.near, space.left, space.todo, space.size
    left[0, :words] = ~np.uint64(0)
    if nodes.size & 63:
        left[0, words - 1] = (np.uint64(1) << np.uint64(nodes.size & 63)) - np.uint64(1)
    size[0, 0], size[0, 1] = 1, 0
    met, level, comes_back = np.int64(0), 0, False
    while level >= 0:
        steps -= 1
        if steps < 0:
            return np.int64(-1)
        held, free = size[level, 0], size[level, 1]
        if not comes_back:
            many = np.int64(0)
            for w in range(words):
                many += _ones(left[level, w])
            if held == k - 1 or held + free + many < k:
                if held == k - 1:  # any one of the choices and of those left
                    if wanted.ranks.size:
                        _list_slots(left[level], words, space.choice[free:])
                        taken = _write(space, root, nodes, held, free + many, base + met, wanted, taken, ways)
                    met = min(met + free + many, MOST)
                level -= 1
                comes_back = True
                continue
            if held == k - 2 or many == 0:
                todo[level, :words] = left[level, :words]
            else:
                pivot = _best_pivot(near, left[level], words, many)
                space.choice[free] = pivot
                for w in range(words):
                    todo[level, w] = left[level, w] & ~near[pivot, w]
                    left[level + 1, w] = left[level, w] & near[pivot, w]
                todo[level, pivot >> 6] &= ~(np.uint64(1) << np.uint64(pivot & 63))
                level += 1
                size[level, 0], size[level, 1] = held, free + 1
                continue
        w = 0
        while w < words and todo[level, w] == 0:
            w += 1
        if w == words:
            if not left[level, :words].any():  # without a pivot all were held in turn: choices alone
                if wanted.ranks.size:
                    taken = _write(space, root, nodes, held, free, base + met, wanted, taken, ways)
                met = min(met + ways[free, k - held], MOST)
            level -= 1
            comes_back = True
            continue
        bit = todo[level, w] & (~todo[level, w] + np.uint64(1))
        slot = (w << 6) + _ones(bit - np.uint64(1))
        todo[level, w] ^= bit
        left[level, w] ^= bit
        for w in range(words):
            left[level + 1, w] = left[level, w] & near[slot, w]
        space.held[held] = slot
        level += 1
        size[level, 0], size[level, 1] = held + 1, free
        comes_back = False
    return met


@njit(cache=True, nogil=True)
def _best_pivot(near, left, words, many):
    """The slot of `left` with the most neighbours in it; the first that is adjacent to all others."""
    best, most = np.int64(-1), np.int64(-1)
    for w in range(words):
        rest = left[w]
        while rest:
            slot = (w << 6) + _ones((rest & (~rest + np.uint64(1))) - np.uint64(1))
            rest &= rest - np.uint64(1)
            found = np.int64(0)
            for x in range(words):
                found += _ones(left[x] & near[slot, x])
            if found > most:
                best, most = slot, found
                if most == many - 1:
                    return best
    return best


@njit(cache=True, nogil=True)
def _list_slots(mask, words, slots):
    """Write the slots of a bit mask, rising."""
    found = 0
    for w in range(words):
        rest = mask[w]
        while rest:
            slots[found] = (w << 6) + _ones((rest & (~rest + np.uint64(1))) - np.uint64(1))
            found += 1
            rest &= rest - np.uint64(1)


@njit(cache=True, nogil=True)
def _write(space, root, nodes, held, free, base, wanted, taken, ways):
    """Write the wanted cliques of a leaf, whose first has rank `base`; the place of the next wanted one."""
    k, chosen = wanted.ksets.shape[1], space.chosen
    more = k - held
    end = base + ways[free, more]
    before = np.int64(-2)
    while taken < wanted.ranks.size and wanted.ranks[taken] < end:
        rank = wanted.ranks[taken] - base
        if rank == before + 1:
            i = more - 1
            while chosen[i] == free - more + i:
                i -= 1
            at = chosen[i] + 1
        else:
            i, at, rest = 0, np.int64(0), rank
            for j in range(more - 1):
                while ways[free - 1 - at, more - 1 - j] <= rest:
                    rest -= ways[free - 1 - at, more - 1 - j]
                    at += 1
                chosen[j] = at
                at += 1
            i, at = more - 1, at + rest
        for j in range(i, more):
            chosen[j] = at + j - i
        kset = wanted.ksets[taken]
        kset[0] = root
        for j in range(1, k):
            node = nodes[space.held[j] if j < held else space.choice[chosen[j - held]]]
            at = j
            while at > 0 and kset[at - 1] > node:
                kset[at] = kset[at - 1]
                at -= 1
            kset[at] = node
        before = rank
        taken += 1
    return taken


@njit(cache=True, nogil=True, inline="always")
def _ones(word):
    """How many bits of a word are set; LLVM knows this form and makes it one instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
