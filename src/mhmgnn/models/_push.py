"""Compiled: personalised PageRank of one node by local push (Andersen, Chung and Lang 2006)."""

import numpy as np

from mhmgnn.runtime.jit import njit

WAITING, ENDED, DEGREE, TOTAL = range(4)  # columns of the state of a query: one cache line per node
FIRST, LAST = 1e-3, 1e-7  # least residual per neighbour of a node that is pushed; a tenth of it each round


@njit(cache=True, nogil=True)
def push(indptr, indices, weights, strengths, start, restart, most, state, queued, met):
    """Distribute the probability mass of walks from `start` that stop with probability `restart` per step.

    A row of `state`, (n, 4), is all that is read of a node: the residual that still walks and the mass that
    stopped there, both zero on entry, its degree, and a total that is left alone. The nodes with any mass are
    written to `met`, (n,), in order of discovery; their number is returned. A node is pushed only if its
    residual is large for its degree, so that hubs are rarely read. The push ends after about `most` row
    entries: its time does not grow with the graph. `weights` is empty for an unweighted graph.
    """
    queue = np.empty(64, np.int32)  # a ring buffer that doubles when it is full
    state[start, WAITING], met[0] = 1.0, start
    count, read = 1, 0
    least = FIRST
    while least >= LAST and read < most:
        head = tail = 0
        for i in range(count):
            node = met[i]
            if state[node, WAITING] > least * state[node, DEGREE]:
                queue, tail = _put(queue, head, tail, node)
                queued[node] = True
        while head < tail:
            node = queue[head % queue.size]
            head += 1
            queued[node] = False
            low, high = indptr[node], indptr[node + 1]
            if read >= most or low == high:
                continue
            mass = state[node, WAITING]
            state[node, WAITING] = 0.0
            state[node, ENDED] += restart * mass
            onward = (1.0 - restart) * mass / strengths[node]
            read += high - low
            for at in range(low, high):
                other = indices[at]
                if state[other, WAITING] == 0.0 and state[other, ENDED] == 0.0:
                    met[count] = other
                    count += 1
                state[other, WAITING] += onward * (weights[at] if weights.size else 1.0)
                if state[other, WAITING] > least * state[other, DEGREE] and not queued[other]:
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
def gather_logs(state, met, count, restart, floor, seen, known):
    """Add log(1 + probability / floor) of each node met to its total, and set both masses back to 0.

    The probability counts `restart` times the residual, the part that would stop at once. Nodes with a total
    are listed in `seen`, of which `known` were there before; returns their new number.
    """
    for i in range(count):
        node = met[i]
        chance = state[node, ENDED] + restart * state[node, WAITING]
        state[node, ENDED] = state[node, WAITING] = 0.0
        if state[node, TOTAL] == 0.0:
            seen[known] = node
            known += 1
        state[node, TOTAL] += np.log1p(chance / floor)
    return known


@njit(cache=True, nogil=True)
def take_best(state, seen, known, given, floor, out, nodes, scores):
    """Fill `nodes` and `scores` with the best nodes seen that are not in `out`, and set totals back to 0.

    The score is total / `given` + `floor`. Both arrays end up as a heap with the worst first, where of equal
    scores the lower node is better; returns how many were found.
    """
    size = 0
    for i in range(known):
        node = seen[i]
        score = state[node, TOTAL] / given + floor
        state[node, TOTAL] = 0.0
        full = size == nodes.size
        if full and not _worse(scores[0], nodes[0], score, node):
            continue
        if (out == node).any():
            continue
        if full:
            _sift(nodes, scores, 0, size, node, score)
        else:
            _climb(nodes, scores, size, node, score)
            size += 1
    return size


@njit(cache=True, nogil=True)
def _worse(score, node, other_score, other):
    return score < other_score or (score == other_score and node > other)


@njit(cache=True, nogil=True)
def _climb(nodes, scores, at, node, score):
    """Put a new leaf into a heap whose root is the worst."""
    while at > 0:
        above = (at - 1) // 2
        if not _worse(score, node, scores[above], nodes[above]):
            break
        nodes[at], scores[at] = nodes[above], scores[above]
        at = above
    nodes[at], scores[at] = node, score


@njit(cache=True, nogil=True)
def _sift(nodes, scores, at, size, node, score):
    """Put a node in the place of the root."""
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and _worse(scores[below + 1], nodes[below + 1], scores[below], nodes[below]):
            below += 1
        if not _worse(scores[below], nodes[below], score, node):
            break
        nodes[at], scores[at] = nodes[below], scores[below]
        at = below
    nodes[at], scores[at] = node, score
