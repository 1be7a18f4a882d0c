"""Graphs of other libraries (SciPy, NetworkX, PyG) -> a `Listing`; and back to SciPy and PyG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph.counts import as_counts
from mhmgnn.graph.edges import Listing, check_size
from mhmgnn.graph.features import as_array, as_matrix
from mhmgnn.graph.names import Names

if TYPE_CHECKING:
    from mhmgnn.graph.graph import Graph


def list_matrix(matrix: Any, what: str, *, weights: bool = True, edge_attr: bool = False) -> Listing:
    """The entries of a square sparse matrix that are not zero.

    Their values are the counts, if `weights`, unless all are one; `edge_attr` keeps them as attributes.
    """
    shape = tuple(getattr(matrix, "shape", ()))
    is_sparse = bool(sparse.issparse(matrix))
    if not is_sparse or len(shape) != 2 or shape[0] != shape[1]:
        raise DataError(
            f"{what}: {type(matrix).__name__} of shape {shape}; a square SciPy sparse matrix is needed"
        )
    check_size(shape[0])
    entries: Any = sparse.coo_array(matrix)
    stored = entries.data != 0
    source, target, data = entries.row[stored], entries.col[stored], entries.data[stored]
    values = as_array(data[:, None], what) if edge_attr else None
    counts = as_counts(data, data.size, what) if weights and (data != 1).any() else None
    return Listing(source, target, shape[0], edge_attr=values, mirrored=True, weights=counts, counted=weights)


def list_networkx(
    graph: Any, features: Any, edge_attr: Sequence[str], weights: str | Literal[False]
) -> Listing:
    """The edges of a NetworkX graph of any kind; nodes 0..n-1 keep their numbers, others become names.

    The counts are the edge attribute `weights`, if an edge has it and it is none of `edge_attr`.
    """
    nodes = list(graph.nodes)
    n = len(nodes)
    counted = all(
        isinstance(node, int | np.integer) and not isinstance(node, bool) for node in nodes
    ) and sorted(nodes) == list(range(n))
    if counted:
        nodes = list(range(n))
    names = None if counted else Names.of([str(node) for node in nodes])
    index = {node: i for i, node in enumerate(nodes)}
    ends = np.array([(index[u], index[v]) for u, v in graph.edges()], np.int64).reshape(-1, 2)
    x = None
    if isinstance(features, str):
        x = as_matrix(_attributes(graph.nodes, nodes, features, "node"), f"node attribute {features!r}")
    elif features is not None:
        x = as_matrix(features, "features")
    attr = None
    if edge_attr:
        cells = [
            [_attribute(data, name, "edge", (u, v)) for name in edge_attr]
            for u, v, data in graph.edges(data=True)
        ]
        attr = as_array(np.array(cells).reshape(-1, len(edge_attr)), "edge_attr")
    counts = None
    if weights and weights not in edge_attr and any(weights in data for _, _, data in graph.edges(data=True)):
        given = [_attribute(data, weights, "edge", (u, v)) for u, v, data in graph.edges(data=True)]
        counts = as_counts(given, len(given), f"edge attribute {weights!r}")
    return Listing(ends[:, 0], ends[:, 1], n, names, x, attr, weights=counts, counted=weights is not False)


def list_pyg(data: Any, names: Names | None, *, weights: bool = True) -> Listing:
    """The edges, features, edge attributes and edge weights of a PyG `Data`; the rest is left behind."""
    if data.edge_index is None:
        raise DataError("the PyG data has no edge_index; it is needed, (2, m) integers")
    source, target = np.asarray(data.edge_index.cpu()).astype(np.int64)
    stated = data.x is not None or "num_nodes" in data
    n = int(data.num_nodes) if stated else int(max(source.max(initial=-1), target.max(initial=-1))) + 1
    broken = (source < 0) | (source >= n) | (target < 0) | (target >= n)
    if broken.any():
        edge = int(np.argmax(broken))
        raise DataError(
            f"edge {edge} of the PyG data is ({source[edge]}, {target[edge]}), outside 0..{n - 1}"
        )
    x = None if data.x is None else as_matrix(_detached(data.x), "x of the PyG data")
    attr = None
    if data.edge_attr is not None:
        values = _detached(data.edge_attr)
        attr = as_array(values[:, None] if values.ndim == 1 else values, "edge_attr of the PyG data")
    counts = None
    if weights and data.get("edge_weight") is not None:
        counts = as_counts(_detached(data.edge_weight), source.size, "edge_weight of the PyG data")
    return Listing(source, target, n, names, x, attr, mirrored=True, weights=counts, counted=weights)


def to_matrix(graph: Graph, *, weight: int | None, counts: bool) -> sparse.csr_array:
    """The symmetric adjacency matrix: ones, column `weight` of `edge_attr`, or `counts` where known."""
    values = np.ones(graph.indices.size, np.float32)
    if weight is not None:
        width = 0 if graph.edge_attr is None else graph.edge_attr.shape[1]
        if graph.edge_attr is None or not 0 <= weight < width:
            raise DataError(f"there is no edge attribute {weight}; this graph has {width}")
        values = graph.edge_attr[:, weight].copy()
    elif counts and graph.weights is not None:
        values = graph.weights
    shape = (graph.num_nodes, graph.num_nodes)
    return sparse.csr_array((values, graph.indices, graph.indptr), shape=shape, copy=True)


def to_pyg(graph: Graph) -> Any:
    """A PyG `Data` with every edge both ways, its counts as `edge_weight`; sparse features become dense."""
    import torch
    from torch_geometric.data import Data

    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    data = Data(edge_index=torch.from_numpy(np.stack([source, graph.indices])), num_nodes=graph.num_nodes)
    if graph.x is not None:
        data.x = torch.from_numpy(graph.x.copy() if isinstance(graph.x, np.ndarray) else graph.x.toarray())
    if graph.edge_attr is not None:
        data.edge_attr = torch.from_numpy(graph.edge_attr.copy())
    if graph.weights is not None:
        data.edge_weight = torch.from_numpy(graph.weights.copy())
    return data


def _detached(tensor: Any) -> Any:
    """A tensor as a NumPy array, or as a SciPy matrix if it is sparse."""
    import torch

    tensor = tensor.detach().cpu()
    if tensor.layout == torch.strided:
        return tensor.numpy()
    entries = tensor.to_sparse_coo().coalesce()
    return sparse.coo_array((entries.values().numpy(), entries.indices().numpy()), shape=tuple(tensor.shape))


def _attributes(holder: Any, items: Sequence[Any], name: str, kind: str) -> np.ndarray:
    values = [np.atleast_1d(_attribute(holder[item], name, kind, item)) for item in items]
    if len({value.shape for value in values}) > 1:
        raise DataError(
            f"{kind} attribute {name!r} has not the same length everywhere; every {kind} needs the same"
        )
    return np.stack(values)


def _attribute(data: Any, name: str, kind: str, item: object) -> Any:
    if name not in data:
        raise DataError(f"{kind} {item!r} has no attribute {name!r}; every {kind} needs it")
    return data[name]
