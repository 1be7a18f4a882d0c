"""Compiled random walks on the nodes of a graph; a stream for each."""

from mhmgnn.graph.csr import place
from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw


@njit(cache=True, nogil=True, inline="always")
def share(stream):
    """A number from 0 to 1, 1 left out, uniform."""
    return draw(stream, 2**53) / 2**53


@njit(cache=True, nogil=True)
def uniform_walks(indptr, indices, walks, streams):
    """Carry on each row of `walks`, (w, length) with its start in column 0 and -1 elsewhere."""
    for i in range(walks.shape[0]):
        node, stream = walks[i, 0], streams[i]
        for step in range(1, walks.shape[1]):
            low, high = indptr[node], indptr[node + 1]
            if low == high:
                break
            node = indices[low + draw(stream, high - low)]
            walks[i, step] = node


@njit(cache=True, nogil=True)
def weight(indptr, indices, before, x, weights):
    """The weight of x two steps after `before`: the first if it is the same node, the second if adjacent."""
    if x == before:
        return weights[0]
    return weights[1] if place(indptr, indices, before, x) >= 0 else weights[2]


@njit(cache=True, nogil=True)
def next_node(indptr, indices, before, node, weights, stream):
    """A neighbour of `node`, reached from `before`, with chance in proportion to its weight.

    The larger of the last two weights is 1. What the first has above 1 is drawn with a chance of its own;
    else a uniform neighbour is accepted with its weight as the chance. After as many rejections as there are
    neighbours, one is drawn from the weights of all. Trials are independent, so the chances stay exact.
    """
    low, high = indptr[node], indptr[node + 1]
    above = max(weights[0] - 1, 0.0)
    apart = above / (above + (high - low))
    least = weights.min()
    for _ in range(high - low):
        if above > 0 and share(stream) < apart:
            return before
        x = indices[low + draw(stream, high - low)]
        level = share(stream)
        if level < least or level < weight(indptr, indices, before, x, weights):
            return x
    total = 0.0
    for at in range(low, high):
        total += weight(indptr, indices, before, indices[at], weights)
    level = share(stream) * total
    for at in range(low, high):
        level -= weight(indptr, indices, before, indices[at], weights)
        if level < 0:
            return indices[at]
    return indices[high - 1]


@njit(cache=True, nogil=True)
def biased_walks(indptr, indices, walks, weights, streams):
    """As `uniform_walks`, from the second step on with the weights of `next_node`."""
    uniform_walks(indptr, indices, walks[:, :2], streams)
    for i in range(walks.shape[0]):
        if walks.shape[1] < 2 or walks[i, 1] < 0:
            continue
        before, node = walks[i, 0], walks[i, 1]
        for step in range(2, walks.shape[1]):
            before, node = node, next_node(indptr, indices, before, node, weights, streams[i])
            walks[i, step] = node
