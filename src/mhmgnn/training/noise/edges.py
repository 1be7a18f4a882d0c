"""Noise by added edges: the same nodes with as many new edges as nodes."""

import numpy as np

from mhmgnn.graph import _random_pairs
from mhmgnn.subgraphs.subgraph import Subgraph
from mhmgnn.training.noise import _kernels
from mhmgnn.training.noise.noise import Noise, TrainingGraph


class AddedEdges(Noise):
    """The training graph with random edges added; their attributes are drawn from the existing edges."""

    name = "edges"
    about = "random edges added"

    def contrast(self, data: TrainingGraph, number: int, copy: int, key: np.uint64) -> TrainingGraph:
        made = with_added_edges(data.subgraph, number, copy, key=key)
        if data.edge_attr is None:
            return TrainingGraph(made)
        rng = np.random.default_rng([int(key), number, copy])
        return TrainingGraph(made, _extended(data.subgraph, data.edge_attr, made, rng))


def with_added_edges(subgraph: Subgraph, number: int, noise: int = 0, *, key: int | np.uint64) -> Subgraph:
    """Noise graph `noise` of a subgraph: as many new edges as it has nodes, uniform among the missing ones.

    If fewer edges are missing, all of them are added; a complete graph is its own noise. The new edges depend
    only on the subgraph, `key`, its `number` and `noise`.
    """
    n = subgraph.nodes.size
    pairs = n * (n - 1) // 2
    missing = pairs - subgraph.indices.size // 2
    stream = np.empty((1, 2), np.uint64)
    _kernels.seed_noise(stream, np.uint64(key), np.array([number], np.int64), noise)
    codes = np.empty(min(n, missing), np.int64)
    if 4 * (missing - codes.size) >= pairs:  # rejection sampling takes at most four draws per edge on average
        _random_pairs.draw_pairs(*subgraph.rows, stream[0], codes)
    else:
        _random_pairs.pick_pairs(*subgraph.rows, missing, stream[0], codes)
    return Subgraph.frozen(subgraph.nodes, *_random_pairs.add_edges(*subgraph.rows, codes))


def _extended(before: Subgraph, attr: np.ndarray, after: Subgraph, rng: np.random.Generator) -> np.ndarray:
    """The attributes of all edges of `after`, (2e', a); those of new edges are drawn from `before`."""
    old, new = (np.repeat(np.arange(g.nodes.size), np.diff(g.indptr)) for g in (before, after))
    n = before.nodes.size
    old_code, new_code = (side * n + g.indices for side, g in ((old, before), (new, after)))
    known = np.searchsorted(old_code, new_code).clip(max=max(old_code.size - 1, 0))
    is_old = old_code[known] == new_code if old_code.size else np.zeros(new_code.size, bool)
    extended = np.zeros((new_code.size, attr.shape[1]), attr.dtype)
    extended[is_old] = attr[known[is_old]]
    added = np.flatnonzero(~is_old & (new < after.indices))
    if old_code.size:
        extended[added] = attr[rng.integers(old_code.size, size=added.size)]
    back = np.searchsorted(new_code, after.indices[added].astype(np.int64) * n + new[added])
    extended[back] = extended[added]
    return extended
