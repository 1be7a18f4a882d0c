"""Compiled: a set of whole numbers from 0 on, as a hash table with open addressing."""

import numpy as np

from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import mix

EMPTY, REMOVED = -1, -2


@njit(cache=True, nogil=True)
def new_table(codes):
    """An empty table with room for `codes` numbers, and as many removed ones; its size is a power of two."""
    places = 16
    while places < 4 * codes:
        places *= 2
    return np.full(places, EMPTY, np.int64)


@njit(cache=True, nogil=True)
def find(table, code):
    """The place of a number in the table, or the empty place to write it to."""
    last = np.uint64(table.size - 1)
    at = mix(np.uint64(code)) & last
    while table[at] != EMPTY and table[at] != code:
        at = (at + np.uint64(1)) & last
    return np.int64(at)


@njit(cache=True, nogil=True)
def add(table, code):
    """Add a number; whether it is new."""
    at = find(table, code)
    is_new = table[at] == EMPTY
    table[at] = code
    return is_new


@njit(cache=True, nogil=True, inline="always")
def pair_code(u, v, n):
    """The number of the pair of two nodes below n, in either order."""
    return min(u, v) * n + max(u, v)
