"""Graphs -> what learned baselines read: features for torch, many graphs as one, nodes with neighbours."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.encoders.layers import times
from mhmgnn.nn.motifs.batch import Features, SparseRows


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


class TwoWay(NamedTuple):
    """A sparse (n, p) matrix and its transpose: the way back through a product is as quick as the way on."""

    matrix: SparseRows  # (n, p)
    transpose: SparseRows  # (p, n)


def two_way(features: Features) -> Tensor | TwoWay:
    """A matrix for `product`; sparse stays sparse."""
    if isinstance(features, np.ndarray):
        return torch.tensor(features)
    matrix, transpose = (_sparse_rows(m) for m in (features, sparse.csr_array(features.T)))
    return TwoWay(matrix, transpose)


def product(matrix: Tensor | TwoWay, dense: Tensor) -> Tensor:
    """(n, p) times (p, out); gradients go to `dense` alone where the matrix is sparse."""
    if isinstance(matrix, Tensor):
        return matrix @ dense
    result: Tensor = _Product.apply(dense, matrix)  # type: ignore[no-untyped-call]
    return result


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, matrix: TwoWay) -> Tensor:
        ctx.transpose = matrix.transpose
        return times(matrix.matrix, dense.T)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return times(ctx.transpose, grads[0].T), None


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
            _stacked([features_of(graph) for graph in graphs]),
        ),
        owner=np.repeat(np.arange(len(graphs)), sizes),
        num_graphs=len(graphs),
    )


class Hood(NamedTuple):
    """Neighbours of m nodes, as rows among the nodes of the layer below."""

    own: Tensor  # (m,) int64, where each node itself is
    indptr: Tensor  # (m + 1,) int64
    indices: Tensor  # (indptr[-1],) int64: the neighbours of node i are indices[indptr[i] : indptr[i + 1]]


class Surroundings(NamedTuple):
    """All that the vectors of m nodes are made from."""

    x: Tensor | TwoWay  # (n'', p) float32, features of the nodes at most two edges away
    inner: Hood  # of the n' nodes at most one edge away, among the n''
    outer: Hood  # of the m nodes, among the n'


Keys = Callable[[np.ndarray], np.ndarray]  # degrees, (m,) -> a number from 0 to below 1 for each neighbour


def surround(
    graph: Graph, features: Features, nodes: np.ndarray, sizes: tuple[int, int], *, keys: Keys
) -> Surroundings:
    """What is around the nodes: `sizes` neighbours at most, those of the smallest keys, near and far.

    A node with fewer neighbours has them all, once: a draw with replacement would read them many times over.
    """
    one_away, outer = _hood(graph, nodes, sizes[0], keys)
    two_away, inner = _hood(graph, one_away, sizes[1], keys)
    return Surroundings(two_way(features[two_away]), inner, outer)


def _hood(graph: Graph, nodes: np.ndarray, size: int, keys: Keys) -> tuple[np.ndarray, Hood]:
    """The nodes and their neighbours, ascending, and which of these are whose neighbours."""
    degrees = graph.degrees[nodes]
    row = np.repeat(np.arange(nodes.size), degrees)
    place = np.arange(row.size) - np.repeat(np.cumsum(degrees) - degrees, degrees)
    order = np.argsort(row + keys(degrees), kind="stable")[place < size]  # rows stay together
    neighbours = graph.indices[np.repeat(graph.indptr[nodes], degrees)[order] + place[order]]
    below, at = np.unique(np.concatenate([nodes, neighbours]), return_inverse=True)
    return below, Hood(
        own=torch.from_numpy(at[: nodes.size]),
        indptr=torch.from_numpy(np.concatenate([[0], np.cumsum(np.minimum(degrees, size))])),
        indices=torch.from_numpy(at[nodes.size :]),
    )


def in_turn(degrees: np.ndarray) -> np.ndarray:
    """Keys that leave neighbours in their order."""
    return np.zeros(degrees.sum())


def by_degree(seed: int) -> Keys:
    """Keys that are the same for all nodes of a degree: other nodes of the graph do not matter."""

    def keys(degrees: np.ndarray) -> np.ndarray:
        drawn = {d: np.random.default_rng([seed, d]).random(d) for d in np.unique(degrees).tolist()}
        return np.concatenate([np.empty(0), *(drawn[d] for d in degrees.tolist())])

    return keys


def _sparse_rows(matrix: sparse.csr_array) -> SparseRows:
    return SparseRows(
        indptr=torch.tensor(matrix.indptr, dtype=torch.int32),
        indices=torch.tensor(matrix.indices, dtype=torch.int32),
        values=torch.tensor(matrix.data, dtype=torch.float32),
        columns=int(matrix.shape[1]),
    )


def _check(graphs: Sequence[Graph]) -> None:
    if not sum(graph.num_nodes for graph in graphs):
        raise DataError(f"{len(graphs)} graphs without a node among them; a baseline needs at least one node")
    widths = sorted({graph.num_features for graph in graphs})
    if len(widths) != 1:
        raise DataError(f"graphs with {widths} node features; all need the same number")


def _stacked(features: Sequence[Features]) -> Features:
    if len(features) == 1:
        return features[0]
    dense = [x for x in features if isinstance(x, np.ndarray)]
    if len(dense) == len(features):
        return np.concatenate(dense)
    return sparse.csr_array(sparse.vstack([sparse.csr_array(x) for x in features]))
