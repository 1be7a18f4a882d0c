"""Compiled loops of the first sage layer: gather, mean over motif neighbours, LeakyReLU, sum over k nodes.

`projected` is (n', 2 dim): what a node adds to itself, then what it sends to a neighbour. Each column is
worked out apart from the others and summed motif after motif, so that a number does not depend on how columns
and motifs are shared among threads.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def mean_message(projected, nodes, adjacent, start, out):
    """Write into `out` the mean of what a slot's neighbours send, from `start` on; 1 / their number."""
    out[:] = 0
    degree = 0
    for j in range(nodes.size):
        if adjacent[j]:
            degree += 1
            sent = projected[nodes[j], start : start + out.size]
            for c in range(out.size):
                out[c] += sent[c]
    share = projected.dtype.type(1 / max(degree, 1))
    for c in range(out.size):
        out[c] *= share
    return share


@njit(cache=True, nogil=True)
def pooled(projected, rows, adjacency, slope, out):
    """Write the pooled layer of each motif into `out`, (b, dim)."""
    dim = out.shape[1]
    message = np.empty(dim, projected.dtype)
    out[:] = 0
    for m in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            mean_message(projected, rows[m], adjacency[m, i], dim, message)
            own, total = projected[rows[m, i], :dim], out[m]
            for c in range(dim):
                h = own[c] + message[c]
                total[c] += h if h > 0 else slope * h


@njit(cache=True, nogil=True)
def pooled_backward(projected, rows, adjacency, slope, grad, first, last, out):
    """Add to `out`, (n', 2 dim), what columns `first` to `last` of `grad`, (b, dim), send back."""
    dim = grad.shape[1]
    message = np.empty(last - first, projected.dtype)
    for m in range(rows.shape[0]):
        given = grad[m, first:last]
        for i in range(rows.shape[1]):
            share = mean_message(projected, rows[m], adjacency[m, i], dim + first, message)
            own, to_own = projected[rows[m, i], first:last], out[rows[m, i], first:last]
            for c in range(message.size):
                back = given[c] if own[c] + message[c] > 0 else slope * given[c]
                to_own[c] += back
                message[c] = share * back
            for j in range(rows.shape[1]):
                if adjacency[m, i, j]:
                    to_sent = out[rows[m, j], dim + first : dim + last]
                    for c in range(message.size):
                        to_sent[c] += message[c]
