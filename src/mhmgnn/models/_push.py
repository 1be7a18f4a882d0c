"""Compiled: walks by local push (Andersen, Chung and Lang 2006), and direct ties of the given nodes.

A node that a query meets gets the next free place: what is known of it stands there, so that the nodes of a
query lie close together in memory however large the graph is.
"""

from typing import NamedTuple

import numpy as np

from mhmgnn.runtime.jit import njit

MET, QUEUED = 1, 3  # states of a place
FIRST, LAST = 1e-3, 1e-7  # least residual per neighbour of a node that is pushed; a tenth of it each round
SHARE = 1e-4  # least share of the given nodes that a third node must have to explain anything
PLACE, DEGREE = 0, 1  # columns of `Places.of`


class Places(NamedTuple):
    """Where the nodes met by a query stand, from place 1 on; of the arrays of (n + 1,) no more is touched."""

    of: np.ndarray  # (n, 2) int32: the place of each node, 0 if it was not met; its degree
    node: np.ndarray  # (n + 1,) int32: the node at each place
    passed: np.ndarray  # (n + 1,) float64: the mass that the node has passed on, zero between pushes
    waiting: np.ndarray  # (n + 1,) float64: its residual, zero between pushes
    state: np.ndarray  # (n + 1,) uint8: 0 if this push has not met it, zero between pushes
    met: np.ndarray  # (n + 1,) int32: the places that this push has met, in order

    @classmethod
    def empty(cls, degrees: np.ndarray) -> "Places":
        """For a graph whose nodes have these degrees, (n,)."""
        size = degrees.size + 1
        of = np.zeros((degrees.size, 2), np.int32)
        of[:, DEGREE] = degrees
        masses = np.zeros(size), np.zeros(size)
        return cls(of, np.empty(size, np.int32), *masses, np.zeros(size, np.uint8), np.empty(size, np.int32))


@njit(cache=True, nogil=True)
def push(indptr, indices, weights, strengths, start, onward_share, most, places, known):
    """Sum the weights of walks of any length from `start` by the node where they end.

    A step from u to v has weight `onward_share` * weights[u, v] / strengths[u], and a walk the product of its
    steps. The result is the sum of the mass that a node has passed on and its residual, both in `places`, of
    which `known` were taken before. Returns how many are now taken, and how many nodes this push has met. A
    node is pushed only if its residual is large for its degree, so that hubs are rarely read. The push ends
    after about `most` row entries: its time does not grow with the graph. `weights` is empty for an
    unweighted graph.
    """
    of, node_at, passed, waiting, state, met = places
    queue = np.empty(64, np.int32)  # a ring buffer of places that doubles when it is full
    known += of[start, PLACE] == 0
    first = of[start, PLACE] if of[start, PLACE] else known
    of[start, PLACE], node_at[first] = first, start
    waiting[first], state[first], met[0] = 1.0, MET, first
    count, read = 1, 0
    least = FIRST
    while least >= LAST and read < most:
        head = tail = np.int64(0)  # typed: literals have `_put` compiled again
        for i in range(count):
            at = met[i]
            if waiting[at] > least and waiting[at] > least * of[node_at[at], DEGREE]:
                queue, tail = _put(queue, head, tail, at)
                state[at] = QUEUED
        while head < tail:
            at = queue[head & (queue.size - 1)]
            node = node_at[at]
            head += 1
            state[at] = MET
            low, high = indptr[node], indptr[node + 1]
            if read >= most or low == high:
                continue
            mass = waiting[at]
            waiting[at] = 0.0
            passed[at] += mass
            onward = onward_share * mass / strengths[node]
            read += high - low
            for entry in range(low, high):
                other = indices[entry]
                to = of[other, PLACE]
                known += to == 0  # without branches, which are foreseen badly and wait for memory
                to = to if to else np.int32(known)
                of[other, PLACE], node_at[to] = to, other
                met[count] = to
                count += state[to] == 0
                state[to] |= MET
                waiting[to] += onward * (weights[entry] if weights.size else 1.0)
                if waiting[to] > least * of[other, DEGREE] and state[to] == MET:
                    queue, tail = _put(queue, head, tail, to)
                    state[to] = QUEUED
        least *= 0.1
    return known, count


@njit(cache=True, nogil=True)
def _put(queue, head, tail, place):
    """Append a place to a ring buffer, doubling it if it is full; the buffer and its new tail."""
    if tail - head == queue.size:
        larger = np.empty(2 * queue.size, np.int32)
        for at in range(head, tail):
            larger[at & (larger.size - 1)] = queue[at & (queue.size - 1)]
        queue = larger
    queue[tail & (queue.size - 1)] = place
    return queue, tail + 1


@njit(cache=True, nogil=True)
def gather(places, count, stay, floor, total):
    """Add log(1 + probability / floor) of each of the `count` nodes met to its `total`, and end the push.

    The probability that the walk ends at a node is `stay` times its mass, passed on or residual.
    """
    _, _, passed, waiting, state, met = places
    for i in range(count):
        at = met[i]
        total[at] += np.log1p(stay * (passed[at] + waiting[at]) / floor)
        passed[at] = waiting[at] = 0.0
        state[at] = 0


@njit(cache=True, nogil=True)
def unexplained(indptr, indices, weights, strengths, given, most, places, known, sums):
    """Add to `sums` what nodes were seen with `given`, less what is expected by way of third nodes.

    The share of u that v has is weights[u, v] / strengths[u]; by way of z it is the share of u that z has
    times the share of z that v has. The third nodes with most for each of their neighbours come first, until
    about `most` row entries were read: hubs, which say little, are left out. Returns how many places are now
    taken.
    """
    of, node_at, _, waiting, state, met = places
    count = 0
    for u in given:
        for entry in range(indptr[u], indptr[u + 1]):
            to, known = _take(of, node_at, indices[entry], known)
            if state[to] == 0:
                state[to], met[count] = MET, to
                count += 1
            waiting[to] += weights[entry] / strengths[u]
    third = np.array([at for at in met[:count] if waiting[at] > SHARE])
    each = np.array([waiting[at] / of[node_at[at], DEGREE] for at in third])
    read = 0
    for at in third[np.argsort(-each)]:
        node = node_at[at]
        onward = waiting[at] / strengths[node]
        for entry in range(indptr[node], indptr[node + 1]):
            to, known = _take(of, node_at, indices[entry], known)
            sums[to] -= onward * weights[entry]
        read += of[node, DEGREE]
        if read >= most:
            break
    for i in range(count):
        at = met[i]
        sums[at] += waiting[at]
        waiting[at], state[at] = 0.0, 0
    return known


@njit(cache=True, nogil=True)
def add_entries(indptr, indices, values, given, places, known, sums):
    """Add the values of the given nodes' row entries to `sums`; returns how many places are now taken."""
    for u in given:
        for entry in range(indptr[u], indptr[u + 1]):
            to, known = _take(places.of, places.node, indices[entry], known)
            sums[to] += values[entry]
    return known


@njit(cache=True, nogil=True)
def _take(of, node_at, node, known):
    """The place of a node, the next free one if it has none; and how many are taken."""
    if of[node, PLACE] == 0:
        known += 1
        of[node, PLACE], node_at[known] = known, node
    return of[node, PLACE], known


@njit(cache=True, nogil=True)
def leave(places, known):
    """Free all places, as they are between queries."""
    for at in range(1, known + 1):
        places.of[places.node[at], PLACE] = 0
