"""Compiled forward and backward pass of the first sage layer, pooled over the k nodes of each motif.

`projected` is (n', 2 dim): a node's own term, then its message to a neighbour. `per_neighbour`, (dim,), is
added once for each neighbour that a node has in its motif.

No views of rows are taken, as threads would contend for their reference counts. Indices are unsigned: numba
then does not check for negative ones, and loops over columns are vectorised.
"""

import numpy as np

from mhmgnn.runtime.jit import njit


@njit(cache=True, nogil=True)
def sum_messages(projected, rows, adjacency, m, i, start, out):
    """Write the sum of the messages of slot i's neighbours into `out[start:]`; returns their number."""
    width = np.uintp(out.size)
    degree = 0
    for j in range(rows.shape[1]):
        if adjacency[m, i, j]:
            degree += 1
            sender = np.uintp(rows[m, j])
            if degree == 1:
                for c in range(width):
                    out[c] = projected[sender, start + c]
            else:
                for c in range(width):
                    out[c] += projected[sender, start + c]
    if degree == 0:
        out[:] = 0
    return degree


@njit(cache=True, nogil=True)
def pooled(projected, per_neighbour, rows, adjacency, slope, first, last, out):
    """Write the pooled layer of motifs `first` to `last` into `out`, (b, dim)."""
    dim = np.uintp(out.shape[1])
    message = np.empty(out.shape[1], projected.dtype)
    total = np.empty(out.shape[1], projected.dtype)
    number = projected.dtype.type
    for m in range(np.uintp(first), np.uintp(last)):
        total[:] = 0
        for i in range(rows.shape[1]):
            neighbours = sum_messages(projected, rows, adjacency, m, i, dim, message)
            share, degree = number(1 / max(neighbours, 1)), number(neighbours)
            own = np.uintp(rows[m, i])
            for c in range(dim):
                h = projected[own, c] + share * message[c] + degree * per_neighbour[c]
                total[c] += h if h > 0 else slope * h
        for c in range(dim):
            out[m, c] = total[c]


@njit(cache=True, nogil=True)
def pooled_backward(projected, per_neighbour, rows, adjacency, slope, grad, first, last, out):
    """Add to `out` the gradient of motifs `first` to `last`, given that of the result, `grad`, (b, dim).

    `out` is (n' + 1, 2 dim): the rows of `projected`, then one for `per_neighbour`, whose second half stays
    0.
    """
    dim = np.uintp(grad.shape[1])
    message = np.empty(grad.shape[1], projected.dtype)
    number = projected.dtype.type
    end = np.uintp(out.shape[0] - 1)
    for m in range(np.uintp(first), np.uintp(last)):
        for i in range(rows.shape[1]):
            neighbours = sum_messages(projected, rows, adjacency, m, i, dim, message)
            share, degree = number(1 / max(neighbours, 1)), number(neighbours)
            own = np.uintp(rows[m, i])
            for c in range(dim):
                h = projected[own, c] + share * message[c] + degree * per_neighbour[c]
                back = grad[m, c] if h > 0 else slope * grad[m, c]
                out[own, c] += back
                out[end, c] += degree * back
                message[c] = share * back
            for j in range(rows.shape[1]):
                if adjacency[m, i, j]:
                    sender = np.uintp(rows[m, j])
                    for c in range(dim):
                        out[sender, dim + c] += message[c]
