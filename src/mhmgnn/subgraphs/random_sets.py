"""Random connected k-sets of a graph of any size, nearly uniform and quick: what is usual there."""

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.subgraphs import _growth, _ksets
from mhmgnn.subgraphs.exact import count_roots, list_sets

TRIES = 50  # at a further node, before a set is given up
POOL = 4  # sets grown for each one that is kept
WEIGHED = 8  # k up to which the chance of a set is computed, in 2^k steps, and evens out the draw


def random_connected_sets(graph: Graph, k: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """All connected k-sets if there are at most `most`, else `most` random ones, (m, k) int64, rows sorted.

    Random ones are grown, each from a random pair by random edges that leave the set, and then drawn again by
    1 / the chance that they are grown: nearly uniform, and some come twice. Beyond k = 8 they stay
    as they were grown.
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
    alike = np.full(graph.num_nodes, 0.5)  # every pair is the first as often as any other
    reach = np.cumsum(1 / _growth.chances(_ksets.Rows(*graph.rows), sets, alike))
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
