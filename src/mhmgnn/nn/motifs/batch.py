"""k-sets -> MotifBatch: the nodes in the slots of each motif, and which slots are adjacent.

The steps `edge_codes`, `edge_attributes` and `batch` are separate because data and noise with shuffled
features share the edges of their k-sets: both go into one batch, which stores the features of each node once.
`gather` does all three for the k-sets of one graph.
"""

from typing import NamedTuple

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs import _kernels
from mhmgnn.subgraphs.exact import edge_codes

Features = np.ndarray | sparse.csr_array  # (n, p) float32

MOST_SLOTS = 11  # 55 pairs fit into the bits of an int64
BLOCK = 16_384  # k-sets that a thread looks up at a time


class SparseRows(NamedTuple):
    """A sparse (n', p) matrix in CSR form; the gradient of torch's own sparse product is slow."""

    indptr: Tensor  # (n' + 1,) int32
    indices: Tensor  # (nnz,) int32, the columns
    values: Tensor  # (nnz,) float32
    columns: int  # p


class MotifBatch(NamedTuple):
    """b motifs on k nodes each."""

    x: Tensor | SparseRows  # (n', p) float32, features of the distinct nodes that occur
    rows: Tensor  # (b, k) int64, the row of x for each slot
    adjacency: Tensor  # (b, k, k) bool, symmetric, False on the diagonal
    edge_attr: Tensor | None  # (b, k, k, a) float32, 0 where there is no edge


def gather(graph: Graph, ksets: np.ndarray, *, features: Features | None = None) -> MotifBatch:
    """The motifs on `ksets`, (b, k) nodes of `graph`, with `features`, by default the graph's own."""
    _check(ksets, graph.num_nodes)
    features = graph.x if features is None else features
    if features is None:
        raise DataError("the graph has no node features; give some as `features`, for example its degrees")
    bits = edge_codes(graph.rows, ksets)
    return batch(features, ksets, bits, edge_attr=edge_attributes(graph, ksets))


def edge_attributes(graph: Graph, ksets: np.ndarray) -> np.ndarray | None:
    """The attributes of the edges inside each k-set, (b, k, k, a), 0 without an edge; None if none."""
    if graph.edge_attr is None:
        return None
    places = np.empty((*ksets.shape, ksets.shape[1]), np.int64)
    _kernels.edge_places(*graph.rows, ksets, places)
    found = np.zeros((*places.shape, graph.edge_attr.shape[1]), np.float32)
    adjacent = places >= 0
    found[adjacent] = graph.edge_attr[places[adjacent]]
    return found


def batch(
    features: Features, nodes: np.ndarray, bits: np.ndarray, *, edge_attr: np.ndarray | None = None
) -> MotifBatch:
    """Motifs with the edges in `bits`, (b,), and in their slots the features of `nodes`, (b, k).

    `nodes` may differ from the k-sets that `bits` belong to: noise puts the features of other nodes there.
    """
    k = nodes.shape[1]
    distinct, rows = _distinct(nodes, features.shape[0])
    return MotifBatch(
        x=select(features, distinct),
        rows=torch.from_numpy(rows),
        adjacency=adjacency(torch.from_numpy(bits), k),
        edge_attr=None if edge_attr is None else torch.from_numpy(edge_attr),
    )


def adjacency(bits: Tensor, k: int) -> Tensor:
    """The (b, k, k) bool adjacency encoded by `bits`, (b,) int64."""
    i, j = torch.meshgrid(torch.arange(k), torch.arange(k), indexing="ij")
    low, high = torch.minimum(i, j), torch.maximum(i, j)
    bit = torch.where(i == j, 63, high * (high - 1) // 2 + low)  # bit 63 is never set
    return (bits[:, None, None] >> bit.to(bits.device) & 1).bool()


def select(features: Features, nodes: np.ndarray) -> Tensor | SparseRows:
    """The rows `nodes` of `features` as tensors; sparse features stay sparse."""
    chosen = features[nodes]
    if isinstance(chosen, np.ndarray):
        return torch.from_numpy(np.ascontiguousarray(chosen, np.float32))
    chosen = sparse.csr_array(chosen)
    return SparseRows(
        indptr=torch.from_numpy(chosen.indptr.astype(np.int32)),
        indices=torch.from_numpy(chosen.indices.astype(np.int32)),
        values=torch.from_numpy(chosen.data.astype(np.float32)),
        columns=int(chosen.shape[1]),
    )


def _distinct(nodes: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct nodes in ascending order, and `nodes` as positions among them."""
    seen = np.zeros(n, bool)
    seen[nodes] = True
    distinct = np.flatnonzero(seen)
    position = np.empty(n, np.int64)  # only the entries of distinct nodes are written and read
    position[distinct] = np.arange(distinct.size)
    return distinct, position[nodes]


def _check(ksets: np.ndarray, n: int) -> None:
    if ksets.ndim != 2 or not 2 <= ksets.shape[1] <= MOST_SLOTS:
        raise DataError(f"k-sets of shape {ksets.shape}; they must be (b, k) with k from 2 to {MOST_SLOTS}")
    if ksets.size and not 0 <= ksets.min() <= ksets.max() < n:
        row = int(((ksets < 0) | (ksets >= n)).any(axis=1).argmax())
        raise DataError(f"k-set {row}, {tuple(ksets[row].tolist())}, names a node outside 0..{n - 1}")
