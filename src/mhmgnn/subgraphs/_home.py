"""Compiled look-ups of k-sets by hash, and the supernode: grown, looked up, and summed inside."""

from typing import NamedTuple

import numpy as np

from mhmgnn.runtime.hashing import GOLDEN
from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import mix
from mhmgnn.subgraphs._ksets import DEGREE, LINK, NODE, START, can_swap, free_nodes, has_edge, load


class Home(NamedTuple):
    """The supernode I, ready for look-ups and for leaving it."""

    ksets: np.ndarray  # (s, k) int64, rows sorted
    links: np.ndarray  # (s, k) int64 bit masks of the edges inside each
    keys: np.ndarray  # (s,) uint64, a hash that does not depend on the order of nodes
    table: np.ndarray  # (a power of two,) int64, row of `ksets` or -1; open addressing by key
    exits: np.ndarray  # (s,) int64, running sum of |N(C) - I|; the last one is d_I


@njit(cache=True, nogil=True, inline="always")
def node_key(node):
    """What a node adds to the key of its k-set."""
    return mix((np.uint64(node) + np.uint64(1)) * GOLDEN)


@njit(cache=True, nogil=True)
def set_keys(ksets):
    """The key of each k-set, (s,) uint64: a sum over its nodes, so that a swap changes it in one step."""
    keys = np.zeros(ksets.shape[0], np.uint64)
    for row in range(ksets.shape[0]):
        for node in ksets[row]:
            keys[row] += node_key(node)
    return keys


@njit(cache=True, nogil=True)
def find(ksets, keys, table, key, nodes):
    """The row of `ksets` with the same nodes, or -1; and the place in `table` where it is or would be."""
    last = np.uint64(table.size - 1)
    at = key & last
    while table[at] >= 0:
        row = table[at]
        if keys[row] == key:
            same = True
            for node in nodes:
                found = False
                for other in ksets[row]:
                    found |= node == other
                if not found:
                    same = False
                    break
            if same:
                return row, at
        at = (at + np.uint64(1)) & last
    return np.int64(-1), at


@njit(cache=True, nogil=True)
def fill_table(ksets, keys, table):
    """Enter distinct k-sets into an empty table."""
    for row in range(ksets.shape[0]):
        table[find(ksets, keys, table, keys[row], ksets[row])[1]] = row


@njit(cache=True, nogil=True)
def merge(ksets, table):
    """Number equal k-sets alike: the row where each first stands, (unique,), and each row's number, (s,).

    `table` is scratch, a power of two of -1, larger than s.
    """
    keys = set_keys(ksets)
    first = np.empty(ksets.shape[0], np.int64)
    number = np.empty(ksets.shape[0], np.int64)
    unique = 0
    for row in range(ksets.shape[0]):
        found, at = find(ksets, keys, table, keys[row], ksets[row])
        if found < 0:
            table[at] = row
            first[unique] = row
            number[row] = unique
            unique += 1
        else:
            number[row] = number[found]
    return first[:unique].copy(), number


@njit(cache=True, nogil=True)
def seeds(rows, hubs, k):
    """A connected k-set around each hub, (hubs, k) int64: k - 1 times the best neighbour by degree joins."""
    ksets = np.empty((hubs.size, k), np.int64)
    for h in range(hubs.size):
        kset = ksets[h]
        kset[0] = hubs[h]
        for held in range(1, k):
            best, degree = np.int64(-1), np.int64(-1)
            for node in kset[:held]:
                for v in rows.indices[rows.indptr[node] : rows.indptr[node + 1]]:
                    if rows.indptr[v + 1] - rows.indptr[v] > degree and not (kset[:held] == v).any():
                        best, degree = np.int64(v), rows.indptr[v + 1] - rows.indptr[v]
            kset[held] = best
        kset.sort()
    return ksets


@njit(cache=True, nogil=True)
def grow(rows, ksets, filled, table):
    """Grow the supernode breadth first from its first `filled` rows until `ksets` is full; its size."""
    k = ksets.shape[1]
    keys = np.zeros(ksets.shape[0], np.uint64)
    keys[:filled] = set_keys(ksets[:filled])
    fill_table(ksets[:filled], keys, table)
    state = np.empty((4, k), np.int64)
    fresh = np.empty(k, np.int64)
    row = 0
    while row < filled < ksets.shape[0]:
        load(rows, ksets[row], state)
        nodes, start, degree = state[NODE], state[START], state[DEGREE]
        for i in range(k):
            for at in range(start[i], start[i] + degree[i]):
                v = np.int64(rows.indices[at])
                m = np.int64(1) << i
                skip = False
                for j in range(k):
                    skip |= nodes[j] == v
                for j in range(k):
                    if not skip and j != i and has_edge(rows, start[j], degree[j], nodes[j], v):
                        m |= np.int64(1) << j
                        skip = j < i
                if skip:
                    continue
                for u in range(k):
                    if not can_swap(state[LINK], u, m):
                        continue
                    fresh[:] = nodes
                    fresh[u] = v
                    key = keys[row] - node_key(nodes[u]) + node_key(v)
                    found, place = find(ksets, keys, table, key, fresh)
                    if found < 0:
                        table[place] = filled
                        keys[filled] = key
                        ksets[filled] = np.sort(fresh)
                        filled += 1
                        if filled == ksets.shape[0]:
                            return filled
        row += 1
    return filled


@njit(cache=True, nogil=True)
def inside_pairs(rows, home_ksets, members, groups, skip, ksets, weights):
    """Edges of the (k-1)-HON inside the supernode: the unions of their ends, with 1 / M; how many there are.

    `members[groups[g]:groups[g + 1]]` are the rows that share one (k-2)-set; pairs are numbered within and
    across groups in order, the first `skip` are passed over, and writing ends when `ksets` (c, k) is full.
    """
    size = home_ksets.shape[1]
    state = np.empty((4, size + 1), np.int64)
    number = 0
    written = 0
    for g in range(groups.size - 1):
        held = groups[g + 1] - groups[g]
        if number + held * (held - 1) // 2 <= skip:
            number += held * (held - 1) // 2
            continue
        for a in range(groups[g], groups[g + 1]):
            for b in range(groups[g], a):
                number += 1
                if number <= skip:
                    continue
                if written == ksets.shape[0]:
                    return written
                union = ksets[written]
                union[:size] = home_ksets[members[a]]
                for node in home_ksets[members[b]]:
                    if not (union[:size] == node).any():
                        union[size] = node
                union.sort()
                load(rows, union, state)
                free = free_nodes(state[LINK])
                weights[written] = 2.0 / (free * (free - 1))
                written += 1
    return written
