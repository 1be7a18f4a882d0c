"""Compiled: personalised PageRank of one node by local push (Andersen, Chung and Lang 2006)."""

import numpy as np

from mhmgnn.runtime.jit import njit

FIRST, LAST = 1e-3, 1e-7  # least residual per neighbour of a node that is pushed; a tenth of it each round


@njit(cache=True, nogil=True)
def push(indptr, indices, weights, strengths, start, restart, most, ended, waiting, queued, met):
    """Distribute the probability mass of walks from `start` that stop with probability `restart` per step.

    `ended` is the mass that stopped at each node and `waiting` the residual that still walks, both (n,) and
    zero on entry. The nodes with either are written to `met`, (n,), in order of discovery; their number is
    returned. A node is pushed only if its residual is large for its degree, so that hubs are rarely read.
    The push ends after about `most` row entries: its time does not grow with the graph. `weights` is empty
    for an unweighted graph.
    """
    queue = np.empty(64, np.int32)  # a ring buffer that doubles when it is full
    waiting[start], met[0] = 1.0, start
    count, read = 1, 0
    least = FIRST
    while least >= LAST and read < most:
        head = tail = np.int64(0)  # typed: literals have `_put` compiled again
        for i in range(count):
            node = met[i]
            if waiting[node] > least * (indptr[node + 1] - indptr[node]):
                queue, tail = _put(queue, head, tail, node)
                queued[node] = True
        while head < tail:
            node = queue[head % queue.size]
            head += 1
            queued[node] = False
            low, high = indptr[node], indptr[node + 1]
            if read >= most or low == high:
                continue
            mass = waiting[node]
            waiting[node] = 0.0
            ended[node] += restart * mass
            onward = (1.0 - restart) * mass / strengths[node]
            read += high - low
            for at in range(low, high):
                other = indices[at]
                if waiting[other] == 0.0 and ended[other] == 0.0:
                    met[count] = other
                    count += 1
                waiting[other] += onward * (weights[at] if weights.size else 1.0)
                if not queued[other] and waiting[other] > least * (indptr[other + 1] - indptr[other]):
                    queue, tail = _put(queue, head, tail, other)
                    queued[other] = True
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
def gather_logs(ended, waiting, met, count, restart, floor, total, seen, known):
    """Add log(1 + probability / floor) of each node met to `total`, and set `ended` and `waiting` back to 0.

    The probability counts `restart` times the residual, the part that would stop at once. Nodes with a total
    are listed in `seen`, of which `known` were there before; returns their new number.
    """
    for i in range(count):
        node = met[i]
        chance = ended[node] + restart * waiting[node]
        ended[node] = waiting[node] = 0.0
        if total[node] == 0.0:
            seen[known] = node
            known += 1
        total[node] += np.log1p(chance / floor)
    return known
