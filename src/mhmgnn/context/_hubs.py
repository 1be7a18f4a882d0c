"""Compiled: how many nodes are adjacent to exactly j of some hubs, from as few row entries as needed."""

from mhmgnn.context._meet import leap, meet
from mhmgnn.graph.csr import place
from mhmgnn.runtime.jit import njit

SEARCH = 8  # nodes that are marked in the time that searching for one takes, about
MOST_MARKED = 255  # hubs that may be marked at once


@njit(cache=True, nogil=True)
def tally_hubs(indptr, indices, weights, hubs, marked, marks, tally, scratch):
    """Write to `tally[j]` how many nodes besides the hubs are adjacent to exactly j, 1 <= j <= h.

    Returns the hubs that are now marked. The longest row is the last. `marked` are the hubs whose rows are
    counted in `scratch.marks`, and `marks[j]` is how many nodes are adjacent to exactly j of these. Sets that
    share all hubs but one, as completed ones do, read only the rows in which they differ. Where it is less
    work, marks stay as they are, and the nodes of all rows but the longest are searched in the others.
    """
    to_search = SEARCH * _entries(indptr, hubs[:-1], marked[:0])
    if to_search < _entries(indptr, hubs, marked) + _entries(indptr, marked, hubs) or hubs.size > MOST_MARKED:
        _search(indptr, indices, weights, hubs, tally, scratch)
        return marked
    for u in marked:
        if not (hubs == u).any():
            mark(indptr, indices, u, -1, marks, scratch)
    for u in hubs:
        if not (marked == u).any():
            mark(indptr, indices, u, 1, marks, scratch)
    tally[1 : hubs.size + 1] = marks[1 : hubs.size + 1]
    for u in hubs:
        tally[scratch.marks[u]] -= 1
    return hubs.copy()


@njit(cache=True, nogil=True)
def mark(indptr, indices, hub, more, marks, scratch):
    """Count the row of a hub in, with `more` of 1, or out, with -1."""
    of = scratch.marks
    for x in range(indptr[hub], indptr[hub + 1]):
        v = indices[x]
        marks[of[v]] -= 1
        of[v] += more
        marks[of[v]] += 1


@njit(cache=True, nogil=True)
def _entries(indptr, nodes, but):
    """How many entries the rows of the nodes have together, without those that are in `but` as well."""
    entries = 0
    for u in nodes:
        if not (but == u).any():
            entries += indptr[u + 1] - indptr[u]
    return entries


@njit(cache=True, nogil=True)
def _search(indptr, indices, weights, hubs, tally, scratch):
    """Write the result of `tally_hubs` without marks."""
    h = hubs.size
    tally[: h + 1] = 0
    if h == 2:
        tally[2] = _common(indptr, indices, hubs[0], hubs[1])
        adjacent = place(indptr, indices, hubs[0], hubs[1]) >= 0
        tally[1] = _entries(indptr, hubs, hubs[:0]) - 2 * (tally[2] + adjacent)
        return
    tally[1] = _entries(indptr, hubs[h - 1 :], hubs[:0])
    held = meet(indptr, indices, weights, hubs, h - 1, scratch)
    for t in range(held):
        tally[1] -= scratch.hubs[t]
        if t >= h:
            tally[scratch.times[scratch.met[t]]] += 1
    scratch.times[scratch.met[:held]] = 0


@njit(cache=True, nogil=True)
def _common(indptr, indices, short, long):
    """How many nodes two rows have in common; the second is searched from where the last one was found."""
    found, at, end = 0, indptr[long], indptr[long + 1]
    for x in range(indptr[short], indptr[short + 1]):
        at = leap(indices, at, end, indices[x])
        if at == end:
            break
        found += indices[at] == indices[x]
    return found
