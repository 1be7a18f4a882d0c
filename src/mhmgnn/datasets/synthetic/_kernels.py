"""Compiled random graphs: their edges one after another, from one random stream."""

import numpy as np

from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw

ONE = 2**53  # draws below this, over this, are uniform on [0, 1)


@njit(cache=True, nogil=True)
def attach(m, stream, ends):
    """Write into `ends`, (e, 2), a clique of m + 1 nodes and then m edges for each new node.

    An entry of `ends` that is drawn uniformly is a node drawn by its degree; one that the new node has
    already is drawn again.
    """
    held = 0
    for node in range(1, m + 1):
        for other in range(node):
            ends[held, 0], ends[held, 1] = node, other
            held += 1
    node = m + 1
    while held < ends.shape[0]:
        first = held
        while held < first + m:
            entry = draw(stream, 2 * first)
            other = ends[entry >> 1, entry & 1]
            is_new = True
            for at in range(first, held):
                is_new &= ends[at, 1] != other
            if is_new:
                ends[held, 0], ends[held, 1] = node, other
                held += 1
        node += 1


@njit(cache=True, nogil=True)
def chance_pairs(weights, total, stream, ends):
    """Write each pair i < j into `ends` with chance min(1, weights[i] weights[j] / total); how many came.

    `weights` fall, so the chances of a row do, and the pairs that are passed over with the chance of the one
    before are leapt over at once (Miller and Hagberg, 2011). It ends when `ends` is full.
    """
    n = weights.size
    held = 0
    for i in range(n - 1):
        j = i + 1
        before = min(weights[i] * weights[j] / total, 1.0)
        while before > 0.0:
            uniform = (draw(stream, ONE) + 1) / ONE  # never 0
            if before < 1.0:
                leap = np.log(uniform) / np.log1p(-before)
                if leap >= n - j:
                    break
                j += np.int64(leap)
                uniform = draw(stream, ONE) / ONE
            chance = min(weights[i] * weights[j] / total, 1.0)
            if uniform * before < chance or chance == 1.0:
                if held == ends.shape[0]:
                    return held
                ends[held, 0], ends[held, 1] = i, j
                held += 1
            before = chance
            j += 1
            if j == n:
                break
    return held


@njit(cache=True, nogil=True)
def draw_groups(n, offsets, stream, members):
    """Fill each `members[offsets[g] : offsets[g + 1]]` with distinct uniform nodes, sorted."""
    for g in range(offsets.size - 1):
        group = members[offsets[g] : offsets[g + 1]]
        held = 0
        while held < group.size:
            node = draw(stream, n)
            is_new = True
            for other in group[:held]:
                is_new &= other != node
            if is_new:
                group[held] = node
                held += 1
        group.sort()


@njit(cache=True, nogil=True)
def add_centres(offsets, members, scale, centres, x):
    """Add to the row of each member in `x` the centre of its group, (groups, p), times the node's `scale`."""
    for g in range(offsets.size - 1):
        for at in range(offsets[g], offsets[g + 1]):
            node = members[at]
            for column in range(x.shape[1]):
                x[node, column] += scale[node] * centres[g, column]
