"""Compiled facts about one k-set: its edges as bit masks, and its neighbours in the k-HON.

A k-set C on the walk is a (4, k) array of int64, one column a slot: its nodes, for each slot the bit mask of
the slots it is adjacent to, where its row starts in `indices`, and its degree. Slots are in no order; k-sets
that leave are sorted.
"""

from typing import NamedTuple

import numpy as np

from mhmgnn.graph.csr import first_from
from mhmgnn.runtime.jit import njit

NODE, LINK, START, DEGREE = 0, 1, 2, 3  # rows of a k-set on the walk
LONG = 4096  # neighbours beyond which a node is a hub


class Rows(NamedTuple):
    """A graph as its rows of neighbours."""

    indptr: np.ndarray  # (n + 1,) int64
    indices: np.ndarray  # (2e,) int32, each row sorted


@njit(cache=True, nogil=True)
def components(rows):
    """The connected component of each node, (n,) int64, numbered by their lowest nodes."""
    n = rows.indptr.size - 1
    component = np.full(n, -1, np.int64)
    queue = np.empty(n, np.int64)
    found = 0
    for node in range(n):
        if component[node] >= 0:
            continue
        component[node] = found
        queue[0] = node
        head, tail = 0, 1
        while head < tail:
            for v in rows.indices[rows.indptr[queue[head]] : rows.indptr[queue[head] + 1]]:
                if component[v] < 0:
                    component[v] = found
                    queue[tail] = v
                    tail += 1
            head += 1
        found += 1
    return component


@njit(cache=True, nogil=True, inline="always")
def has_edge(rows, a_start, a_degree, a, v):
    """Whether a and v are adjacent, by binary search in the shorter of their rows."""
    start = rows.indptr[v]
    end = rows.indptr[v + 1]
    target = np.int64(a)
    if a_degree < end - start:
        start, end, target = a_start, a_start + a_degree, np.int64(v)
    at = first_from(rows.indices, start, end, target)
    return at < end and rows.indices[at] == target


@njit(cache=True, nogil=True)
def reach(links, seed, within):
    """Slots of `within` that can be reached from the slots of `seed` along `links`, as a bit mask."""
    seen = seed & within
    todo = seen
    while todo:
        grown = np.int64(0)
        for slot in range(links.size):
            if (todo >> slot) & 1:
                grown |= links[slot]
        todo = grown & within & ~seen
        seen |= todo
    return seen


@njit(cache=True, nogil=True, inline="always")
def can_swap(links, u, m):
    """Whether C - u + v is connected, where v is adjacent to the slots of mask m."""
    rest = ((np.int64(1) << links.size) - 1) & ~(np.int64(1) << u)
    return reach(links, m, rest) == rest


@njit(cache=True, nogil=True)
def free_nodes(links):
    """How many nodes of a connected motif can leave it connected: the c of M(C) = c (c - 1) / 2."""
    everything = (np.int64(1) << links.size) - 1
    free = 0
    for u in range(links.size):
        rest = everything & ~(np.int64(1) << u)
        near = links[u]
        # one neighbour: a leaf, which is always free
        free += near & (near - 1) == 0 or reach(links, near & -near, rest) == rest
    return free


@njit(cache=True, nogil=True, inline="always")
def edge_code(links):
    """The edges of a motif as one number: pair (i, j), i < j, is bit j (j - 1) / 2 + i."""
    code = np.int64(0)
    for j in range(1, links.size):
        code |= (links[j] & ((np.int64(1) << j) - 1)) << (j * (j - 1) // 2)
    return code


@njit(cache=True, nogil=True)
def load(rows, kset, state):
    """Write a k-set given by its nodes into `state`."""
    k = kset.size
    for i in range(k):
        node = kset[i]
        state[NODE, i] = node
        state[LINK, i] = 0
        state[START, i] = rows.indptr[node]
        state[DEGREE, i] = rows.indptr[node + 1] - rows.indptr[node]
        for j in range(i):
            if has_edge(rows, state[START, j], state[DEGREE, j], state[NODE, j], node):
                state[LINK, i] |= np.int64(1) << j
                state[LINK, j] |= np.int64(1) << i


@njit(cache=True, nogil=True)
def edge_codes(rows, ksets):
    """The edge code of each k-set, (s,) int64."""
    codes = np.empty(ksets.shape[0], np.int64)
    state = np.empty((4, ksets.shape[1]), np.int64)
    for row in range(ksets.shape[0]):
        load(rows, ksets[row], state)
        codes[row] = edge_code(state[LINK])
    return codes


@njit(cache=True, nogil=True)
def are_connected(rows, ksets):
    """Whether each k-set is connected, (s,) bool."""
    k = ksets.shape[1]
    connected = np.empty(ksets.shape[0], np.bool_)
    state = np.empty((4, k), np.int64)
    everything = (np.int64(1) << k) - 1
    for row in range(ksets.shape[0]):
        load(rows, ksets[row], state)
        connected[row] = reach(state[LINK], np.int64(1), everything) == everything
    return connected


@njit(cache=True, nogil=True)
def links_of(rows, ksets):
    """Bit masks of the edges inside each k-set, (s, k)."""
    links = np.empty(ksets.shape, np.int64)
    state = np.empty((4, ksets.shape[1]), np.int64)
    for row in range(ksets.shape[0]):
        load(rows, ksets[row], state)
        links[row] = state[LINK]
    return links


@njit(cache=True, nogil=True, inline="always")
def swap(rows, state, u, v, m):
    """Turn C into C - u + v."""
    bit = np.int64(1) << u
    m &= ~bit
    for j in range(state.shape[1]):
        state[LINK, j] = (state[LINK, j] & ~bit) | (((m >> j) & 1) << u)
    state[NODE, u] = v
    state[LINK, u] = m
    state[START, u] = rows.indptr[v]
    state[DEGREE, u] = rows.indptr[v + 1] - rows.indptr[v]


@njit(cache=True, nogil=True)
def hubs_first(rows, kset, ordered):
    """Write nodes into `ordered`, that of the longest row first, then other hubs, the rest; how many hubs."""
    longest = 0
    for i in range(kset.size):
        if _degree(rows, kset[i]) > _degree(rows, kset[longest]):
            longest = i
    ordered[0] = kset[longest]
    hubs, held = 1, kset.size
    for i in range(kset.size - 1, -1, -1):
        if i != longest and _degree(rows, kset[i]) <= LONG:
            held -= 1
            ordered[held] = kset[i]
    for i in range(kset.size):
        if i != longest and _degree(rows, kset[i]) > LONG:
            ordered[hubs] = kset[i]
            hubs += 1
    return hubs


@njit(cache=True, nogil=True, inline="always")
def _degree(rows, node):
    return rows.indptr[node + 1] - rows.indptr[node]


@njit(cache=True, nogil=True)
def next_outside(rows, state, low, high, cursor):
    """The next node in the rows of slots low..high that is in none of slots 0..high, and its mask; or -1."""
    nodes, start, degree = state[NODE], state[START], state[DEGREE]
    while True:
        v = np.int64(-1)
        for j in range(low, high):
            if cursor[j] < start[j] + degree[j]:
                head = np.int64(rows.indices[cursor[j]])
                if v < 0 or head < v:
                    v = head
        m = np.int64(0)
        inside = False
        for j in range(high):
            inside |= nodes[j] == v
            if j >= low and cursor[j] < start[j] + degree[j] and rows.indices[cursor[j]] == v:
                m |= np.int64(1) << j
                cursor[j] += 1
        if v < 0 or not inside:
            return v, m


@njit(cache=True, nogil=True)
def tally_hubs(rows, state, hubs, cursor, tally):
    """For each mask, how many other nodes are adjacent to exactly these of the first slots.

    The first row is the longest: it is searched, not read through. `cursor` (k,) is scratch.
    """
    tally[: 1 << hubs] = 0
    tally[1] = state[DEGREE, 0]
    for j in range(1, hubs):
        cursor[j] = state[START, j]
        tally[1] -= state[LINK, j] & 1
    while True:
        v, m = next_outside(rows, state, 1, hubs, cursor)
        if v < 0:
            return
        if has_edge(rows, state[START, 0], state[DEGREE, 0], state[NODE, 0], v):
            tally[1] -= 1
            m |= 1
        tally[m] += 1


@njit(cache=True, nogil=True)
def count_neighbours(rows, state, hubs, around, cursor, components, ways):
    """|N(C)| exactly. Of C the first `hubs` slots are hubs; `around` is their tally, and is overwritten.

    Only the rows of the others are read. `cursor` (k,), `components` (k, k) and `ways` (2^k,) are scratch.
    """
    links, k = state[LINK], state.shape[1]
    split_by_each(links, components)
    ways[:] = -1
    for j in range(hubs, k):
        around[links[j] & ((np.int64(1) << hubs) - 1)] -= 1  # a node of C is no neighbour
        cursor[j] = state[START, j]
    total = np.int64(0)
    while True:
        v, m = next_outside(rows, state, hubs, k, cursor)
        if v < 0:
            break
        near = np.int64(0)
        for j in range(hubs):
            if has_edge(rows, state[START, j], state[DEGREE, j], state[NODE, j], v):
                near |= np.int64(1) << j
        around[near] -= 1
        total += _ways(components, m | near, ways)
    for near in range(1, 1 << hubs):
        if around[near]:
            total += around[near] * _ways(components, np.int64(near), ways)
    return total


@njit(cache=True, nogil=True)
def split_by_each(links, components):
    """The connected components of C - u for each slot u, as bit masks, (k, k) int64: a 0 ends each row."""
    everything = (np.int64(1) << links.size) - 1
    components[:] = 0
    for u in range(links.size):
        rest = everything & ~(np.int64(1) << u)
        found = 0
        while rest:
            components[u, found] = reach(links, rest & -rest, rest)
            rest &= ~components[u, found]
            found += 1


@njit(cache=True, nogil=True)
def _ways(components, m, known):
    """How many slots may leave for a node of mask m, remembered in `known`: it must touch every component."""
    if known[m] < 0:
        known[m] = 0
        for u in range(components.shape[0]):
            i = 0
            while components[u, i] & m:
                i += 1
            known[m] += components[u, i] == 0
    return known[m]


@njit(cache=True, nogil=True)
def neighbour_counts(rows, ksets):
    """|N(C)| for each k-set, (s,) int64.

    k-sets with the same hubs are taken one after another, so that what lies around hubs is tallied once.
    """
    s, k = ksets.shape
    state = np.empty((4, k), np.int64)
    ordered, cursor, last = np.empty(k, np.int64), np.empty(k, np.int64), np.full(k, -1)
    ways, tally = np.empty(1 << k, np.int64), np.empty(1 << k, np.int64)
    components = np.empty((k, k), np.int64)
    shared = np.zeros(s, np.int64)
    for row in range(s):
        for node in ordered[: hubs_first(rows, ksets[row], ordered)]:
            shared[row] = shared[row] * 1_000_003 + node + 1
    count = np.empty(s, np.int64)
    for row in np.argsort(shared):
        hubs = hubs_first(rows, ksets[row], ordered)
        load(rows, ordered, state)
        if (last[:hubs] != ordered[:hubs]).any() or (last[hubs:] != -1).any():
            last[:] = -1
            last[:hubs] = ordered[:hubs]
            tally_hubs(rows, state, hubs, cursor, tally)
        count[row] = count_neighbours(rows, state, hubs, tally.copy(), cursor, components, ways)
    return count
