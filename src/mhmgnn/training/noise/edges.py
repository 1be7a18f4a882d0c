"""Noise for graphs without features: the same nodes with edges that are not there."""

import numpy as np

from mhmgnn.graph import _random_pairs
from mhmgnn.subgraphs.subgraph import Subgraph
from mhmgnn.training.noise import _kernels


def with_added_edges(subgraph: Subgraph, number: int, noise: int = 0, *, key: int | np.uint64) -> Subgraph:
    """Noise graph `noise` of a subgraph: as many new edges as it has nodes, uniform among the missing ones.

    Where fewer are missing it is the complete graph, and a complete graph is its own noise. The new edges are
    fixed by the subgraph, `key`, its `number` and `noise` alone.
    """
    n = subgraph.nodes.size
    pairs = n * (n - 1) // 2
    missing = pairs - subgraph.indices.size // 2
    stream = np.empty((1, 2), np.uint64)
    _kernels.seed_noise(stream, np.uint64(key), np.array([number], np.int64), noise)
    codes = np.empty(min(n, missing), np.int64)
    if 4 * (missing - codes.size) >= pairs:  # four draws a new edge at most, on average
        _random_pairs.draw_pairs(*subgraph.rows, stream[0], codes)
    else:
        _random_pairs.pick_pairs(*subgraph.rows, missing, stream[0], codes)
    return Subgraph.frozen(subgraph.nodes, *_random_pairs.add_edges(*subgraph.rows, codes))
