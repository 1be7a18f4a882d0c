"""Compiled walk over the maximal cliques of a graph (Bron and Kerbosch 1973, with pivots, root by root).

A clique belongs to its node of lowest rank in a degeneracy order, its root. Its other nodes are slots 0..d-1,
the root's later neighbours, and sets of slots bit masks. Nodes before the root that are adjacent to it cannot
join a clique of this root, but are what makes it not maximal: each has the mask of the slots it is adjacent
to. Steps are bounded: a root may take a quarter of those that are left, and `LEAST` in any case.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from mhmgnn.subgraphs._cliques import _load, _ones

LEAST = 32  # steps of a root


class Space(NamedTuple):
    """What the walk of one root writes on: d slots, w words a bit mask, at most d + 2 levels."""

    near: np.ndarray  # (d, w) uint64, the slots that each slot is adjacent to
    left: np.ndarray  # (d + 2, w) uint64, slots that may still join, at each level
    gone: np.ndarray  # (d + 2, w) uint64, slots that could join, whose cliques were all met
    todo: np.ndarray  # (d + 2, w) uint64, those of `left` that join in turn
    held: np.ndarray  # (d + 2,) int64 slots
    before: np.ndarray  # (b, w) uint64, masks of the earlier neighbours
    kept: (
        np.ndarray
    )  # (b,) int64, earlier neighbours: the first `ahead[level]` are adjacent to all that is held
    ahead: np.ndarray  # (d + 2,) int64


@njit(cache=True, nogil=True)
def maximal_of_roots(start, later, first, earlier, low, high, steps):
    """Maximal cliques of two and more nodes with roots in low..high: members, offsets, and whether all.

    `later[start[v] : start[v + 1]]` are the neighbours of v of higher rank, `earlier[first[v] : ...]` others.
    """
    space = _space(start, first, low, high)
    slot = np.full(start.size - 1, -1, np.int32)
    members, offsets = np.empty(1 << 12, np.int64), np.zeros(1 << 10, np.int64)
    count, complete = np.int64(0), True  # typed: for a literal, numba compiles `_walk` once more
    for root in range(low, high):
        nodes = later[start[root] : start[root + 1]]
        if nodes.size == 0:
            continue
        _load(start, later, root, slot, space.near)
        _load_before(start, later, earlier[first[root] : first[root + 1]], nodes, slot, space.before)
        most = max(LEAST, steps // 4)
        members, offsets, count, taken = _walk(
            space, root, nodes, first[root + 1] - first[root], most, members, offsets, count
        )
        steps -= min(taken, steps)
        complete &= taken <= most
    return members[: offsets[count]].copy(), offsets[: count + 1].copy(), complete


@njit(cache=True, nogil=True)
def earlier_rows(start, later):
    """The neighbours of lower rank of each node: where they start, (n + 1,) int64, and they, (e,) int32."""
    n = start.size - 1
    first = np.zeros(n + 1, np.int64)
    for u in later:
        first[u + 1] += 1
    first = np.cumsum(first)
    at, earlier = first[:-1].copy(), np.empty(later.size, np.int32)
    for v in range(n):
        for u in later[start[v] : start[v + 1]]:
            earlier[at[u]] = v
            at[u] += 1
    return first, earlier


@njit(cache=True, nogil=True)
def _space(start, first, low, high):
    d, b = 0, 0
    for root in range(low, high):
        d = max(d, start[root + 1] - start[root])
        b = max(b, first[root + 1] - first[root])
    words = max((d + 63) >> 6, 1)
    return Space(
        np.empty((d, words), np.uint64),
        np.empty((d + 2, words), np.uint64),
        np.empty((d + 2, words), np.uint64),
        np.empty((d + 2, words), np.uint64),
        np.empty(d + 2, np.int64),
        np.empty((b, words), np.uint64),
        np.empty(b, np.int64),
        np.empty(d + 2, np.int64),
    )


@njit(cache=True, nogil=True)
def _load_before(start, later, others, nodes, slot, before):
    """Write which slots each earlier neighbour is adjacent to; `slot` (n,) holds -1 before and after."""
    words = (nodes.size + 63) >> 6
    for i in range(nodes.size):
        slot[nodes[i]] = i
    for x in range(others.size):
        before[x, :words] = 0
        for u in later[start[others[x]] : start[others[x] + 1]]:
            j = slot[u]
            if j >= 0:
                before[x, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
    for node in nodes:
        slot[node] = -1


@njit(cache=True, nogil=True)
def _walk(space, root, nodes, others, most, members, offsets, count):
    """Append the maximal cliques of a root and count the steps: more than `most` if these were not enough."""
    words = (nodes.size + 63) >> 6
    near, left, gone, todo = space.near, space.left, space.gone, space.todo
    left[0, :words] = ~np.uint64(0)
    if nodes.size & 63:
        left[0, words - 1] = (np.uint64(1) << np.uint64(nodes.size & 63)) - np.uint64(1)
    gone[0, :words] = 0
    space.ahead[0] = others
    for x in range(others):
        space.kept[x] = x
    level, steps, comes_back = np.int64(0), 0, False
    while level >= 0:
        if not comes_back:
            steps += 1
            if steps > most:
                return members, offsets, count, steps
            empty = not left[level, :words].any()
            if empty and space.ahead[level] == 0 and not gone[level, :words].any():
                members, offsets = _append(members, offsets, count, root, nodes, space.held[:level])
                count += 1
            if empty or _none_left(space, level, words):
                level -= 1
                comes_back = True
                continue
            pivot = _pivot(near, left[level], gone[level], words)
            for w in range(words):
                todo[level, w] = left[level, w] & ~near[pivot, w]
        w = 0
        while w < words and todo[level, w] == 0:
            w += 1
        if w == words:
            level -= 1
            comes_back = True
            continue
        bit = todo[level, w] & (~todo[level, w] + np.uint64(1))
        slot = (w << 6) + _ones(bit - np.uint64(1))
        todo[level, w] ^= bit
        left[level, w] ^= bit
        for x in range(words):
            left[level + 1, x] = left[level, x] & near[slot, x]
            gone[level + 1, x] = gone[level, x] & near[slot, x]
        gone[level, w] |= bit
        space.held[level] = slot
        space.ahead[level + 1] = _keep(space, level, slot)
        level += 1
        comes_back = False
    return members, offsets, count, steps


@njit(cache=True, nogil=True)
def _keep(space, level, slot):
    """Bring the earlier neighbours that are adjacent to the slot to the front; how many there are."""
    kept, word, bit = space.kept, slot >> 6, np.uint64(1) << np.uint64(slot & 63)
    found = 0
    for i in range(space.ahead[level]):
        if space.before[kept[i], word] & bit:
            kept[found], kept[i] = kept[i], kept[found]
            found += 1
    return found


@njit(cache=True, nogil=True)
def _none_left(space, level, words):
    """Whether an earlier neighbour is adjacent to all that may still join: no clique here is maximal."""
    for i in range(space.ahead[level]):
        every = True
        for w in range(words):
            if space.left[level, w] & ~space.before[space.kept[i], w]:
                every = False
                break
        if every:
            return True
    return False


@njit(cache=True, nogil=True)
def _pivot(near, left, gone, words):
    """The slot that may join, or could have, with the most neighbours in `left`."""
    best, most = np.int64(-1), np.int64(-1)
    for w in range(words):
        rest = left[w] | gone[w]
        while rest:
            slot = (w << 6) + _ones((rest & (~rest + np.uint64(1))) - np.uint64(1))
            rest &= rest - np.uint64(1)
            found = np.int64(0)
            for x in range(words):
                found += _ones(left[x] & near[slot, x])
            if found > most:
                best, most = slot, found
    return best


@njit(cache=True, nogil=True)
def _append(members, offsets, count, root, nodes, held):
    """Write root and held slots as a set behind the first `count`, sorted; the arrays, longer if full."""
    begin, size = offsets[count], held.size + 1
    if begin + size > members.size:
        members = np.concatenate((members, np.empty(members.size + size, np.int64)))
    if count + 2 > offsets.size:
        offsets = np.concatenate((offsets, np.zeros(offsets.size, np.int64)))
    members[begin] = root
    for i in range(held.size):
        members[begin + 1 + i] = nodes[held[i]]
    members[begin : begin + size] = np.sort(members[begin : begin + size])
    offsets[count + 1] = begin + size
    return members, offsets
