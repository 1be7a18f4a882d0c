"""A graph and further pairs -> the graph of both: nodes keep their places, new ones come behind them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph.edges import Listing, merge_edges
from mhmgnn.graph.features import FeatureTable, Matrix
from mhmgnn.graph.graph import Graph
from mhmgnn.graph.names import Names


class Joined(NamedTuple):
    """A graph with further pairs, and what they brought."""

    graph: Graph
    nodes: int  # that are new
    pairs: int  # that are new
    again: int  # pairs that were known

    @property
    def changes(self) -> bool:
        """Whether the graph differs from the one before: counts always do, known pairs alone do not."""
        return bool(self.nodes or self.pairs or self.graph.weights is not None)


def join(graph: Graph, further: Graph, features: FeatureTable | None = None) -> Joined:
    """Add the pairs of `further` to those of `graph`, matched by names, or by indices where there are none.

    Counts add up; a pair without a count was seen once. A graph without counts takes the pairs alone. Where
    nodes have features, `features` has those of the new nodes; nodes that are known keep theirs.
    """
    if graph.edge_attr is not None:
        raise DataError("edges have attributes, which further pairs lack; fit anew on all pairs")
    place, names = _places(graph, further)
    n = graph.num_nodes if names is None else len(names)
    n = max(n, int(place.max()) + 1)
    x = _features(graph, names, n, features)
    one, other = _listed(graph), _listed(further, place)
    source, target, counts = (np.concatenate(columns) for columns in zip(one, other, strict=True))
    counted = graph.weights is not None
    listing = Listing(source, target, n, names, x, weights=counts if counted else None, counted=counted)
    indptr, indices, _, _, weights = merge_edges(listing)
    joined = replace(graph, indptr=indptr, indices=indices, x=x, names=names, weights=weights)
    pairs = joined.num_edges - graph.num_edges
    return Joined(joined, n - graph.num_nodes, pairs, further.num_edges - pairs)


def _places(graph: Graph, further: Graph) -> tuple[np.ndarray, Names | None]:
    """Where each node of `further` stands in the joined graph, (m,) int64, and the names there."""
    if (graph.names is None) != (further.names is None):
        known, given = ("indices", "names") if graph.names is None else ("names", "indices")
        raise DataError(f"nodes of the graph are called by {known}, those of the further pairs by {given}")
    if graph.names is None or further.names is None:
        return np.arange(further.num_nodes), None
    place = graph.names.find(further.names.array)
    new = np.flatnonzero(place < 0)
    place[new] = graph.num_nodes + np.arange(new.size)
    every = pa.concat_arrays([graph.names.array, further.names.array.take(pa.array(new))])
    return place, Names.wrap(every)


def _listed(graph: Graph, place: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ends of each pair, the lower place first, and its count, (e,) each."""
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    forth = owner < graph.indices
    ends = owner[forth], graph.indices[forth].astype(np.int64)
    if place is not None:
        a, b = place[ends[0]], place[ends[1]]
        ends = np.minimum(a, b), np.maximum(a, b)
    counts = np.ones(ends[0].size) if graph.weights is None else graph.weights[forth].astype(np.float64)
    return *ends, counts


def _features(graph: Graph, names: Names | None, n: int, table: FeatureTable | None) -> Matrix | None:
    """Features of all nodes of the joined graph; a new node without some is an error."""
    before = graph.num_nodes
    if graph.x is None:
        if table is not None:
            raise DataError("features are given, and the nodes of the graph have none; leave them out")
        return None
    if n == before:
        return graph.x
    if table is None:
        advice = f"give {graph.num_features} features of each (--features)"
        raise DataError(f"{_some_of(names, np.arange(before, n))} new, and nodes have features; {advice}")
    if table.x.shape[1] != graph.num_features:
        raise DataError(
            f"the features have {table.x.shape[1]} columns; those known have {graph.num_features}"
        )
    rows = _rows_of(names, before, n, table)
    if isinstance(graph.x, np.ndarray):
        new = table.x[rows]
        return np.concatenate([graph.x, new if isinstance(new, np.ndarray) else new.toarray()])
    return sparse.csr_array(sparse.vstack([graph.x, sparse.csr_array(table.x[rows])], format="csr"))


def _rows_of(names: Names | None, before: int, n: int, table: FeatureTable) -> np.ndarray:
    """The row of the table for each new node."""
    if table.names is None:
        if names is not None or table.x.shape[0] != n:
            raise DataError(
                f"the features have {table.x.shape[0]} rows without names; let their first column name nodes"
                + ("" if names is not None else f", or give a row for each of {n} nodes")
            )
        return np.arange(before, n)
    new = np.arange(before, n)
    asked = pa.array([str(node) if names is None else names[node] for node in new.tolist()])
    rows = table.names.find(asked)
    if (rows < 0).any():
        raise DataError(f"{_some_of(names, new[rows < 0])} new, and the features have no row for it")
    return rows


def _some_of(names: Names | None, nodes: np.ndarray) -> str:
    first = repr(names[int(nodes[0])]) if names is not None else str(nodes[0])
    return f"node {first} is" if nodes.size == 1 else f"node {first} (and {nodes.size - 1:,} more) is"
