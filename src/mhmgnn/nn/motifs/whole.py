"""Graphs -> WholeBatch: each graph is one motif, k = n; graphs of any size share a batch as one edge list."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features, SparseRows, select


class WholeBatch(NamedTuple):
    """b graphs with n nodes among them."""

    x: Tensor | SparseRows  # (n', p) float32
    rows: Tensor  # (n,) int64 into x: whose features sit at which node
    source: Tensor  # (e,) int64, the node that each message comes from
    target: Tensor  # (e,) int64, the node that it goes to
    owner: Tensor  # (n,) int64, the graph that each node is in
    edge_attr: Tensor | None  # (e, a) float32
    num_graphs: int  # b


def whole(graphs: Sequence[Graph], *, rows: np.ndarray | None = None) -> WholeBatch:
    """Each of `graphs` as one motif.

    `rows`, (c, n), makes c copies of all graphs, one after another, and says for each node of each copy which
    of the n nodes of all graphs lends it its features. So data and noise by shuffled features are one batch.
    """
    sizes = np.array([graph.num_nodes for graph in graphs])
    n = int(sizes.sum())
    rows = np.arange(n)[None, :] if rows is None else rows
    first = np.cumsum(sizes) - sizes
    targets = np.repeat(np.arange(n), np.concatenate([graph.degrees for graph in graphs]))
    sources = np.concatenate([graph.indices + start for graph, start in zip(graphs, first, strict=True)])
    copies = np.arange(len(rows))[:, None]
    return WholeBatch(
        x=select(_features(graphs), np.arange(n)),
        rows=torch.from_numpy(rows.ravel()),
        source=torch.from_numpy((sources + n * copies).ravel()),
        target=torch.from_numpy((targets + n * copies).ravel()),
        owner=torch.from_numpy((np.repeat(np.arange(len(graphs)), sizes) + len(graphs) * copies).ravel()),
        edge_attr=_edge_attributes(graphs, len(rows)),
        num_graphs=len(graphs) * len(rows),
    )


def _features(graphs: Sequence[Graph]) -> Features:
    widths = sorted({graph.num_features for graph in graphs})
    if len(widths) != 1 or widths == [0]:
        raise DataError(
            f"graphs with {widths} node features in one batch; all need the same number, at least 1"
        )
    given = [graph.x for graph in graphs if graph.x is not None]
    dense = [x for x in given if isinstance(x, np.ndarray)]
    if len(dense) == len(given):
        return np.concatenate(dense)
    return sparse.csr_array(sparse.vstack([sparse.csr_array(x) for x in given]))


def _edge_attributes(graphs: Sequence[Graph], copies: int) -> Tensor | None:
    given = [graph.edge_attr for graph in graphs if graph.edge_attr is not None]
    if not given:
        return None
    widths = sorted({attr.shape[1] for attr in given})
    if len(given) < len(graphs) or len(widths) > 1:
        raise DataError(
            f"{len(given)} of {len(graphs)} graphs have edge attributes, {widths} of them an edge; "
            "all need the same number"
        )
    return torch.from_numpy(np.tile(np.concatenate(given), (copies, 1)))
