"""Compiled enumeration of the maximal cliques of a graph (Bron and Kerbosch 1973, with pivots, root by root).

The root of a clique is its node of lowest rank in a degeneracy order. Its other nodes are among the root's
later neighbours, which are slots 0..d-1; sets of slots are bit masks. Earlier neighbours of the root cannot
be in a clique of this root, but one that is adjacent to a whole clique makes it not maximal: each has the
mask of the slots it is adjacent to. Steps are bounded: a root may take a quarter of the remaining ones, and
at least `LEAST`.
"""

from typing import NamedTuple

import numpy as np

from mhmgnn.graph.csr import append_row
from mhmgnn.runtime.jit import njit
from mhmgnn.subgraphs._masks import best_pivot, bit_of, fill, first_slot, load

LEAST = 32  # steps that every root may take


class Space(NamedTuple):
    """Scratch arrays for the search of one root: d slots, w words per bit mask, at most d + 2 levels."""

    near: np.ndarray  # (d, w) uint64, the slots that each slot is adjacent to
    left: np.ndarray  # (d + 2, w) uint64, slots that may still join, at each level
    gone: np.ndarray  # (d + 2, w) uint64, slots that could join but whose cliques were all listed
    todo: np.ndarray  # (d + 2, w) uint64, slots of `left` that are still to be tried
    held: np.ndarray  # (d + 2,) int64, the slots of the clique so far
    clique: np.ndarray  # (d + 2,) int64, its nodes
    before: np.ndarray  # (b, w) uint64, masks of the earlier neighbours
    kept: np.ndarray  # (b,) int64, the earlier neighbours, ordered so that `ahead` counts from the front
    ahead: np.ndarray  # (d + 2,) int64, how many of them are adjacent to the clique, at each level


@njit(cache=True, nogil=True)
def maximal_of_roots(start, later, first, earlier, low, high, steps):
    """Maximal cliques of two and more nodes with roots in low..high: members, offsets, whether these are all.

    `later[start[v] : start[v + 1]]` are the neighbours of v of higher rank, `earlier[first[v] : ...]` others.
    """
    space = _space(start, first, low, high)
    slot = np.full(start.size - 1, -1, np.int32)
    members, offsets = np.empty(1 << 12, np.int64), np.zeros(1 << 10, np.int64)
    count, complete = 0, True
    for root in range(low, high):
        nodes = later[start[root] : start[root + 1]]
        if nodes.size == 0:
            continue
        load(start, later, root, slot, space.near)
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
    """The neighbours of lower rank of each node as rows: offsets, (n + 1,) int64, and nodes, (e,) int32."""
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
        np.empty(d + 2, np.int64),
        np.empty((b, words), np.uint64),
        np.empty(b, np.int64),
        np.empty(d + 2, np.int64),
    )


@njit(cache=True, nogil=True)
def _load_before(start, later, others, nodes, slot, before):
    """Write the mask of the slots that each earlier neighbour is adjacent to; `slot` as in `_masks.load`."""
    words = (nodes.size + 63) >> 6
    for i in range(nodes.size):
        slot[nodes[i]] = i
    for x in range(others.size):
        before[x, :words] = 0
        for u in later[start[others[x]] : start[others[x] + 1]]:
            j = slot[u]
            if j >= 0:
                before[x, j >> 6] |= bit_of(j)
    for node in nodes:
        slot[node] = -1


@njit(cache=True, nogil=True)
def _walk(space, root, nodes, others, most, members, offsets, count):
    """Append the maximal cliques of a root; also returns the steps, above `most` if it was cut short."""
    words = (nodes.size + 63) >> 6
    near, left, gone, todo = space.near, space.left, space.gone, space.todo
    fill(left[0], nodes.size)
    gone[0, :words] = 0
    space.ahead[0] = others
    for x in range(others):
        space.kept[x] = x
    level, steps, comes_back = 0, 0, False
    while level >= 0:
        if not comes_back:
            steps += 1
            if steps > most:
                return members, offsets, count, steps
            empty = not left[level, :words].any()
            if empty and space.ahead[level] == 0 and not gone[level, :words].any():
                space.clique[0] = root
                for i in range(level):
                    space.clique[i + 1] = nodes[space.held[i]]
                members, offsets = append_row(members, offsets, count, space.clique[: level + 1])
                count += 1
            if empty or _none_left(space, level, words):
                level -= 1
                comes_back = True
                continue
            pivot = best_pivot(near, left[level], gone[level], words, nodes.size)
            for w in range(words):
                todo[level, w] = left[level, w] & ~near[pivot, w]
        slot = first_slot(todo, level, words)
        if slot < 0:
            level -= 1
            comes_back = True
            continue
        todo[level, slot >> 6] ^= bit_of(slot)
        left[level, slot >> 6] ^= bit_of(slot)
        for x in range(words):
            left[level + 1, x] = left[level, x] & near[slot, x]
            gone[level + 1, x] = gone[level, x] & near[slot, x]
        gone[level, slot >> 6] |= bit_of(slot)
        space.held[level] = slot
        space.ahead[level + 1] = _keep(space, level, slot)
        level += 1
        comes_back = False
    return members, offsets, count, steps


@njit(cache=True, nogil=True)
def _keep(space, level, slot):
    """Move the earlier neighbours that are adjacent to the slot to the front; returns their number."""
    kept, word, bit = space.kept, slot >> 6, bit_of(slot)
    found = 0
    for i in range(space.ahead[level]):
        if space.before[kept[i], word] & bit:
            kept[found], kept[i] = kept[i], kept[found]
            found += 1
    return found


@njit(cache=True, nogil=True)
def _none_left(space, level, words):
    """Whether an earlier neighbour is adjacent to all slots that may join, so that no clique is maximal."""
    for i in range(space.ahead[level]):
        every = True
        for w in range(words):
            if space.left[level, w] & ~space.before[space.kept[i], w]:
                every = False
                break
        if every:
            return True
    return False
