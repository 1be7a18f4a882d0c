"""Compiled: the nodes in the rows of a set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.graph.csr import first_from, place
from mhmgnn.runtime.jit import njit

INSIDE = -(2**30)  # initial `times` of a member, so that members never count as nodes around


class Scratch(NamedTuple):
    """What a thread works on; clearing it would take longer than few sets do, so it is kept between calls."""

    times: np.ndarray  # (n,) int32: number of members that a node is adjacent to; all zero between sets
    least: np.ndarray  # (n,) float32: the smallest of its counts with them
    met: np.ndarray  # (n,) int32: the nodes found, in order of discovery
    hubs: np.ndarray  # (n,) int32: for each of `met`, how many searched rows hold it
    marks: np.ndarray  # (n,) uint8: how many marked hubs a node is adjacent to; all zero between calls

    @classmethod
    def empty(cls, n: int) -> Scratch:
        """For a graph of n nodes; memory is taken as nodes are met."""
        found = np.empty(n, np.float32), np.empty(n, np.int32), np.empty(n, np.int32)
        return cls(np.zeros(n, np.int32), *found, np.zeros(n, np.uint8))


@njit(cache=True, nogil=True)
def meet(indptr, indices, weights, ordered, walked, scratch):
    """Write the nodes in the rows of a set and how many rows hold each to `scratch`; returns their number.

    The members themselves come first. Rows of the first `walked` members are scanned, the others searched.
    """
    times, least, met, hubs, _ = scratch
    held = ordered.size
    for t in range(held):
        met[t] = ordered[t]
        times[ordered[t]] = INSIDE
        hubs[t] = 0
    for u in ordered[:walked]:
        for x in range(indptr[u], indptr[u + 1]):
            v = indices[x]
            if times[v] == 0:
                met[held] = v
                hubs[held] = 0
                held += 1
                if weights.size:
                    least[v] = weights[x]
            times[v] += 1
            if weights.size:
                least[v] = min(least[v], weights[x])
    for u in ordered[walked:]:
        at, before = indptr[u], -1
        for t in range(held):
            v = met[t]
            if (indptr[v + 1] - indptr[v]) * held < indptr[u + 1] - indptr[u]:
                entry = place(indptr, indices, v, u)
            else:
                at = leap(indices, at if v > before else indptr[u], indptr[u + 1], v)  # rows are sorted
                before = v
                entry = at if at < indptr[u + 1] and indices[at] == v else np.int64(-1)
            if entry >= 0:
                times[v] += 1
                hubs[t] += 1
                if weights.size:
                    least[v] = min(least[v], weights[entry])
    return held


@njit(cache=True, nogil=True)
def leap(indices, low, high, node):
    """`csr.first_from` by galloping search, which is fast if the result is near `low`."""
    step = 1
    while low + step < high and indices[low + step] < node:
        low += step
        step *= 2
    return first_from(indices, low, min(low + step + 1, high), node)
