"""The compiled walk on the k-HON: steps by rejection, and tours that can pause."""

from typing import NamedTuple

import numpy as np

from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw
from mhmgnn.subgraphs._home import find, node_key
from mhmgnn.subgraphs._ksets import (
    DEGREE,
    LINK,
    NODE,
    START,
    can_swap,
    edge_code,
    free_nodes,
    has_edge,
    load,
    swap,
)

PHASE, STEPS, WORK = 0, 1, 2  # columns of `Lanes.account`
AT_HOME, OUT, BACK = 0, 1, 2  # phases of a tour
TRIES = 100  # to find a node that is not in the set yet


class Lanes(NamedTuple):
    """Tours under way, one a lane; a lane that pauses goes on where it stopped."""

    state: np.ndarray  # (l, 4, k) int64
    stream: np.ndarray  # (l, 2) uint64, the state of the tour's own random stream
    key: np.ndarray  # (l,) uint64
    account: np.ndarray  # (l, 3) int64: phase, steps, trials


class Record(NamedTuple):
    """Where the walk writes what it meets: sums by shape (l, shapes), or the k-sets themselves."""

    shape_of: np.ndarray  # (2^(k(k-1)/2),) int16 class of each edge code; empty where all are counted as one
    totals: np.ndarray  # (l, shapes) float64; empty when the k-sets are wanted
    ksets: np.ndarray  # (l, room, k) int64; empty when totals are wanted
    weights: np.ndarray  # (l, room) float64


@njit(cache=True, nogil=True)
def propose(rows, state, stream):
    """A uniform neighbour of C, by rejection: the slot that leaves, the node that joins, its mask, trials T.

    T / (k D) is an unbiased estimate of 1 / |N(C)|, and independent of the neighbour.
    """
    nodes, start, degree = state[NODE], state[START], state[DEGREE]
    k = nodes.size
    total = degree.sum()
    trials = 0
    while True:
        trials += 1
        entry = draw(stream, k * total)
        u = entry // total
        entry -= u * total
        i = 0
        while entry >= degree[i]:
            entry -= degree[i]
            i += 1
        v = np.int64(rows.indices[start[i] + entry])
        refused = False
        for j in range(k):
            refused |= nodes[j] == v
        if refused:
            continue
        for j in range(i):
            if has_edge(rows, start[j], degree[j], nodes[j], v):
                refused = True
                break
        if refused:
            continue
        m = np.int64(1) << i
        for j in range(i + 1, k):
            if has_edge(rows, start[j], degree[j], nodes[j], v):
                m |= np.int64(1) << j
        if can_swap(state[LINK], u, m):
            return u, v, m, trials


@njit(cache=True, nogil=True)
def wander(rows, ksets, streams, each):
    """`each` uniform neighbours of every k-set, (s, each, k) int64, rows sorted; repeats may occur."""
    found = np.empty((ksets.shape[0], each, ksets.shape[1]), np.int64)
    state = np.empty((4, ksets.shape[1]), np.int64)
    for row in range(ksets.shape[0]):
        load(rows, ksets[row], state)
        for i in range(each):
            u, v, _, _ = propose(rows, state, streams[row])
            found[row, i] = ksets[row]
            found[row, i, u] = v
            found[row, i].sort()
    return found


@njit(cache=True, nogil=True)
def scatter(rows, streams, k):
    """A connected k-set from each stream, (s, k) int64, rows sorted; fewer if components are small.

    It begins with a uniform edge; then a uniform entry of its nodes' rows joins, until there are k.
    """
    found = np.empty((streams.shape[0], k), np.int64)
    kept = 0
    for row in range(streams.shape[0]):
        kset, stream = found[kept], streams[row]
        entry = draw(stream, rows.indices.size)
        kset[0] = np.searchsorted(rows.indptr, entry, side="right") - 1
        kset[1] = rows.indices[entry]
        held, left = 2, TRIES
        total = np.int64(0)
        for node in kset[:2]:
            total += rows.indptr[node + 1] - rows.indptr[node]
        while held < k and left:
            left -= 1
            entry = draw(stream, total)
            i = 0
            while entry >= rows.indptr[kset[i] + 1] - rows.indptr[kset[i]]:
                entry -= rows.indptr[kset[i] + 1] - rows.indptr[kset[i]]
                i += 1
            v = np.int64(rows.indices[rows.indptr[kset[i]] + entry])
            if not (kset[:held] == v).any():
                kset[held] = v
                total += rows.indptr[v + 1] - rows.indptr[v]
                held += 1
                left = TRIES
        if held == k:
            kset.sort()
            kept += 1
    return found[:kept].copy()


@njit(cache=True, nogil=True)
def leave(rows, home, state, stream):
    """Leave the supernode by a uniform exit of its d_I: C goes into `state`; the swap, and the key of C'."""
    row = np.searchsorted(home.exits, draw(stream, home.exits[-1]), side="right")
    kset = home.ksets[row]
    for i in range(kset.size):
        state[NODE, i] = kset[i]
        state[LINK, i] = home.links[row, i]
        state[START, i] = rows.indptr[kset[i]]
        state[DEGREE, i] = rows.indptr[kset[i] + 1] - rows.indptr[kset[i]]
    work = 0
    other = np.empty(kset.size, np.int64)
    while True:
        u, v, m, trials = propose(rows, state, stream)
        work += trials
        key = home.keys[row] - node_key(state[NODE, u]) + node_key(v)
        other[:] = state[NODE]
        other[u] = v
        if find(home.ksets, home.keys, home.table, key, other)[0] < 0:
            return u, v, m, work, key


@njit(cache=True, nogil=True)
def advance(rows, home, lanes, low, high, pairs, room, record):
    """Let the tours of lanes low..high walk until they are back, or for `room` steps; steps taken, (lanes,).

    k-walk: every C outside the supernode is recorded with an unbiased estimate of 1 / |N(C)|, from the trials
    of the step that leaves it. Pair-walk (`pairs`): every step C -> C' is recorded as the k-set that is their
    union, with 1 / M.
    """
    size = home.ksets.shape[1]
    kset = np.empty(size + pairs, np.int64)
    links = np.empty(size + pairs, np.int64)
    recorded = np.zeros(high - low, np.int64)
    for lane in range(low, high):
        state, stream, account = lanes.state[lane], lanes.stream[lane], lanes.account[lane]
        taken = 0
        while account[PHASE] != BACK and taken < room:
            leaving = account[PHASE] == AT_HOME
            if leaving:
                u, v, m, work, key = leave(rows, home, state, stream)
                account[PHASE] = OUT
            else:
                u, v, m, work = propose(rows, state, stream)
                key = lanes.key[lane] - node_key(state[NODE, u]) + node_key(v)
            kset[:size] = state[NODE]
            links[:size] = state[LINK]
            weight = 0.0
            if pairs:
                kset[size] = v
                links[size] = m
                for j in range(size):
                    links[j] |= ((m >> j) & 1) << size
                free = free_nodes(links)
                weight = 2.0 / (free * (free - 1))
            elif not leaving:
                weight = work / (size * state[DEGREE].sum())
            if weight > 0.0:
                if record.totals.size:
                    shape = record.shape_of[edge_code(links)] if record.shape_of.size else 0
                    record.totals[lane, shape] += weight
                else:
                    kset.sort()
                    record.ksets[lane, taken] = kset
                    record.weights[lane, taken] = weight
                taken += 1
            account[WORK] += work
            swap(rows, state, u, v, m)
            lanes.key[lane] = key
            if find(home.ksets, home.keys, home.table, key, state[NODE])[0] >= 0:
                account[PHASE] = BACK
        account[STEPS] += taken
        recorded[lane - low] = taken
    return recorded
