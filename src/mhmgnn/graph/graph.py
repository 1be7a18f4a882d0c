"""A graph comes in: checked once, then frozen rows, node features and names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph.columns import EdgeFile
from mhmgnn.graph.convert import list_matrix, list_networkx, list_pyg, to_matrix, to_pyg
from mhmgnn.graph.counts import NAME_COUNTS, as_counts, described
from mhmgnn.graph.edges import Listing, Merged, merge_edges
from mhmgnn.graph.features import Matrix, as_array, as_matrix, feature_table
from mhmgnn.graph.hif import save_hif
from mhmgnn.graph.lookup import list_pairs, look_up_rows, look_up_sets, table_rows, written_rows
from mhmgnn.graph.names import Names
from mhmgnn.graph.readers import list_file
from mhmgnn.graph.saved import load_graph, save_graph
from mhmgnn.graph.sets import Sets
from mhmgnn.io.arrays import is_stored
from mhmgnn.runtime.console import say

AnyPath = str | os.PathLike[str]
NOTHING_MERGED = Merged(0, 0)


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph without self-loops or repeated edges, in arrays that cannot be written to.

    >>> graph = Graph.from_edges([["beans", "grinder"], ["grinder", "espresso"], ["espresso", "grinder"]])
    >>> graph, graph.merged.repeated, graph.ksets([["espresso", "beans"]]).tolist()
    (Graph(3 nodes, 2 edges, counts 1 to 2, mean 1.5), 1, [[0, 2]])

    In Python an integer always means an index, a text always means a name. Names are held as texts.
    """

    indptr: np.ndarray  # (n + 1,) int64
    indices: np.ndarray  # (2e,) int32, the neighbours of v in order: indices[indptr[v] : indptr[v + 1]]
    x: Matrix | None = None  # (n, p) float32
    edge_attr: np.ndarray | None = None  # (2e, a) float32, a row for each of `indices`, the same both ways
    names: Names | None = None
    merged: Merged = NOTHING_MERGED  # when edges were read; nothing where the arrays were given
    weights: np.ndarray | None = None  # (2e,) float32: how often each pair was seen; None where unknown

    def __post_init__(self) -> None:
        for name in ("indptr", "indices", "x", "edge_attr", "weights"):
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, _frozen(value))
            elif value is not None:
                for part in (value.data, value.indices, value.indptr):
                    part.setflags(write=False)

    @classmethod
    def from_edges(
        cls,
        edges: Any,
        *,
        weights: Any = None,
        features: Any = None,
        names: Names | Iterable[object] | None = None,
        edge_attr: Any = None,
        num_nodes: int | None = None,
    ) -> Graph:
        """A graph from pairs of nodes, as an (m, 2) array or a list.

        Integers are indices. Texts are names, taken in order of appearance where `names` does not list them.
        The number of nodes is that of `num_nodes`, `names` or the rows of `features`, else what the edges ask
        for. `features` is (n, p), dense or SciPy sparse; `edge_attr` is (m, a) or (m,). Self-loops are
        dropped; an edge listed several times, in either direction, is one edge with the mean of the
        attributes. `merged` counts both.

        `weights`, (m,), says how often each was seen; listings of a pair add up. None counts pairs that
        repeat, each listing as one, unless every pair is there once in each direction; False counts nothing.
        """
        known = None if names is None else Names.of(names)
        x = None if features is None else as_matrix(features, "features")
        attr = None if edge_attr is None else as_array(_columns(edge_attr), "edge_attr")
        listing = list_pairs(edges, known, x, attr, num_nodes)
        if weights is None or weights is False:
            return cls._of(listing._replace(counted=weights is None))
        return cls._of(listing._replace(weights=as_counts(weights, listing.source.size, "weights")))

    @classmethod
    def read(
        cls,
        path: AnyPath,
        *,
        features: Any = None,
        features_by: str = "auto",
        ids: str = "auto",
        header: bool | None = None,
        columns: Sequence[str | int] | None = None,
        edge_attr: Sequence[str | int] = (),
        weights: str | int | Literal[False] | None = None,
        quiet: bool = False,
    ) -> Graph:
        """A graph from a file: text (plain or .gz), Parquet, .npz of SciPy, HIF, or what `save` wrote.

        In text, commas, tabs, semicolons or blanks separate cells; lines that start with # or % are comments;
        `header` None looks for a header, True or False states it, and columns asked for by name imply one.
        The ends of an edge are the first two columns, or `columns`; `edge_attr` picks columns of numbers to
        keep.

        `weights` is the column that says how often each pair was seen. None takes the first further column
        called count, weight, n, times or the like (`counts.COUNT_TITLES`), or in text without titles the
        third if it begins with a number; lines that repeat a pair add up, as in `from_edges`. False counts
        nothing. Unless `quiet`, stderr is told what was counted, and the columns that were not used.

        `ids="auto"` takes ids as indices if all are whole numbers from 0 and either none is missing up to the
        largest or the features are matched by row. Else they are names: texts in order of appearance,
        integers in ascending order. "index" and "name" force it.

        `features` is a path (.npy, kept memory-mapped if it is float32; .npz of SciPy; text; Parquet) or a
        matrix. A table whose first column names nodes (it holds a text, or is called id, node, name or the
        like; `features_by` "name" or "row" states it) is matched by name: every node needs exactly one row,
        and rows for nodes without edges add those nodes, after the others. Else row i belongs to node i.
        """
        path = Path(path)
        if path.is_dir() and is_stored(path):
            asked = weights is not None and weights is not False
            if features is not None or edge_attr or columns is not None or asked:
                raise DataError(
                    f"{path} is a saved graph with features of its own; read it without further settings"
                )
            graph, counted, unused = cls.load(path), "as saved", ""
            graph = replace(graph, weights=None) if weights is False else graph
        else:
            ends = None if columns is None else tuple(columns)
            attr = (edge_attr,) if isinstance(edge_attr, str) else tuple(edge_attr)
            file = EdgeFile(path, ids, header, ends, attr, weights)
            given = None if features is None else feature_table(features, features_by)
            listing, counted, unused = list_file(file, given)
            graph = cls._of(listing)
        if graph.weights is not None and not quiet:
            say(f"counts: {counted}, {described(graph.weights)}")
        unsure = graph.weights is None and weights is None
        if unused and not quiet:
            say(f"columns not used: {unused}" + (f"; {NAME_COUNTS}" if unsure else ""))
        return graph

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        *,
        features: Any = None,
        names: Names | Iterable[object] | None = None,
        weights: bool = True,
        edge_attr: bool = False,
    ) -> Graph:
        """A graph from a square sparse matrix: an edge where either of two mirrored entries is not zero.

        The values are the counts, unless all are one or `weights` is False; in a matrix that is not symmetric
        two mirrored ones add up. `edge_attr` keeps the values as attributes, the mean of two mirrored ones.
        """
        listing = list_matrix(matrix, "the matrix", weights=weights, edge_attr=edge_attr)
        x = None if features is None else as_matrix(features, "features")
        return cls._of(listing._replace(x=x, names=None if names is None else Names.of(names)))

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        features: Any = None,
        edge_attr: Sequence[str] = (),
        weights: str | Literal[False] = "weight",
    ) -> Graph:
        """A graph from NetworkX, of any kind.

        Nodes 0..n-1 keep their numbers; else nodes are named by their texts, in their order. `features` is a
        matrix with row i for node i, or the node attribute that holds the rows. The counts are the edge
        attribute `weights` if there is one; False counts nothing.
        """
        attr = [edge_attr] if isinstance(edge_attr, str) else edge_attr
        return cls._of(list_networkx(graph, features, attr, weights))

    @classmethod
    def from_pyg(
        cls, data: Any, *, names: Names | Iterable[object] | None = None, weights: bool = True
    ) -> Graph:
        """A graph from a PyG `Data`: its edge_index, x, edge_attr and, if `weights`, edge_weight."""
        return cls._of(list_pyg(data, None if names is None else Names.of(names), weights=weights))

    @classmethod
    def _of(cls, listing: Listing) -> Graph:
        indptr, indices, edge_attr, merged, weights = merge_edges(listing)
        return cls(indptr, indices, listing.x, edge_attr, listing.names, merged, weights)

    def to_scipy(self, *, weight: int | None = None, counts: bool = False) -> sparse.csr_array:
        """The symmetric adjacency matrix: ones, column `weight` of `edge_attr`, or `counts` where known."""
        return to_matrix(self, weight=weight, counts=counts)

    def to_pyg(self) -> Any:
        """A PyG `Data` with every edge both ways, its counts as `edge_weight`.

        Sparse features become dense, names stay behind.
        """
        return to_pyg(self)

    def to_hif(self, path: AnyPath) -> Path:
        """Write the pairs as a hypergraph in HIF (.json, .json.gz), counts as weights; where it went.

        `read` takes it back with names, counts and nodes without edges; features stay behind.
        """
        return save_hif(self, Path(path))

    def save(self, path: AnyPath) -> None:
        """Write the graph to a folder of .npy files; a graph saved there is replaced, nothing else is."""
        save_graph(self, Path(path))

    @classmethod
    def load(cls, path: AnyPath) -> Graph:
        """A saved graph; its arrays stay on disk and are mapped into memory as they are used.

        Its rows, counts and names are read once, in pieces, to see that they are whole; features are not.
        """
        return cls(*load_graph(Path(path)))

    @property
    def num_nodes(self) -> int:
        return self.indptr.size - 1

    @property
    def num_edges(self) -> int:
        """Undirected edges, each counted once."""
        return self.indices.size // 2

    @property
    def num_features(self) -> int:
        return 0 if self.x is None else int(self.x.shape[1])

    @property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """What kernels take: `indptr` and `indices`."""
        return self.indptr, self.indices

    @property
    def degrees(self) -> np.ndarray:
        """(n,) int64."""
        return np.diff(self.indptr)

    @property
    def strengths(self) -> np.ndarray:
        """The counts of each node's pairs added up, (n,) float64; its degree where there are no counts."""
        if self.weights is None:
            return self.degrees.astype(np.float64)
        owner = np.repeat(np.arange(self.num_nodes), self.degrees)
        return np.bincount(owner, self.weights, minlength=self.num_nodes)

    def __repr__(self) -> str:
        features = f", {self.num_features} features" if self.x is not None else ""
        counts = f", counts {described(self.weights)}" if self.weights is not None else ""
        return f"Graph({self.num_nodes} nodes, {self.num_edges} edges{features}{counts})"

    def label(self, node: int) -> str:
        """The name of a node, or its index as text."""
        if not 0 <= node < self.num_nodes:
            raise DataError(f"there is no node {node}; nodes are 0..{self.num_nodes - 1}")
        return str(node) if self.names is None else self.names[node]

    def ksets(self, sets: Any, *, k: int | None = None) -> np.ndarray:
        """Sets of k nodes, by index (integers) or name (texts), as (m, k) int64 with sorted rows.

        Takes a list of lists, an array, or an Arrow table with k columns, whose cells are names if the graph
        has names. `k` None takes the size of the first set.
        """
        if isinstance(sets, pa.Table):
            rows = table_rows(sets, k, by_name=self.names is not None)
        else:
            rows = written_rows(sets, k, "k-set")
        return look_up_rows(rows, self.names, self.num_nodes, "k-set")

    def sets(self, given: Any) -> Sets:
        """Sets of any size, also mixed, given as `ksets` takes them or as `Sets`; members sorted."""
        return look_up_sets(given, self.names, self.num_nodes)


def _frozen(array: np.ndarray) -> np.ndarray:
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view


def _columns(values: Any) -> Any:
    """One number an edge as a column of numbers."""
    array = np.asarray(values)
    return array[:, None] if array.ndim == 1 else array
