"""Compiled counting and listing of k-cliques, many at a time (pivoting, after Jain and Seshadhri, 2020).

The root of a clique is its node of lowest rank; its other nodes are among the root's later neighbours, which
are few if ranks follow a degeneracy order. These are slots 0..d-1; sets of slots are bit masks. The search
ends in leaves: held nodes and free nodes, all adjacent to one another, such that every choice of free nodes
makes a different clique. So a leaf with n free nodes stands for C(n, k - held) cliques at once, and a clique
of 200 nodes is one leaf.
"""

from typing import NamedTuple

import numpy as np

from mhmgnn.runtime.jit import njit
from mhmgnn.subgraphs._masks import best_pivot, bit_of, fill, first_slot, list_slots, load, ones

MOST = 2**61  # counts are capped here, so that the sum of two does not overflow


class Space(NamedTuple):
    """Scratch arrays for the search of one root: d slots, w words per bit mask, at most d + 1 levels."""

    near: np.ndarray  # (d, w) uint64, the slots that each slot is adjacent to
    left: np.ndarray  # (d + 2, w) uint64, slots that may still join, at each level
    todo: np.ndarray  # (d + 2, w) uint64, slots of `left` that are still to be held in turn
    size: np.ndarray  # (d + 2, 2) int64, the numbers of held nodes (with the root) and of free ones
    held: np.ndarray  # (k,) int64, the held slots, from index 1 on
    choice: np.ndarray  # (d + 1,) int64, the free slots
    chosen: np.ndarray  # (k,) int64, ascending indices into `choice`


class Wanted(NamedTuple):
    """The cliques that are asked for, by rank, and where to write them."""

    ranks: np.ndarray  # (s,) int64, ascending: positions in the order of the search
    ksets: np.ndarray  # (s, k) int64


@njit(cache=True, nogil=True)
def degeneracy_rank(indptr, indices):
    """The rank of each node in a degeneracy order, (n,) int64: the node of least remaining degree is next."""
    n = indptr.size - 1
    degree = indptr[1:] - indptr[:-1]
    start = np.zeros(n + 1, np.int64)  # where the nodes of each remaining degree begin in `order`
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
    """Binomial coefficients i over j, (n + 1, k + 1) int64, capped at `MOST`."""
    ways = np.zeros((n + 1, k + 1), np.int64)
    ways[:, 0] = 1
    for i in range(1, n + 1):
        for j in range(1, k + 1):
            ways[i, j] = min(ways[i - 1, j - 1] + ways[i - 1, j], MOST)
    return ways


@njit(cache=True, nogil=True)
def count_roots(start, later, k, low, high, ways, steps, counts):
    """Write to `counts` the number of k-cliques with each root in low..high, capped at `MOST`.

    A root whose search takes more than `steps` steps gets -1.
    """
    space = _space(start, k, low, high)
    slot = np.full(start.size - 1, -1, np.int32)
    nothing = Wanted(np.empty(0, np.int64), np.empty((0, k), np.int64))
    for root in range(low, high):
        load(start, later, root, slot, space.near)
        counts[root] = _walk(space, root, later[start[root] : start[root + 1]], k, ways, 0, nothing, 0, steps)


@njit(cache=True, nogil=True)
def write_ranks(start, later, k, low, high, ways, counts, wanted):
    """Write the wanted cliques; ranks are counted from the first clique of root `low`."""
    space = _space(start, k, low, high)
    slot = np.full(start.size - 1, -1, np.int32)
    base, taken = np.int64(0), 0
    for root in range(low, high):
        end = base + counts[root]
        if taken < wanted.ranks.size and wanted.ranks[taken] < end:
            load(start, later, root, slot, space.near)
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
def _walk(space, root, nodes, k, ways, base, wanted, taken, steps):
    """The number of k-cliques of the root, -1 if it takes more than `steps`; the wanted ones are written.

    `base` cliques come before those of this root, and `taken` wanted ones were written before.

    At each level, `left` are the slots adjacent to all held and free ones. The slot with the most neighbours
    in `left`, the pivot, becomes free for the cliques among its neighbours; its non-neighbours are held in
    turn, each without those before it. With two nodes to go, a pivot costs more than it saves.
    """
    words = (nodes.size + 63) >> 6
    near, left, todo, size = space.near, space.left, space.todo, space.size
    fill(left[0], nodes.size)
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
                many += ones(left[level, w])
            if held == k - 1 or held + free + many < k:
                if held == k - 1:  # each free slot and each one left completes a clique
                    if wanted.ranks.size:
                        list_slots(left[level], words, space.choice[free:])
                        taken = _write(space, root, nodes, held, free + many, base + met, wanted, taken, ways)
                    met = min(met + free + many, MOST)
                level -= 1
                comes_back = True
                continue
            if held == k - 2 or many == 0:
                todo[level, :words] = left[level, :words]
            else:
                pivot = best_pivot(near, left[level], left[level], words, many - 1)
                space.choice[free] = pivot
                for w in range(words):
                    todo[level, w] = left[level, w] & ~near[pivot, w]
                    left[level + 1, w] = left[level, w] & near[pivot, w]
                todo[level, pivot >> 6] &= ~bit_of(pivot)
                level += 1
                size[level, 0], size[level, 1] = held, free + 1
                continue
        slot = first_slot(todo, level, words)
        if slot < 0:
            if not left[level, :words].any():  # nothing is left: cliques of held and free slots only
                if wanted.ranks.size:
                    taken = _write(space, root, nodes, held, free, base + met, wanted, taken, ways)
                met = min(met + ways[free, k - held], MOST)
            level -= 1
            comes_back = True
            continue
        todo[level, slot >> 6] ^= bit_of(slot)
        left[level, slot >> 6] ^= bit_of(slot)
        for w in range(words):
            left[level + 1, w] = left[level, w] & near[slot, w]
        space.held[held] = slot
        level += 1
        size[level, 0], size[level, 1] = held + 1, free
        comes_back = False
    return met


@njit(cache=True, nogil=True)
def _write(space, root, nodes, held, free, base, wanted, taken, ways):
    """Write the wanted cliques of a leaf, whose first has rank `base`; returns the new `taken`."""
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
