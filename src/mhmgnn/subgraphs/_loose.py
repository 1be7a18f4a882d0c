"""Compiled: random connected sets, near cliques or anywhere."""

import numpy as np

from mhmgnn.graph.csr import place
from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw

TRIES = 4  # members that are left out one after another, until some node is adjacent to all others


@njit(cache=True, nogil=True)
def near_cliques(indptr, indices, cliques, stream):
    """Each of the cliques (s, j) with a node that is adjacent to all of it but one, (s, j + 1).

    The node is uniform among those that are not adjacent to one member, drawn at random, and adjacent to the
    others. Rows of cliques around which there is none have -1 first.
    """
    j = cliques.shape[1]
    out = np.empty((cliques.shape[0], j + 1), np.int64)
    others = np.empty(j - 1, np.int64)
    for i in range(out.shape[0]):
        out[i, :j] = cliques[i]
        found = -1
        for _ in range(TRIES):
            left_out = draw(stream, j)
            held = 0
            for a in range(j):
                if a != left_out:
                    others[held] = cliques[i, a]
                    held += 1
            found = _adjacent_to(indptr, indices, others, cliques[i, left_out], stream)
            if found >= 0:
                break
        out[i, j] = found
        out[i].sort()
    return out


@njit(cache=True, nogil=True)
def _adjacent_to(indptr, indices, others, left_out, stream):
    """A uniform node that is adjacent to all of `others` and not to `left_out`; -1 where there is none."""
    short = others[0]
    for u in others:
        if indptr[u + 1] - indptr[u] < indptr[short + 1] - indptr[short]:
            short = u
    found, met = -1, 0
    for x in range(indptr[short], indptr[short + 1]):
        v = indices[x]
        if v == left_out or place(indptr, indices, v, left_out) >= 0:
            continue
        every = True
        for u in others:
            every = every and (u == short or place(indptr, indices, v, u) >= 0)
        if every:
            met += 1
            if draw(stream, met) == 0:
                found = v
    return found


@njit(cache=True, nogil=True)
def connected_sets(indptr, indices, k, wanted, stream):
    """Random connected sets, (wanted, k): a uniform pair, then neighbours of random members.

    Rows that came to no end in a component of fewer nodes have -1 first.
    """
    out = np.full((wanted, k), -1, np.int64)
    for i in range(wanted):
        entry = draw(stream, indices.size)
        out[i, 0] = np.searchsorted(indptr, entry, side="right") - 1
        out[i, 1] = indices[entry]
        size = 2
        for _ in range(8 * k):
            if size == k:
                break
            u = out[i, draw(stream, size)]
            v = indices[indptr[u] + draw(stream, indptr[u + 1] - indptr[u])]
            if not (out[i, :size] == v).any():
                out[i, size] = v
                size += 1
        out[i].sort()
    return out
