"""Compiled: how the nodes of a set compare with their neighbours inside it."""

import numpy as np

from mhmgnn.context._kernels import entry
from mhmgnn.runtime.jit import njit

STEEP = 2.0  # of the sigmoid in `soft` columns, for a difference of one standard deviation


@njit(cache=True, nogil=True)
def compare(indptr, indices, ksets, low, high, nodes, out):
    """Write the columns of `inside.inside_columns` for the k-sets low..high; `nodes` is (n, p) float32."""
    k, p = ksets.shape[1], nodes.shape[1]
    near = np.zeros((k, k), np.bool_)
    degree = np.empty(k, np.int64)
    above, below = np.empty(k, np.bool_), np.empty(k, np.bool_)
    soft_above, soft_below = np.empty(k), np.empty(k)
    for i in range(low, high):
        degree[:] = 0
        for a in range(k):
            for b in range(a):
                adjacent = entry(indptr, indices, ksets[i, a], ksets[i, b]) >= 0
                near[a, b] = near[b, a] = adjacent
                degree[a] += adjacent
                degree[b] += adjacent
        out[i, :k] = 0.0
        for a in range(k):
            if degree[a] > 0:
                out[i, degree[a] - 1] += 1.0
            for b in range(a):
                for c in range(b):
                    out[i, k - 1] += near[a, b] and near[a, c] and near[b, c]
        pairs, inner = degree.sum() / 2, degree.mean()
        for f in range(p):
            above[:], below[:] = True, True
            soft_above[:], soft_below[:] = 1.0, 1.0
            step, slope = 0.0, 0.0
            for a in range(k):
                x = nodes[ksets[i, a], f]
                slope += x * (degree[a] - inner)
                for b in range(a):
                    if near[a, b]:
                        more = np.float64(x) - nodes[ksets[i, b], f]
                        above[a] &= more >= 0
                        below[a] &= more <= 0
                        above[b] &= more <= 0
                        below[b] &= more >= 0
                        chance = 1.0 / (1.0 + np.exp(-STEEP * more))
                        soft_above[a] *= chance
                        soft_below[a] *= 1.0 - chance
                        soft_above[b] *= 1.0 - chance
                        soft_below[b] *= chance
                        step += abs(more)
            at = k + 8 * f
            centre = degree == k - 1
            out[i, at] = above.sum()
            out[i, at + 1] = below.sum()
            out[i, at + 2] = (above & centre).any()
            out[i, at + 3] = (below & centre).any()
            out[i, at + 4] = soft_above.sum()
            out[i, at + 5] = soft_below.sum()
            out[i, at + 6] = step / max(pairs, 1.0)
            out[i, at + 7] = slope / k
