"""Compiled: where random walks from one node end, by local push (Andersen, Chung and Lang 2006)."""

import numpy as np
from numba import njit

FIRST, LAST = 1e-3, 1e-7  # mass per neighbour that a node must hold to be pushed, lowered tenfold in turn


@njit(cache=True, nogil=True)
def push(indptr, indices, weights, strengths, start, restart, most, ended, waiting, queued, met):
    """Walk from `start`, end with chance `restart` before each step; how many nodes were met.

    `ended` holds the mass that ended at each node and `waiting` what is still under way, both (n,) and zero
    on entry; `met`, (n,), the nodes with either, in the order in which they were met. A node is pushed once
    it holds enough for each of its neighbours, so hubs are not pushed for little. It stops when about `most`
    row entries were read: the time does not grow with the graph. `weights` is empty where pairs have none.
    """
    queue = np.empty(64, np.int32)  # a ring, as large as it was ever full
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
    """Write behind the last of a ring, into a larger one if it is full."""
    if tail - head == queue.size:
        larger = np.empty(2 * queue.size, np.int32)
        for at in range(head, tail):
            larger[at % larger.size] = queue[at % queue.size]
        queue = larger
    queue[tail % queue.size] = node
    return queue, tail + 1


@njit(cache=True, nogil=True)
def gather_logs(ended, waiting, met, count, restart, floor, total, seen, known):
    """Add log(chance / floor) of each node met to `total`; clear the walk; how many nodes are in `seen`.

    `seen[: known]` are the nodes whose total is set. A walk under way ends at once with chance `restart`.
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
