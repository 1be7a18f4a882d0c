"""Compiled: groups planted in a graph or drawn from blocks, and which sets lie inside groups."""

import numpy as np
from numba import njit

from mhmgnn.graph.csr import place
from mhmgnn.runtime.rng import mix, uniform


@njit(cache=True, nogil=True)
def plant(indptr, indices, pair, log_affinity, need, starts, stop, again, cover, stream):
    """Plant groups from the pairs `starts`, in that order, until `cover` of all that pairs need is planted.

    `pair` (2e,) numbers the undirected pair of each entry of the rows; `starts` holds such entries; `need`
    (e,) is how often a pair is to be planted. A start whose pair has all it needs is taken with chance
    `again`. `stop` (largest + 1,) is the chance to end at each size. Gives the groups (members, offsets) and
    how often each pair was planted, (e,).
    """
    planted = np.zeros(need.size, np.int64)
    members, offsets = np.empty(1 << 14, np.int64), np.zeros(1 << 12, np.int64)
    source = sources(indptr)
    nodes, score = np.empty(widest(indptr), np.int64), np.empty(widest(indptr))
    group = np.empty(stop.size - 1, np.int64)
    wanted, done, count = need.sum() * cover, 0, np.int64(0)  # typed: a literal has `append` compiled again
    for start in starts:
        if done >= wanted:
            break
        if planted[pair[start]] >= need[pair[start]] and uniform(stream) >= again:
            continue
        group[0], group[1] = source[start], indices[start]
        size = grow(indptr, indices, log_affinity, stop, group, nodes, score, stream)
        for a in range(size):
            for b in range(a):
                e = pair[place(indptr, indices, group[a], group[b])]
                done += planted[e] < need[e]
                planted[e] += 1
        members, offsets = append(members, offsets, count, group[:size])
        count += 1
    return members[: offsets[count]].copy(), offsets[: count + 1].copy(), planted


@njit(cache=True, nogil=True)
def grow(indptr, indices, log_affinity, stop, group, nodes, score, stream):
    """Let nodes adjacent to all members join the pair in `group`, by their affinities to them; its size.

    `nodes` and `score` are scratch, as long as the longest row.
    """
    u, v = group[0], group[1]
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    size, held = 2, 0
    if uniform(stream) < stop[2]:
        return size
    for x in range(indptr[u], indptr[u + 1]):
        y = place(indptr, indices, v, indices[x])
        if y >= 0:
            nodes[held], score[held] = indices[x], log_affinity[x] + log_affinity[y]
            held += 1
    while held > 0 and size < group.size:
        joined = nodes[pick(score, held, stream)]
        group[size] = joined
        size += 1
        if uniform(stream) < stop[size]:
            break
        kept = 0
        for i in range(held):
            y = place(indptr, indices, joined, nodes[i])
            if y >= 0:
                nodes[kept], score[kept] = nodes[i], score[i] + log_affinity[y]
                kept += 1
        held = kept
    return size


@njit(cache=True, nogil=True)
def pick(score, held, stream):
    """A place below `held` with chance proportional to exp(score)."""
    high = score[:held].max()
    mass = 0.0
    for i in range(held):
        mass += np.exp(score[i] - high)
    left = uniform(stream) * mass
    for i in range(held):
        left -= np.exp(score[i] - high)
        if left < 0:
            return i
    return held - 1


@njit(cache=True, nogil=True)
def append(members, offsets, count, group):
    """Write a group behind the first `count` ones, sorted; the arrays, longer where they were full."""
    start = offsets[count]
    if start + group.size > members.size:
        members = np.concatenate((members, np.empty(members.size + group.size, np.int64)))
    if count + 2 > offsets.size:
        offsets = np.concatenate((offsets, np.zeros(offsets.size, np.int64)))
    members[start : start + group.size] = np.sort(group)
    offsets[count + 1] = start + group.size
    return members, offsets


@njit(cache=True, nogil=True)
def sources(indptr):
    """The node in whose row each entry stands, (2e,) int32."""
    out = np.empty(indptr[-1], np.int32)
    for node in range(indptr.size - 1):
        out[indptr[node] : indptr[node + 1]] = node
    return out


@njit(cache=True, nogil=True)
def widest(indptr):
    """The largest degree, at least 1."""
    most = 1
    for node in range(indptr.size - 1):
        most = max(most, indptr[node + 1] - indptr[node])
    return most


@njit(cache=True, nogil=True)
def imagine(order, start, cumulative, log_mixing, stop, pairs, stream):
    """Draw groups from blocks alone until they have `pairs` distinct pairs; the groups (members, offsets).

    The nodes of block b are `order[start[b] : start[b + 1]]`, `cumulative` their weights added up within it.
    The first member's block comes by its weight, a further one's by weight times mixing with each member's.
    """
    largest, n = stop.size - 1, order.size
    weight = np.empty(start.size - 1)
    for b in range(weight.size):
        weight[b] = cumulative[start[b + 1] - 1]
    table = new_table(pairs + largest * largest)
    members, offsets = np.empty(1 << 14, np.int64), np.zeros(1 << 12, np.int64)
    group, score = np.empty(largest, np.int64), np.empty(weight.size)
    distinct, count = 0, np.int64(0)
    for _ in range(30 * pairs):  # where blocks are too small for so many pairs, it ends all the same
        if distinct >= pairs:
            break
        size = draw_group(order, start, cumulative, weight, log_mixing, stop, group, score, stream)
        for a in range(size):
            for b in range(a):
                code = min(group[a], group[b]) * n + max(group[a], group[b])
                at = slot(table, code)
                distinct += table[at] != code
                table[at] = code
        if size > 1:
            members, offsets = append(members, offsets, count, group[:size])
            count += 1
    return members[: offsets[count]].copy(), offsets[: count + 1].copy()


@njit(cache=True, nogil=True)
def draw_group(order, start, cumulative, weight, log_mixing, stop, group, score, stream):
    """Write one group of distinct nodes into `group`; its size, which may be 1 where blocks are tiny."""
    score[:] = np.log(weight)
    size = 0
    while size < group.size:
        block = pick(score, score.size, stream)
        low, high = start[block], start[block + 1]
        at = np.searchsorted(cumulative[low:high], uniform(stream) * weight[block], side="right")
        node = order[min(low + at, high - 1)]
        if (group[:size] == node).any():
            if uniform(stream) < 0.2:
                break
            continue
        group[size] = node
        size += 1
        score += log_mixing[block]
        if size > 1 and uniform(stream) < stop[size]:
            break
    return size


@njit(cache=True, nogil=True)
def pairs_of(members, offsets):
    """All pairs inside all groups, (p, 2); those of several groups repeat."""
    total = 0
    for g in range(offsets.size - 1):
        size = offsets[g + 1] - offsets[g]
        total += size * (size - 1) // 2
    out = np.empty((total, 2), np.int64)
    at = 0
    for g in range(offsets.size - 1):
        for a in range(offsets[g], offsets[g + 1]):
            for b in range(offsets[g], a):
                out[at, 0], out[at, 1] = members[b], members[a]
                at += 1
    return out


@njit(cache=True, nogil=True)
def new_table(codes):
    """An empty hash table with room for so many codes, a power of two of -1."""
    places = 16
    while places < 4 * codes:
        places *= 2
    return np.full(places, -1, np.int64)


@njit(cache=True, nogil=True)
def slot(table, code):
    """The place of a code in the table, or where it would go; -1 is empty, -2 was removed."""
    last = np.uint64(table.size - 1)
    at = mix(np.uint64(code)) & last
    while table[at] != -1 and table[at] != code:
        at = (at + np.uint64(1)) & last
    return at


@njit(cache=True, nogil=True)
def inside(members, offsets, groups_of, first_of, set_members, set_offsets):
    """Whether each set is a group, and whether it lies inside one, (s, 2) bool.

    `groups_of[first_of[v] : first_of[v + 1]]` are the groups of node v; the members of a group are sorted.
    """
    out = np.zeros((set_offsets.size - 1, 2), np.bool_)
    for i in range(out.shape[0]):
        wanted = set_members[set_offsets[i] : set_offsets[i + 1]]
        rare = wanted[0]
        for v in wanted:
            if first_of[v + 1] - first_of[v] < first_of[rare + 1] - first_of[rare]:
                rare = v
        for group in groups_of[first_of[rare] : first_of[rare + 1]]:
            size = offsets[group + 1] - offsets[group]
            if size < wanted.size:
                continue
            every = True
            for v in wanted:
                every = every and place(offsets, members, group, v) >= 0
            out[i, 1] |= every
            out[i, 0] |= every and size == wanted.size
            if out[i, 0]:
                break
    return out
