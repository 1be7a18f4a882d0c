"""Random connected k-sets of a graph of any size, nearly uniform and quick: what is usual there."""

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.subgraphs.exact import count_roots, edge_codes, list_sets

TRIES = 50  # at a further node, before a set is given up
POOL = 4  # sets grown for each one that is kept
WEIGHED = 8  # k up to which the chance of a set is computed, in 2^k steps


def random_connected_sets(graph: Graph, k: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """All connected k-sets if there are at most `most`, else `most` random ones, (m, k) int64, rows sorted.

    Random ones are grown, each from a random pair by random edges that leave the set, and then drawn again by
    1 / the chance that they are grown: nearly uniform, and some come twice. Beyond k = 8 that chance takes
    too long, and they stay as they were grown.
    """
    roots = count_roots(graph, k, limit=most, threads=1)
    if roots is not None:
        return list_sets(roots, k, 0, roots.counts.size, threads=1)
    start = rng.integers(graph.indices.size, size=POOL * most)
    owner = np.searchsorted(graph.indptr, start, side="right") - 1
    sets = np.column_stack([owner, graph.indices[start]]).astype(np.int64)
    for _ in range(2, k):
        sets = _grown(graph, sets, rng)
    sets = np.sort(sets, axis=1)
    if k > WEIGHED or not len(sets):
        return sets[:most]
    reach = np.cumsum(1 / _chances(graph, sets))
    picks = np.searchsorted(reach, (np.arange(most) + rng.random()) * (reach[-1] / most), side="right")
    return np.asarray(sets[picks.clip(max=len(sets) - 1)])


def _grown(graph: Graph, sets: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each set with one more node, the far end of a random edge that leaves it, if it has one."""
    reach = np.cumsum(graph.degrees[sets], axis=1)  # entries of the rows of the first members
    joined = np.full(len(sets), -1, np.int64)
    for _ in range(TRIES):
        waiting = np.flatnonzero(joined < 0)
        if not waiting.size:
            break
        drawn = rng.integers(reach[waiting, -1])
        slot = (drawn[:, None] >= reach[waiting]).sum(axis=1)
        before = np.where(slot > 0, reach[waiting, np.maximum(slot - 1, 0)], 0)
        node = graph.indices[graph.indptr[sets[waiting, slot]] + drawn - before]
        new = (sets[waiting] != node[:, None]).all(axis=1)
        joined[waiting[new]] = node[new]
    return np.column_stack([sets, joined])[joined >= 0]


def _chances(graph: Graph, sets: np.ndarray) -> np.ndarray:
    r"""The chance that each set is grown, up to a factor, (m,).

    .. math:: p(S) = \sum_{v \in S} p(S - v) \, e(v, S - v) / e(S - v, V)

    e counts edges, to v and to outside S - v; p of an adjacent pair is 1. The sum runs over the subsets of a
    set, smaller ones first.
    """
    k = sets.shape[1]
    codes = edge_codes(graph.rows, sets).astype(np.uint64)
    near = np.zeros((k, k, len(sets)))
    pairs = [(i, j) for j in range(k) for i in range(j)]
    for bit, (i, j) in enumerate(pairs):
        near[i, j] = near[j, i] = (codes >> np.uint64(bit)) & np.uint64(1)
    degrees = graph.degrees[sets].T.astype(np.float64)  # (k, m)
    chance: dict[int, np.ndarray] = {}  # by the bits of the subset
    leaving: dict[int, np.ndarray] = {}  # edges from the subset to nodes outside it
    for subset in sorted(range(1, 1 << k), key=int.bit_count):
        inside = [i for i in range(k) if subset >> i & 1]
        leaving[subset] = degrees[inside].sum(axis=0) - near[np.ix_(inside, inside)].sum(axis=(0, 1))
        if len(inside) <= 2:
            chance[subset] = near[inside[0], inside[-1]]
            continue
        chance[subset] = np.zeros(len(sets))
        for v in inside:
            rest = subset ^ 1 << v
            to_v = near[v, [i for i in inside if i != v]].sum(axis=0)
            chance[subset] += chance[rest] * to_v / np.maximum(leaving[rest], 1)
    return chance[(1 << k) - 1]
