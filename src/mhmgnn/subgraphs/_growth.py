"""Compiled: connected k-sets grown edge by edge, and the exact chance that each is grown."""

from typing import NamedTuple

import numpy as np

from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw, seed_streams, uniform
from mhmgnn.subgraphs._ksets import DEGREE, LINK, NODE, START, edge_code, has_edge, load


class Starts(NamedTuple):
    """How the first pair is drawn: a node, then one of its neighbours, uniformly."""

    reach: np.ndarray  # (n,) float64, the chance of a node, added to those of the nodes before it
    each: np.ndarray  # (n,) float64, the chance of a node divided by its degree: that of one of its entries


class Grown(NamedTuple):
    """Where the sets are written."""

    ksets: np.ndarray  # (s, k) int64, rows sorted
    weights: np.ndarray  # (s,) float64: 1 / the chance that the set is grown
    shapes: np.ndarray  # (s,) int64 by `shape_of`; 0 where all are counted as one


class Room(NamedTuple):
    """Memory for the subsets of one set, each in the place of its bits."""

    own: np.ndarray  # (k,) float64: an adjacent pair is the first with chance own[i] + own[j]
    bits: np.ndarray  # (2^k,) int64, nodes in the subset
    near: np.ndarray  # (2^k,) int64, mask of the slots adjacent to it
    leaving: np.ndarray  # (2^k,) int64, edges of the graph that leave it
    chance: np.ndarray  # (2^k,) float64


@njit(cache=True, nogil=True)
def room_for(k):
    """Memory for the subsets of k nodes."""
    size = 1 << k
    bits = np.zeros(size, np.int64)
    for subset in range(1, size):
        bits[subset] = bits[subset >> 1] + (subset & 1)
    return Room(np.empty(k), bits, np.zeros(size, np.int64), np.zeros(size, np.int64), np.empty(size))


@njit(cache=True, nogil=True)
def grow(rows, starts, key, first, shape_of, grown):
    """Grow a set from the stream of each number from `first` on; the trials that it took."""
    k = grown.ksets.shape[1]
    state, room = np.empty((4, k), np.int64), room_for(k)
    streams = np.empty((grown.weights.size, 2), np.uint64)
    seed_streams(streams, key, np.arange(first, first + streams.shape[0]))
    trials = np.int64(0)
    for row in range(streams.shape[0]):
        trials += grow_one(rows, starts, state, streams[row])
        grown.ksets[row] = state[NODE]
        grown.ksets[row].sort()
        grown.weights[row] = 1.0 / chance_of(state, starts.each, room)
        grown.shapes[row] = shape_of[edge_code(state[LINK])] if shape_of.size else 0
    return trials


@njit(cache=True, nogil=True)
def grow_one(rows, starts, state, stream):
    """Grow a set into `state`, each time by a uniform edge that leaves it; the trials that it took.

    A trial is a uniform entry of the rows of its nodes, refused where it leads to one of them. The component
    of the first node must have k nodes, or there is no end.
    """
    nodes, links, start, degree = state[NODE], state[LINK], state[START], state[DEGREE]
    node = np.int64(np.searchsorted(starts.reach, uniform(stream), side="right"))
    links[:] = 0
    entries = np.int64(0)
    trials = 0
    for held in range(nodes.size):
        waiting = held > 0
        while waiting:
            trials += 1
            entry = draw(stream, entries)
            i = 0
            while entry >= degree[i]:
                entry -= degree[i]
                i += 1
            node = np.int64(rows.indices[start[i] + entry])
            waiting = (nodes[:held] == node).any()
        nodes[held] = node
        start[held] = rows.indptr[node]
        degree[held] = rows.indptr[node + 1] - rows.indptr[node]
        entries += degree[held]
        for j in range(held):
            if has_edge(rows, start[j], degree[j], nodes[j], node):
                links[j] |= np.int64(1) << held
                links[held] |= np.int64(1) << j
    return trials


@njit(cache=True, nogil=True)
def chances(rows, ksets, each):
    """The chance that each set is grown, (s,), where a pair (u, v) is the first with each[u] + each[v]."""
    found = np.empty(ksets.shape[0])
    state, room = np.empty((4, ksets.shape[1]), np.int64), room_for(ksets.shape[1])
    for row in range(ksets.shape[0]):
        load(rows, ksets[row], state)
        found[row] = chance_of(state, each, room)
    return found


@njit(cache=True, nogil=True)
def chance_of(state, each, room):
    """The chance that the set in `state` is grown: each connected subset hands its own on to larger ones."""
    links, degree, k = state[LINK], state[DEGREE], state.shape[1]
    bits, near, leaving, chance = room.bits, room.near, room.leaving, room.chance
    for i in range(k):
        room.own[i] = each[state[NODE, i]]
    chance[:] = 0.0
    everything = (1 << k) - 1
    for subset in range(1, everything):
        low = bits[(subset & -subset) - 1]
        rest = subset & (subset - 1)
        near[subset] = near[rest] | links[low]
        leaving[subset] = leaving[rest] + degree[low] - 2 * bits[links[low] & rest]
        if rest == 0:  # one node: the pairs with slots above it
            for high in range(low + 1, k):
                if (links[low] >> high) & 1:
                    chance[subset | (1 << high)] = room.own[low] + room.own[high]
        elif chance[subset] > 0.0:
            onward = chance[subset] / leaving[subset]
            joins = near[subset] & ~subset
            for v in range(k):
                if (joins >> v) & 1:
                    chance[subset | (1 << v)] += onward * bits[links[v] & subset]
    return chance[everything]
