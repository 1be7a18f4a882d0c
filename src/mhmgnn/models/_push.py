"""Compiled: personalised PageRank of one node by local push (Andersen, Chung and Lang 2006)."""

import numpy as np

from mhmgnn.runtime.jit import njit

MET, QUEUED = 1, 2  # states of a node
FIRST, LAST = 1e-3, 1e-7  # least residual per neighbour of a node that is pushed; a tenth of it each round


@njit(cache=True, nogil=True)
def push(indptr, indices, weights, strengths, start, factor, most, passed, waiting, state, met):
    """Sum the weights of walks of any length from `start` by the node where they end.

    A step from u to v has weight `factor` * weights[u, v] / strengths[u], and a walk the product of its
    steps. `passed` is the mass that each node has passed on and `waiting` its residual, both (n,) and zero
    on entry; their sum is the result. `state`, (n,) uint8 and zero on entry, marks nodes that were met. They
    are written to `met`, (n,), in order of discovery; their number is returned. A node is pushed only if its
    residual is large for its degree, so that hubs are rarely read. The push ends after about `most` row
    entries: its time does not grow with the graph. `weights` is empty for an unweighted graph.
    """
    queue = np.empty(64, np.int32)  # a ring buffer that doubles when it is full
    waiting[start], state[start], met[0] = 1.0, MET, start
    count, read = 1, 0
    least = FIRST
    while least >= LAST and read < most:
        head = tail = np.int64(0)  # typed: literals have `_put` compiled again
        for i in range(count):
            node = met[i]
            if abs(waiting[node]) > least * (indptr[node + 1] - indptr[node]):
                queue, tail = _put(queue, head, tail, node)
                state[node] = QUEUED
        while head < tail:
            node = queue[head % queue.size]
            head += 1
            state[node] = MET
            low, high = indptr[node], indptr[node + 1]
            if read >= most or low == high:
                continue
            mass = waiting[node]
            waiting[node] = 0.0
            passed[node] += mass
            onward = factor * mass / strengths[node]
            read += high - low
            for at in range(low, high):
                other = indices[at]
                if state[other] == 0:
                    state[other] = MET
                    met[count] = other
                    count += 1
                waiting[other] += onward * (weights[at] if weights.size else 1.0)
                enough = least * (indptr[other + 1] - indptr[other])
                if state[other] == MET and abs(waiting[other]) > enough:
                    queue, tail = _put(queue, head, tail, other)
                    state[other] = QUEUED
        least *= 0.1
    return count


@njit(cache=True, nogil=True)
def _put(queue, head, tail, node):
    """Append a node to a ring buffer, doubling it if it is full; the buffer and its new tail."""
    if tail - head == queue.size:
        larger = np.empty(2 * queue.size, np.int32)
        for at in range(head, tail):
            larger[at % larger.size] = queue[at % queue.size]
        queue = larger
    queue[tail % queue.size] = node
    return queue, tail + 1


@njit(cache=True, nogil=True)
def gather(passed, waiting, state, met, count, scale, floor, total, listed, seen, known):
    """Add the weight of each node met to its `total`, and set the push's arrays back to 0.

    The weight of a node is `scale` times its mass, passed on or residual. With a `floor` above 0 it is
    log(1 + weight / floor) that is added, and a negative weight counts as 0. Nodes that were met are marked
    in `listed` and written to `seen`, of which `known` were there before; returns their new number.
    """
    for i in range(count):
        node = met[i]
        weight = scale * (passed[node] + waiting[node])
        passed[node] = waiting[node] = 0.0
        state[node] = 0
        if listed[node] == 0:
            listed[node] = 1
            seen[known] = node
            known += 1
        total[node] += weight if floor == 0.0 else np.log1p(max(weight, 0.0) / floor)
    return known
