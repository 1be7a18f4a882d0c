"""Compiled random pairs of nodes that are not adjacent, and rows with them added."""

import numpy as np

from mhmgnn.graph.csr import place
from mhmgnn.runtime.hashtable import EMPTY, find, new_table, pair_code
from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw


@njit(cache=True, nogil=True)
def draw_pairs(indptr, indices, stream, codes):
    """Fill `codes` with i * n + j of distinct uniform pairs i < j that are not adjacent, by rejection."""
    n = indptr.size - 1
    table, held = new_table(codes.size), 0
    while held < codes.size:
        i, j = draw(stream, n), draw(stream, n - 1)
        j += j >= i
        code = pair_code(i, j, n)
        at = find(table, code)
        if table[at] == EMPTY and place(indptr, indices, i, j) < 0:
            table[at] = code
            codes[held] = code
            held += 1


@njit(cache=True, nogil=True)
def pick_pairs(indptr, indices, missing, stream, codes):
    """Fill `codes` likewise, by listing the `missing` pairs that are not adjacent."""
    n = indptr.size - 1
    listed = np.empty(missing, np.int64)
    held = 0
    for i in range(n):
        at = indptr[i]
        for j in range(n):
            if at < indptr[i + 1] and indices[at] == j:
                at += 1
            elif j > i:
                listed[held] = i * n + j
                held += 1
    for i in range(codes.size):
        swap = i + draw(stream, missing - i)
        codes[i], listed[swap] = listed[swap], listed[i]


@njit(cache=True, nogil=True)
def insert(row, held, node):
    """Add a node to the first `held` entries of a row, which are sorted and stay so."""
    at = held
    while at > 0 and row[at - 1] > node:
        row[at] = row[at - 1]
        at -= 1
    row[at] = node


@njit(cache=True, nogil=True)
def add_edges(indptr, indices, codes):
    """The rows (indptr, indices) with the edges i * n + j of `codes` added."""
    n = indptr.size - 1
    held = np.zeros(n, np.int64)
    for code in codes:
        held[code // n] += 1
        held[code % n] += 1
    new_indptr = np.zeros(n + 1, np.int64)
    new = np.empty(indices.size + 2 * codes.size, np.int32)
    for i in range(n):
        degree = indptr[i + 1] - indptr[i]
        for at in range(degree):
            new[new_indptr[i] + at] = indices[indptr[i] + at]
        new_indptr[i + 1] = new_indptr[i] + degree + held[i]
        held[i] = degree
    for code in codes:
        i, j = code // n, code % n
        insert(new[new_indptr[i] :], held[i], j)
        insert(new[new_indptr[j] :], held[j], i)
        held[i] += 1
        held[j] += 1
    return new_indptr, new
