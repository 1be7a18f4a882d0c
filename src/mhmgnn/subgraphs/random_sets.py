"""Random connected k-sets of a graph of any size, quickly: what is usual there."""

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.subgraphs.exact import count_roots, list_sets

TRIES = 50  # at a further node, before a set is given up


def random_connected_sets(graph: Graph, k: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """All connected k-sets if there are at most `most`, else about `most` random ones, (m, k), rows sorted.

    A random one grows from a random pair: a random edge that leaves the set adds its far end. Sets that
    cannot grow to k nodes are left out. They are not uniform: a set that can grow in many ways is likelier.
    """
    roots = count_roots(graph, k, limit=most, threads=1)
    if roots is not None:
        return list_sets(roots, k, 0, roots.counts.size, threads=1)
    start = rng.integers(graph.indices.size, size=most)
    owner = np.searchsorted(graph.indptr, start, side="right") - 1
    sets = np.column_stack([owner, graph.indices[start]]).astype(np.int64)
    for _ in range(2, k):
        sets = _grown(graph, sets, rng)
    return np.sort(sets, axis=1)


def _grown(graph: Graph, sets: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each set with one more node; without those for which none was found."""
    reach = np.cumsum(graph.degrees[sets], axis=1)  # entries of the rows of the first members
    joined = np.full(len(sets), -1, np.int64)
    for _ in range(TRIES):
        open_ = np.flatnonzero(joined < 0)
        if not open_.size:
            break
        drawn = rng.integers(reach[open_, -1])
        slot = (drawn[:, None] >= reach[open_]).sum(axis=1)
        before = np.where(slot > 0, reach[open_, np.maximum(slot - 1, 0)], 0)
        node = graph.indices[graph.indptr[sets[open_, slot]] + drawn - before]
        new = (sets[open_] != node[:, None]).all(axis=1)
        joined[open_[new]] = node[new]
    return np.column_stack([sets, joined])[joined >= 0]
