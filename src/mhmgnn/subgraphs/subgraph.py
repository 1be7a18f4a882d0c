"""What a training graph is: nodes of the graph that came in, and the edges among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.graph import Graph


class Subgraph(NamedTuple):
    """A graph on some nodes of another, in arrays that cannot be written to; its node i is `nodes[i]`."""

    nodes: np.ndarray  # (s,) int64, sorted, ids in the graph that came in
    indptr: np.ndarray  # (s + 1,) int64
    indices: np.ndarray  # (2e,) int32: the neighbours of its node i, sorted, each from 0 to s - 1

    @classmethod
    def frozen(cls, nodes: np.ndarray, indptr: np.ndarray, indices: np.ndarray) -> Subgraph:
        """A subgraph whose arrays are made read-only, as kernels are compiled for read-only arrays."""
        for array in (nodes, indptr, indices):
            array.setflags(write=False)
        return cls(nodes, indptr, indices)

    @property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """What kernels take: `indptr` and `indices`."""
        return self.indptr, self.indices


def as_subgraph(graph: Graph) -> Subgraph:
    """All of a graph as a subgraph of itself: for training on many graphs as they are."""
    return Subgraph.frozen(np.arange(graph.num_nodes), *graph.rows)
