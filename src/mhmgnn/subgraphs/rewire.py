"""A graph -> a null model: random edges with the same degrees, and optionally the same communities."""

from __future__ import annotations

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.graph.partition import communities
from mhmgnn.runtime.rng import seed_streams
from mhmgnn.subgraphs import _rewire

SWAPS = 10  # attempted swaps per edge


def rewire(graph: Graph, rng: np.random.Generator, *, within: np.ndarray | None = None) -> Graph:
    """The graph with its edges randomly rewired and all degrees kept; counts are carried along.

    With a block for each node, `within`, (n,), the number of edges between two blocks is kept too.
    """
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    forth = source < graph.indices
    pairs = np.column_stack([source[forth], graph.indices[forth]]).astype(np.int64)
    block = np.zeros(graph.num_nodes, np.int64) if within is None else within.astype(np.int64)
    of_entry = block[pairs.ravel()]
    order = np.argsort(of_entry, kind="stable")
    start = np.searchsorted(of_entry[order], np.arange(block.max(initial=0) + 2))
    stream = np.empty((1, 2), np.uint64)
    seed_streams(stream, rng.integers(2**64, dtype=np.uint64), np.zeros(1, np.int64))
    _rewire.swap_ends(pairs, order, start, block, SWAPS * len(pairs), stream[0])
    both = np.concatenate([pairs, pairs[:, ::-1]])
    sort = np.lexsort((both[:, 1], both[:, 0]))
    weights = None if graph.weights is None else np.tile(graph.weights[forth], 2)[sort]
    return Graph(graph.indptr, both[sort, 1].astype(np.int32), weights=weights)


def rewire_in_communities(graph: Graph, rng: np.random.Generator) -> Graph:
    """The graph rewired with its degrees and the numbers of edges between its communities kept."""
    return rewire(graph, rng, within=communities(graph, seed=int(rng.integers(2**31))))
