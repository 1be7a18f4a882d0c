"""Many graphs as one graph without edges between them, with features for every node."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features
from mhmgnn.nn.motifs.features import stack_features


class Union(NamedTuple):
    """Many graphs side by side as one graph without edges between them."""

    graph: Graph  # n nodes, those of the first graph first; features, and nothing else beside the edges
    owner: np.ndarray  # (n,) int64, ascending: the graph that each node came from
    num_graphs: int


def features_of(graph: Graph, wanted: int | None = None) -> Features:
    """The features of the nodes, (n, p) float32: a column of ones where the graph has none.

    `wanted` is the number of columns that a model was trained on; another number is refused.
    """
    x = np.ones((graph.num_nodes, 1), np.float32) if graph.x is None else graph.x
    if wanted is not None and x.shape[1] != wanted:
        raise DataError(
            f"the graph has {graph.num_features} node features; the baseline was trained on {wanted}"
            ": give a graph with as many"
        )
    return x


def union(graphs: Graph | Sequence[Graph]) -> Union:
    """The disjoint union of the graphs, of one node or more; nodes without features get a column of ones.

    Features are sparse unless those of every graph are dense. Edge attributes and names stay behind.
    """
    graphs = [graphs] if isinstance(graphs, Graph) else list(graphs)
    _check(graphs)
    sizes = np.array([graph.num_nodes for graph in graphs])
    first = np.cumsum(sizes) - sizes
    entries = np.cumsum([0, *(graph.indices.size for graph in graphs)])
    indptr = [graph.indptr[1:] + before for graph, before in zip(graphs, entries[:-1], strict=True)]
    indices = [graph.indices + start for graph, start in zip(graphs, first.astype(np.int32), strict=True)]
    return Union(
        graph=Graph(
            np.concatenate([[0], *indptr]),
            np.concatenate(indices),
            stack_features([features_of(graph) for graph in graphs]),
        ),
        owner=np.repeat(np.arange(len(graphs)), sizes),
        num_graphs=len(graphs),
    )


def _check(graphs: Sequence[Graph]) -> None:
    if not sum(graph.num_nodes for graph in graphs):
        raise DataError(f"{len(graphs)} graphs without a node among them; a baseline needs at least one node")
    widths = sorted({graph.num_features for graph in graphs})
    if len(widths) != 1:
        raise DataError(f"graphs with {widths} node features; all need the same number")
