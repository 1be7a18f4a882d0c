"""Compiled: groups planted in a graph or drawn from blocks, and which sets lie inside groups."""

import numpy as np

from mhmgnn.graph.csr import append_row, longest_row, place, sources
from mhmgnn.runtime.hashtable import add, new_table, pair_code
from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw, uniform


@njit(cache=True, nogil=True)
def plant(indptr, indices, pair, log_affinity, need, starts, stop, again, most, cover, slack, stream):
    """Plant groups that start at the CSR entries `starts`, in order, until a share `cover` of `need` is met.

    `pair`, (2e,), is the undirected edge of each entry, and `need`, (e,), how often each edge is to be
    planted. A start at an edge that already has its need is used with probability `again`, until groups hold
    `most` pairs; such an edge lowers the log affinity of a node that would bring it into a group by `slack`.
    `stop`, (largest + 1,), is the probability to stop growing at each size. Returns the groups (members,
    offsets) and how often each edge was planted, (e,).
    """
    planted = np.zeros(need.size, np.int64)
    members, offsets = np.empty(1 << 14, np.int64), np.zeros(1 << 12, np.int64)
    source = sources(indptr)
    nodes, score = np.empty(longest_row(indptr), np.int64), np.empty(longest_row(indptr))
    group = np.empty(stop.size - 1, np.int64)
    affinity = log_affinity.copy()  # less the slack of edges that have their need
    wanted, done, held = need.sum() * cover, 0, 0
    count = np.int64(0)  # typed: a literal has `append` compiled again
    for start in starts:
        if done >= wanted:
            break
        if planted[pair[start]] >= need[pair[start]] and (held >= most or uniform(stream) >= again):
            continue
        group[0], group[1] = source[start], indices[start]
        size = grow(indptr, indices, affinity, stop, group, nodes, score, stream)
        for a in range(size):
            for b in range(a):
                forth = place(indptr, indices, group[a], group[b])
                e = pair[forth]
                done += planted[e] < need[e]
                planted[e] += 1
                if slack > 0 and planted[e] == need[e]:
                    affinity[forth] -= slack
                    affinity[place(indptr, indices, group[b], group[a])] -= slack
        held += size * (size - 1) // 2
        members, offsets = append_row(members, offsets, count, group[:size])
        count += 1
    return members[: offsets[count]].copy(), offsets[: count + 1].copy(), planted


@njit(cache=True, nogil=True)
def grow(indptr, indices, log_affinity, stop, group, nodes, score, stream):
    """Grow the pair in `group` by nodes adjacent to all members, drawn by affinity; returns its size.

    `nodes` and `score` are scratch arrays, as long as the longest row.
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
    """A random index below `held`, with probability proportional to exp(score)."""
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
def imagine(order, start, cumulative, log_mixing, stop, pairs, stream):
    """Draw groups from a block model until they hold `pairs` distinct pairs; the groups (members, offsets).

    The nodes of block b are `order[start[b] : start[b + 1]]`, and `cumulative` are running sums of their
    weights. The block of the first member is drawn by its weight, that of a further member by its weight
    times its mixing with the block of each member so far.
    """
    largest, n = stop.size - 1, order.size
    weight = np.empty(start.size - 1)
    for b in range(weight.size):
        weight[b] = cumulative[start[b + 1] - 1]
    table = new_table(pairs + largest * largest)
    members, offsets = np.empty(1 << 14, np.int64), np.zeros(1 << 12, np.int64)
    group, score = np.empty(largest, np.int64), np.empty(weight.size)
    distinct, count = 0, np.int64(0)
    for _ in range(30 * pairs):  # a bound, as small blocks may not have so many distinct pairs
        if distinct >= pairs:
            break
        size = draw_group(order, start, cumulative, weight, log_mixing, stop, group, score, stream)
        for a in range(size):
            for b in range(a):
                distinct += add(table, pair_code(group[a], group[b], n))
        if size > 1:
            members, offsets = append_row(members, offsets, count, group[:size])
            count += 1
    return members[: offsets[count]].copy(), offsets[: count + 1].copy()


@njit(cache=True, nogil=True)
def draw_group(order, start, cumulative, weight, log_mixing, stop, group, score, stream):
    """Draw one group of distinct nodes into `group`; returns its size, which can be 1 if blocks are tiny."""
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


@njit(cache=True, nogil=True)
def missing_pairs(indptr, indices, members, offsets):
    """The pairs of members of each group that are not adjacent, (m, 3): the group and their places in it."""
    out = np.empty((16, 3), np.int64)
    count = 0
    for g in range(offsets.size - 1):
        for a in range(offsets[g], offsets[g + 1]):
            for b in range(offsets[g], a):
                if place(indptr, indices, members[a], members[b]) < 0:
                    if count == out.shape[0]:
                        out = np.concatenate((out, np.empty_like(out)))
                    out[count] = (g, b - offsets[g], a - offsets[g])
                    count += 1
    return out[:count].copy()


@njit(cache=True, nogil=True)
def torn_sets(members, offsets, missing, k, stream):
    """For each row of `missing_pairs` k members of its group, among them the pair, (m, k)."""
    out = np.empty((missing.shape[0], k), np.int64)
    for i in range(out.shape[0]):
        group = members[offsets[missing[i, 0]] : offsets[missing[i, 0] + 1]].copy()
        a, b = missing[i, 1], missing[i, 2]  # a < b
        group[0], group[a] = group[a], group[0]
        group[1], group[b] = group[b], group[1]
        for at in range(2, k):
            other = at + draw(stream, group.size - at)
            group[at], group[other] = group[other], group[at]
        out[i] = np.sort(group[:k])
    return out
