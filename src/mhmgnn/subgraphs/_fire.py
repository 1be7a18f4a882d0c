"""Compiled forest fire, and the edges inside what burned. No cost grows with the graph.

Which nodes burned is known from `nodes`, in the order of burning, and `table`, a power of two of places, at
least four a node, that each hold a position in `nodes` or -1 (open addressing).
"""

import numpy as np

from mhmgnn.graph.csr import first_from, place
from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw, mix

TRIES = 1_000  # draws of a start node before all nodes are looked through
SCAN = 8  # row entries that are looked up in the time of one binary search in the row
ONE = 2**53  # draws below this, over this, are uniform on [0, 1)


@njit(cache=True, nogil=True)
def find(table, nodes, node):
    """The position of a node in `nodes`, or -1; and the place in `table` where it is or would be."""
    last = np.uint64(table.size - 1)
    at = mix(np.uint64(node)) & last
    while table[at] >= 0:
        if nodes[table[at]] == node:
            return table[at], at
        at = (at + np.uint64(1)) & last
    return np.int64(-1), at


@njit(cache=True, nogil=True)
def can_start(indptr, table, nodes, node, least):
    """Whether a fire can start at a node: it has not burned, and has at least `least` neighbours."""
    return indptr[node + 1] - indptr[node] >= least and find(table, nodes, node)[0] < 0


@njit(cache=True, nogil=True)
def start_node(indptr, table, nodes, least, stream):
    """A uniform node at which a fire can start; -1 if there is none.

    Where `TRIES` draws miss, so few nodes are left that the first one after a random place is taken.
    """
    n = indptr.size - 1
    for _ in range(TRIES):
        node = draw(stream, n)
        if can_start(indptr, table, nodes, node, least):
            return node
    first = draw(stream, n)
    for step in range(n):
        node = (first + step) % n
        if can_start(indptr, table, nodes, node, least):
            return node
    return np.int64(-1)


@njit(cache=True, nogil=True)
def geometric(burning, most, stream):
    """Draws below `burning` before the first that is not, or `most` if there are more."""
    count = 0
    while count < most and draw(stream, ONE) < burning * ONE:
        count += 1
    return count


@njit(cache=True, nogil=True)
def spread(row, wanted, burned, table, nodes, stream):
    """Burn `wanted` uniform nodes of a row that have not burned, or all of these; how many have burned then.

    From a row at least twice as long as what will have burned, nodes are drawn by rejection, with at most
    two draws a node on average; a shorter row is listed.
    """
    if row.size >= 2 * (burned + wanted):
        stop = burned + wanted
        while burned < stop:
            node = row[draw(stream, row.size)]
            found, at = find(table, nodes, node)
            if found < 0:
                table[at] = burned
                nodes[burned] = node
                burned += 1
        return burned
    fresh = np.empty(row.size, np.int64)
    held = 0
    for node in row:
        if find(table, nodes, node)[0] < 0:
            fresh[held] = node
            held += 1
    for i in range(min(wanted, held)):
        j = i + draw(stream, held - i)
        fresh[i], fresh[j] = fresh[j], fresh[i]
        table[find(table, nodes, fresh[i])[1]] = burned
        nodes[burned] = fresh[i]
        burned += 1
    return burned


@njit(cache=True, nogil=True)
def burn(indptr, indices, burning, table, nodes, stream):
    """Fill `nodes` in the order of burning; the graph has more of them."""
    burned = 0
    next_up = 0  # nodes before this one have spread the fire
    least = 1
    while burned < nodes.size:
        if next_up == burned:
            node = start_node(indptr, table, nodes, least, stream)
            if node < 0:
                least = 0  # all that have neighbours burned
                continue
            table[find(table, nodes, node)[1]] = burned
            nodes[burned] = node
            burned += 1
        row = indices[indptr[nodes[next_up]] : indptr[nodes[next_up] + 1]]
        wanted = geometric(burning, nodes.size - burned, stream)
        if wanted > 0:
            burned = spread(row, wanted, burned, table, nodes, stream)
        next_up += 1


@njit(cache=True, nogil=True)
def induced_rows(indptr, indices, table, nodes):
    """The rows (indptr, indices) of the subgraph that sorted `nodes` induce; `table` is empty."""
    size = nodes.size
    most = 0
    for i in range(size):
        table[find(table, nodes, nodes[i])[1]] = i
        most += min(indptr[nodes[i] + 1] - indptr[nodes[i]], size - 1)
    local_indptr = np.zeros(size + 1, np.int64)
    local = np.empty(most, np.int32)
    held = 0
    for i in range(size):
        low, high = indptr[nodes[i]], indptr[nodes[i] + 1]
        if high - low <= SCAN * size:
            for at in range(low, high):
                j = find(table, nodes, indices[at])[0]
                if j >= 0:
                    local[held] = j
                    held += 1
        else:
            for j in range(size):
                low = first_from(indices, low, high, nodes[j])
                if low < high and indices[low] == nodes[j]:
                    local[held] = j
                    held += 1
        local_indptr[i + 1] = held
    return local_indptr, local[:held].copy()


@njit(cache=True, nogil=True)
def forest_fire(indptr, indices, size, burning, stream):
    """The nodes of a fire, (size,) sorted, and the rows (indptr, indices) of the subgraph they induce."""
    places = 4
    while places < 4 * size:
        places *= 2
    table = np.full(places, -1, np.int64)
    nodes = np.empty(size, np.int64)
    burn(indptr, indices, burning, table, nodes, stream)
    nodes.sort()
    table[:] = -1
    local_indptr, local = induced_rows(indptr, indices, table, nodes)
    return nodes, local_indptr, local


@njit(cache=True, nogil=True)
def entries_of(indptr, indices, nodes, own_indptr, own_indices):
    """Where each entry of the rows of a subgraph on `nodes` stands in the rows of the graph, (2e',) int64."""
    out = np.empty(own_indices.size, np.int64)
    for i in range(nodes.size):
        for at in range(own_indptr[i], own_indptr[i + 1]):
            out[at] = place(indptr, indices, nodes[i], nodes[own_indices[at]])
    return out
