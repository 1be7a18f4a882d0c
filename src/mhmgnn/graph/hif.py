"""A graph as a hypergraph of pairs, in HIF, and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from mhmgnn.errors import DataError
from mhmgnn.graph.columns import EdgeFile
from mhmgnn.graph.counts import as_counts
from mhmgnn.graph.edges import Listing, check_size
from mhmgnn.graph.names import Names, id_texts
from mhmgnn.io.hif import is_hif, read_hif, write_hif

if TYPE_CHECKING:
    from mhmgnn.graph.graph import Graph


def list_hif(file: EdgeFile) -> Listing:
    """The edges of a hypergraph whose edges have two nodes; their weights are the counts.

    Nodes 0..n-1 keep their numbers, unless ids are asked for as names; else nodes are named by their texts,
    in the order of the list of nodes, then of the edges. An edge with one node is a self-loop.
    """
    if file.columns is not None or file.edge_attr or file.header is not None or isinstance(file.weights, str):
        raise DataError(
            f"{file.path} is HIF: columns, edge_attr, header and a column of weights are not for it"
        )
    found = read_hif(file.path)
    what = f"{file.path}: a node"
    coded = id_texts([*found.listed, *found.nodes], what).dictionary_encode()
    node = coded.indices.to_numpy()[len(found.listed) :].astype(np.int64)
    n = len(coded.dictionary)
    check_size(n)
    names: Names | None = Names.wrap(coded.dictionary.cast(pa.large_string()))
    if _are_indices([*found.listed, *found.nodes], n) and file.ids != "name":
        node, names = np.array(found.nodes, np.int64), None
    elif file.ids == "index":
        raise DataError(f"{what} is no index; ids='index' needs whole numbers from 0 with none missing")
    edge_ids = id_texts(found.edges, f"{file.path}: an edge").dictionary_encode()
    ends = _two_ends(edge_ids.indices.to_numpy(), node, edge_ids.dictionary, file.path)
    counts = None
    if found.weights and file.weights is not False:
        by_text = {str(edge): weight for edge, weight in found.weights.items()}
        given = [by_text.get(edge, 1) for edge in edge_ids.dictionary.to_pylist()]
        counts = as_counts(given, len(given), f"{file.path}, weights of edges")
    return Listing(ends[:, 0], ends[:, 1], n, names, weights=counts, counted=file.weights is not False)


def save_hif(graph: Graph, path: Path) -> Path:
    """Write each pair as an edge with two nodes, its count as its weight; where it went."""
    if not is_hif(path):
        raise DataError(f"cannot write {path}: HIF ends in .json or .json.gz")
    label: Any = int if graph.names is None else graph.names.__getitem__
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    once = np.flatnonzero(source < graph.indices)

    def incidences() -> Iterator[dict[str, Any]]:
        for number, entry in enumerate(once.tolist()):
            for node in (source[entry], graph.indices[entry]):
                yield {"edge": number, "node": label(node)}

    def weights() -> Iterator[dict[str, Any]]:
        if graph.weights is not None:
            for number, weight in enumerate(graph.weights[once].tolist()):
                yield {"edge": number, "weight": weight, "attrs": {"weight": weight}}  # xgi reads `attrs`

    nodes = ({"node": label(node)} for node in range(graph.num_nodes))
    return write_hif(path, incidences(), nodes=nodes, edges=weights())


def _are_indices(ids: list[Any], n: int) -> bool:
    """Whether the ids are the integers 0..n-1, where n of them differ."""
    return all(type(one) is int for one in ids) and (not ids or (min(ids) == 0 and max(ids) == n - 1))


def _two_ends(edge: np.ndarray, node: np.ndarray, ids: pa.Array, path: Path) -> np.ndarray:
    """The two nodes of each edge, (edges, 2); the same node twice where it has one."""
    order = np.lexsort((node, edge))
    edge, node = edge[order], node[order]
    fresh = np.ones(edge.size, np.bool_)
    fresh[1:] = (np.diff(edge) != 0) | (np.diff(node) != 0)
    edge, node = edge[fresh], node[fresh]
    sizes = np.bincount(edge, minlength=len(ids))
    if sizes.max(initial=0) > 2:
        worst = int(np.argmax(sizes))
        raise DataError(
            f"{path}: edge {ids[worst].as_py()!r} has {sizes[worst]} nodes, and an edge of a graph has two; "
            f"for groups of any size take mhmgnn.datasets.hypergraph or `mhmgnn compare`"
        )
    last = np.cumsum(sizes) - 1
    return (
        np.stack([node[last - sizes + 1], node[last]], axis=1) if sizes.size else np.zeros((0, 2), np.int64)
    )
