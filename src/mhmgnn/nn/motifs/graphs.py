"""Graphs -> GraphBatch: each graph is one motif, k = n; a batch is one edge list for graphs of any size."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features, SparseRows, select
from mhmgnn.nn.motifs.features import stack_features


class GraphBatch(NamedTuple):
    """b graphs with n nodes in total."""

    x: Tensor | SparseRows  # (n, p) float32
    source: Tensor  # (e,) int64, the node that sends along each edge
    target: Tensor  # (e,) int64, the node that receives
    owner: Tensor  # (n,) int64, the graph of each node
    edge_attr: Tensor | None  # (e, a) float32
    num_graphs: int  # b


def batch_graphs(graphs: Sequence[Graph]) -> GraphBatch:
    """The batch of `graphs`, each as one motif."""
    sizes = np.array([graph.num_nodes for graph in graphs])
    n = int(sizes.sum())
    first = np.cumsum(sizes) - sizes
    targets = np.repeat(np.arange(n), np.concatenate([graph.degrees for graph in graphs]))
    sources = np.concatenate([graph.indices + start for graph, start in zip(graphs, first, strict=True)])
    return GraphBatch(
        x=select(_features(graphs), np.arange(n)),
        source=torch.from_numpy(sources.astype(np.int64)),
        target=torch.from_numpy(targets),
        owner=torch.from_numpy(np.repeat(np.arange(len(graphs)), sizes)),
        edge_attr=_edge_attributes(graphs),
        num_graphs=len(graphs),
    )


def _features(graphs: Sequence[Graph]) -> Features:
    given = [graph.x for graph in graphs if graph.x is not None]
    if len(given) < len(graphs):
        raise DataError(
            f"{len(graphs) - len(given)} of {len(graphs)} graphs have no node features; all need some"
        )
    return stack_features(given)


def _edge_attributes(graphs: Sequence[Graph]) -> Tensor | None:
    given = [graph.edge_attr for graph in graphs if graph.edge_attr is not None]
    if not given:
        return None
    widths = sorted({attr.shape[1] for attr in given})
    if len(given) < len(graphs) or len(widths) > 1:
        raise DataError(
            f"{len(given)} of {len(graphs)} graphs have edge attributes, {widths} of them an edge; "
            "all need the same number"
        )
    return torch.from_numpy(np.concatenate(given))
