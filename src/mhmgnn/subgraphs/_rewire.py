"""Compiled: degree-preserving rewiring by swaps of edge ends."""

import numpy as np

from mhmgnn.runtime.hashtable import EMPTY, REMOVED, find, new_table, pair_code
from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw


@njit(cache=True, nogil=True)
def swap_ends(pairs, order, start, block, tries, stream):
    """Rewire `pairs`, (e, 2), in place by `tries` random swaps: (a, b), (c, d) become (a, d), (c, b).

    The ends b and d must be in the same block, so that the number of edges between two blocks is kept. Entry
    2 i + j is end j of pair i; `order[start[x] : start[x + 1]]` are the entries whose end is in block x.
    Swaps that would make a loop or a repeated edge are skipped.
    """
    n, e = block.size, pairs.shape[0]
    table, where = new_table(e), np.empty(e, np.int64)  # the place of each pair in the table
    _fill(table, where, pairs, n)
    removed = 0
    for _ in range(tries):
        x = draw(stream, 2 * e)
        i, at = x >> 1, x & 1
        b = pairs[i, at]
        low, high = start[block[b]], start[block[b] + 1]
        y = order[low + draw(stream, high - low)]
        j, to = y >> 1, y & 1
        a, c, d = pairs[i, 1 - at], pairs[j, 1 - to], pairs[j, to]
        if i == j or a in (c, d) or b in (c, d):
            continue
        one, other = pair_code(a, d, n), pair_code(c, b, n)
        if table[find(table, one)] == one or table[find(table, other)] == other:
            continue
        table[where[i]] = table[where[j]] = REMOVED
        where[i] = find(table, one)
        table[where[i]] = one
        where[j] = find(table, other)
        table[where[j]] = other
        pairs[i, at], pairs[j, to] = d, b
        removed += 2
        if removed > e:
            _fill(table, where, pairs, n)
            removed = 0


@njit(cache=True, nogil=True)
def _fill(table, where, pairs, n):
    """Clear the table and add all pairs; their places go to `where`."""
    table[:] = EMPTY
    for i in range(len(pairs)):
        code = pair_code(pairs[i, 0], pairs[i, 1], n)
        where[i] = find(table, code)
        table[where[i]] = code
