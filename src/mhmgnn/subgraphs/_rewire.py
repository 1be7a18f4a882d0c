"""Compiled: pairs swapped so that all degrees, and how often communities meet, stay as they were."""

import numpy as np
from numba import njit

from mhmgnn.runtime.rng import draw, mix


@njit(cache=True, nogil=True)
def swap_ends(pairs, order, start, block, tries, stream):
    """Rewire `pairs` (e, 2) in place: (a, b), (c, d) become (a, d), (c, b) where b and d share a block.

    Entry 2 i + j is the end j of pair i; `order[start[x] : start[x + 1]]` are the entries whose end lies in
    block x. Swaps that would make a loop, or a pair twice, are left out.
    """
    n, e = block.size, pairs.shape[0]
    table = np.full(_places(e), -1, np.int64)
    where = np.empty(e, np.int64)  # the slot of each pair
    for i in range(e):
        where[i] = _put(table, _code(pairs[i, 0], pairs[i, 1], n))
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
        one, other = _code(a, d, n), _code(c, b, n)
        if _holds(table, one) or _holds(table, other):
            continue
        table[where[i]] = table[where[j]] = -2
        where[i], where[j] = _put(table, one), _put(table, other)
        pairs[i, at], pairs[j, to] = d, b
        removed += 2
        if removed > e:
            table[:] = -1
            for k in range(e):
                where[k] = _put(table, _code(pairs[k, 0], pairs[k, 1], n))
            removed = 0


@njit(cache=True, nogil=True, inline="always")
def _code(u, v, n):
    return min(u, v) * n + max(u, v)


@njit(cache=True, nogil=True)
def _places(codes):
    """A power of two with room for so many codes, and as many that were removed."""
    places = 16
    while places < 4 * codes:
        places *= 2
    return places


@njit(cache=True, nogil=True)
def _put(table, code):
    """Write a code that the table does not hold; its place."""
    last = np.uint64(table.size - 1)
    at = mix(np.uint64(code)) & last
    while table[at] != -1:
        at = (at + np.uint64(1)) & last
    table[at] = code
    return np.int64(at)


@njit(cache=True, nogil=True)
def _holds(table, code):
    """Whether the table holds a code; -1 is empty, -2 was removed."""
    last = np.uint64(table.size - 1)
    at = mix(np.uint64(code)) & last
    while table[at] != -1 and table[at] != code:
        at = (at + np.uint64(1)) & last
    return table[at] == code
