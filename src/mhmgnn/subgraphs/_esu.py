"""Compiled enumeration of connected k-sets, each met once (the ESU order of Wernicke, 2006).

Nodes are numbered by rising degree here, and a k-set belongs to its lowest node, its root: hubs come last, so
that no root owns more than its share.
"""

import numpy as np

from mhmgnn.runtime.jit import njit


@njit(cache=True, nogil=True)
def ball(indptr, indices, node, radius):
    """The nodes at most `radius` steps away from `node`, which comes first, nearer ones before others."""
    n = indptr.size - 1
    seen = np.zeros(n, np.bool_)
    found = np.empty(n, np.int64)
    seen[node] = True
    found[0] = node
    low, high = 0, 1
    for _ in range(radius):
        held = high
        for i in range(low, high):
            for v in indices[indptr[found[i]] : indptr[found[i] + 1]]:
                if not seen[v]:
                    seen[v] = True
                    found[held] = v
                    held += 1
        low, high = high, held
    return found[:high].copy()


@njit(cache=True, nogil=True)
def by_rank(indptr, indices, order, rank):
    """The rows of the nodes in `order`, all renamed to their rank, each row sorted; rank -1 is left out."""
    start = np.zeros(order.size + 1, np.int64)
    for r in range(order.size):
        held = 0
        for at in range(indptr[order[r]], indptr[order[r] + 1]):
            held += rank[indices[at]] >= 0
        start[r + 1] = start[r] + held
    ranked = np.empty(start[-1], np.int32)
    for r in range(order.size):
        row = ranked[start[r] : start[r + 1]]
        held = 0
        for at in range(indptr[order[r]], indptr[order[r] + 1]):
            if rank[indices[at]] >= 0:
                row[held] = rank[indices[at]]
                held += 1
        row.sort()
    return start, ranked


@njit(cache=True, nogil=True)
def walk_roots(indptr, indices, k, low, high, order, shape_of, limit, stop, counts, shapes, ksets):
    """Meet every connected k-set whose root is in low..high, in the order of roots.

    Writes `counts[root]`; where `shape_of` is not empty, the number of k-sets of each shape into `shapes`;
    where `ksets` (c, k) is not empty, the k-sets themselves, as sorted `order` numbers. Gives up past `limit`
    k-sets or once `stop[0]` is set: the counts are then short, and the last one is -1.
    """
    n = indptr.size - 1
    near = np.zeros(n, np.uint16)  # bit d: adjacent to the node chosen at depth d
    reach = np.empty((max(k - 2, 1), n), np.int32)  # nodes that may join, at each depth
    size = np.zeros(max(k - 2, 1), np.int64)
    chosen = np.empty(k - 1, np.int64)
    code = np.zeros(k - 1, np.int64)
    prefix = np.empty(k - 1, np.int64)
    last = k - 2  # depth of the last node that is chosen one by one; the k-th ones are taken all at once
    written = 0
    met = 0
    for root in range(low, high):
        before = met
        depth = -1
        w = np.int64(root)
        while True:
            depth += 1
            chosen[depth] = w
            bit = np.uint16(1 << depth)
            code[depth] = (
                0 if depth == 0 else code[depth - 1] | (np.int64(near[w]) << (depth * (depth - 1) // 2))
            )
            left = size[depth - 1] if depth else 0  # nodes that were waiting to join beside w
            if depth < last:
                for i in range(left):
                    reach[depth, i] = reach[depth - 1, i]
                held = left
                for at in range(indptr[w + 1] - 1, indptr[w] - 1, -1):
                    u = indices[at]
                    if u <= root:
                        break
                    if near[u] == 0:
                        reach[depth, held] = u
                        held += 1
                    near[u] |= bit
                size[depth] = held
            else:
                if ksets.size:
                    for i in range(k - 1):
                        prefix[i] = order[chosen[i]]
                    prefix.sort()
                    for i in range(left):
                        insert(prefix, order[reach[depth - 1, i]], ksets[written])
                        written += 1
                met += left
                shift = (k - 1) * (k - 2) // 2
                for at in range(indptr[w + 1] - 1, indptr[w] - 1, -1):
                    u = indices[at]
                    if u <= root:
                        break
                    if near[u] == 0:
                        met += 1
                        if shape_of.size:
                            shapes[shape_of[code[depth] | (np.int64(bit) << shift)]] += 1
                        if ksets.size:
                            insert(prefix, order[u], ksets[written])
                            written += 1
                    elif shape_of.size:
                        near[u] |= bit
                if shape_of.size:
                    for i in range(left):
                        shapes[shape_of[code[depth] | (np.int64(near[reach[depth - 1, i]]) << shift)]] += 1
                    for at in range(indptr[w + 1] - 1, indptr[w] - 1, -1):
                        if indices[at] <= root:
                            break
                        near[indices[at]] &= ~bit
                depth -= 1
            while depth >= 0 and size[depth] == 0:
                bit = np.uint16(1 << depth)
                w = chosen[depth]
                for at in range(indptr[w + 1] - 1, indptr[w] - 1, -1):
                    if indices[at] <= root:
                        break
                    near[indices[at]] &= ~bit
                depth -= 1
            if depth < 0:
                break
            if met > limit or stop[0]:
                counts[root] = -1
                return
            size[depth] -= 1
            w = np.int64(reach[depth, size[depth]])
        counts[root] = met - before
        if met > limit:
            counts[root] = -1
            return


@njit(cache=True, nogil=True, inline="always")
def insert(prefix, node, kset):
    """Write the sorted `prefix` and `node` into `kset`, sorted."""
    at = prefix.size
    while at > 0 and prefix[at - 1] > node:
        kset[at] = prefix[at - 1]
        at -= 1
    kset[at] = node
    for i in range(at):
        kset[i] = prefix[i]
