"""Compiled: overlap of pairs, 4-cycles, and pooling of node and pair features over sets."""

import numpy as np

from mhmgnn.graph.csr import first_from, place
from mhmgnn.runtime.jit import njit

FEW = 12  # a row this many times longer than the other is binary-searched instead of merged


@njit(cache=True, nogil=True)
def pair_overlap(indptr, indices, weights, low, high, out):
    """Write the overlap of u and v for each edge (u, v) with u < v and u in low..high, at both CSR entries.

    Over common neighbours z: their number, the sums of 1 / log d_z and of 1 / d_z, and the sum and the
    maximum of min(w_uz, w_vz), which stay 0 without counts. `out` is (2e, 5) float32.
    """
    for u in range(low, high):
        for i in range(first_from(indices, indptr[u], indptr[u + 1], u), indptr[u + 1]):
            v = indices[i]
            short, long = u, np.int64(v)
            if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
                short, long = long, short
            row = _common(indptr, indices, weights, short, long)
            back = place(indptr, indices, v, u)
            for column in range(5):
                out[i, column] = row[column]
                out[back, column] = row[column]


@njit(cache=True, nogil=True)
def _common(indptr, indices, weights, short, long):
    """The columns of `pair_overlap` for two nodes, by merging their rows or searching in a far longer one."""
    at, end = indptr[long], indptr[long + 1]
    look_up = end - at > FEW * (indptr[short + 1] - indptr[short])
    number, adamic, resource, total, most = 0.0, 0.0, 0.0, 0.0, 0.0
    for x in range(indptr[short], indptr[short + 1]):
        z = indices[x]
        if look_up:
            at = first_from(indices, at, end, z)
        else:
            while at < end and indices[at] < z:
                at += 1
        if at == end:
            break
        if indices[at] == z:
            degree = float(indptr[z + 1] - indptr[z])
            number += 1.0
            adamic += 1.0 / np.log(degree)
            resource += 1.0 / degree
            if weights.size:
                least = float(min(weights[x], weights[at]))
                total += least
                most = max(most, least)
    return number, adamic, resource, total, most


@njit(cache=True, nogil=True)
def four_cycles(indptr, indices, rank, low, high):
    """For each node, the sum over its 4-cycles of the product of 1 / degree over the cycle's nodes, (n,).

    Only cycles whose node of highest rank is in low..high. `rank` rises with the degree: a cycle is found
    from its node of largest degree, so that rows of hubs are not scanned from elsewhere (Chiba and Nishizeki,
    1985).
    """
    n = indptr.size - 1
    total, ways, squares = np.zeros(n), np.zeros(n), np.zeros(n)
    met = np.empty(n, np.int32)
    for top in range(low, high):
        held = 0
        for v in indices[indptr[top] : indptr[top + 1]]:
            if rank[v] < rank[top]:
                share = 1.0 / (indptr[v + 1] - indptr[v])
                for u in indices[indptr[v] : indptr[v + 1]]:
                    if rank[u] < rank[top]:
                        if ways[u] == 0.0:
                            met[held] = u
                            held += 1
                        ways[u] += share
                        squares[u] += share * share
        ends = 1.0 / max(indptr[top + 1] - indptr[top], 1)
        for v in indices[indptr[top] : indptr[top + 1]]:
            if rank[v] < rank[top]:
                share = 1.0 / (indptr[v + 1] - indptr[v])
                for u in indices[indptr[v] : indptr[v + 1]]:
                    if rank[u] < rank[top]:
                        others = max(ways[u] - share, 0.0)
                        total[v] += share * others * ends / (indptr[u + 1] - indptr[u])
        for u in met[:held]:
            both = max(ways[u] * ways[u] - squares[u], 0.0) / 2 * ends / (indptr[u + 1] - indptr[u])
            total[u] += both
            total[top] += both
            ways[u], squares[u] = 0.0, 0.0
    return total


@njit(cache=True, nogil=True)
def pool_sets(indptr, indices, members, offsets, low, high, nodes, pairs, out, found):
    """Write mean, minimum, maximum and standard deviation of node, then pair features over sets low..high.

    `out` is (s, >= 4 (p + q)) float32. Only adjacent pairs count; `found`, (s,), is their number, and without
    any the columns are 0.
    """
    p, q = nodes.shape[1], pairs.shape[1]
    for_nodes, for_pairs = np.empty((4, p)), np.empty((4, q))
    for i in range(low, high):
        _start(for_nodes)
        for a in range(offsets[i], offsets[i + 1]):
            _add(for_nodes, nodes, members[a])
        _finish(for_nodes, offsets[i + 1] - offsets[i], out[i, : 4 * p])
        found[i] = 0
        _start(for_pairs)
        for a in range(offsets[i], offsets[i + 1]):
            for b in range(a + 1, offsets[i + 1]):
                edge = entry(indptr, indices, members[a], members[b])
                if edge >= 0:
                    found[i] += 1
                    _add(for_pairs, pairs, edge)
        _finish(for_pairs, found[i], out[i, 4 * p : 4 * (p + q)])


@njit(cache=True, nogil=True)
def entry(indptr, indices, u, v):
    """The CSR entry of the edge between u and v, searched in the shorter row; -1 if they are not adjacent."""
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    return place(indptr, indices, u, v)


@njit(cache=True, nogil=True, inline="always")
def _start(pool):
    pool[:2] = 0.0  # sums, sums of squares
    pool[2] = np.inf
    pool[3] = -np.inf


@njit(cache=True, nogil=True, inline="always")
def _add(pool, rows, at):
    for f in range(pool.shape[1]):
        x = np.float64(rows[at, f])
        pool[0, f] += x
        pool[1, f] += x * x
        pool[2, f] = min(pool[2, f], x)
        pool[3, f] = max(pool[3, f], x)


@njit(cache=True, nogil=True, inline="always")
def _finish(pool, count, out):
    size = pool.shape[1]
    for f in range(size):
        if count == 0:
            out[f], out[size + f], out[2 * size + f], out[3 * size + f] = 0.0, 0.0, 0.0, 0.0
            continue
        mean = pool[0, f] / count
        out[f] = mean
        out[size + f] = pool[2, f]
        out[2 * size + f] = pool[3, f]
        out[3 * size + f] = np.sqrt(max(pool[1, f] / count - mean * mean, 0.0))
