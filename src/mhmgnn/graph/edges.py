"""An edge list -> frozen rows: every edge once in each direction, sorted, with what was merged on the way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph.features import Matrix, check_rows
from mhmgnn.graph.names import Names

MOST_NODES = 2**31 - 1  # neighbours are held as int32
LEAST_ALLOWED, NODES_AN_EDGE = 2**22, 1000  # nodes that a file may ask for by their numbers alone


class Merged(NamedTuple):
    """Entries of the input that are no edge of their own.

    `repeated` counts, for every edge, how often it is listed beyond the first time, in either direction.
    Where both directions are the custom (SciPy matrices, PyG), an entry and its mirror image are one listing.
    """

    self_loops: int
    repeated: int


class Listing(NamedTuple):
    """Edges as they were listed, between nodes that are numbered; what every door hands to the graph."""

    source: np.ndarray  # (m,) integers in 0..num_nodes - 1
    target: np.ndarray  # (m,)
    num_nodes: int
    names: Names | None = None
    x: Matrix | None = None  # (num_nodes, p) float32
    edge_attr: np.ndarray | None = None  # (m, a) float32
    mirrored: bool = False  # meant to hold both directions of an edge, see `Merged`


class Rows(NamedTuple):
    """The neighbours of each node, in compressed sparse rows."""

    indptr: np.ndarray  # (n + 1,) int64
    indices: np.ndarray  # (2e,) int32, sorted within a row
    edge_attr: np.ndarray | None  # (2e, a) float32, the same in both directions
    merged: Merged


def merge_edges(listing: Listing) -> Rows:
    """Rows of the undirected graph with these edges.

    Self-loops are dropped. An edge listed several times, in either direction, gets the mean of its
    attributes.
    """
    source, target, attr, n = listing.source, listing.target, listing.edge_attr, listing.num_nodes
    check_size(n)
    check_rows(listing.x, n, "features", "nodes")
    if listing.names is not None and len(listing.names) != n:
        raise DataError(f"there are {len(listing.names)} names for {n} nodes; each node needs one")
    proper = source != target
    self_loops = int(source.size - np.count_nonzero(proper))
    if self_loops == source.size:
        found = f"all {self_loops} listed are self-loops" if self_loops else "none is listed"
        raise DataError(f"there is no edge, {found}; a graph needs at least one edge between two nodes")
    if self_loops:
        source, target = source[proper], target[proper]
        attr = None if attr is None else attr[proper]
    keys = np.minimum(source, target).astype(np.int64, copy=False) * n
    keys += np.maximum(source, target)
    edges, mean = _sort_and_merge(keys, attr)
    first_listings = _distinct(source, target, n) if listing.mirrored else edges.size
    merged = Merged(self_loops, int(source.size - first_listings))
    return Rows(*_both_ways(edges, mean, n), merged)


def check_size(num_nodes: int) -> None:
    """Refuse more nodes than int32 can number."""
    if num_nodes > MOST_NODES:
        advice = "if the ids are names rather than indices, give them as texts (in `read`: ids='name')"
        raise DataError(
            f"ids up to {num_nodes - 1} ask for {num_nodes} nodes, at most {MOST_NODES} fit; {advice}"
        )


def check_filled(num_nodes: int, edges: int) -> None:
    """Refuse ids that ask for far more nodes than there are edges: a short file could fill the memory."""
    most = max(LEAST_ALLOWED, NODES_AN_EDGE * edges)
    if num_nodes > most:
        advice = "if the ids are names rather than indices, say ids='name'; else give the nodes features"
        raise DataError(f"{edges} edges ask for {num_nodes} nodes, at most {most} are allowed; {advice}")


def _distinct(source: np.ndarray, target: np.ndarray, num_nodes: int) -> int:
    keys = np.sort(source.astype(np.int64, copy=False) * num_nodes + target)
    return int(np.count_nonzero(keys[1:] != keys[:-1])) + 1


def _sort_and_merge(keys: np.ndarray, attr: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """Distinct keys in order, and the mean attributes of each."""
    if attr is None:
        keys.sort()
        return keys[_starts(keys)], None
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(_starts(keys))
    times = np.diff(starts, append=keys.size)
    total = np.add.reduceat(attr[order].astype(np.float64), starts, axis=0)
    return keys[starts], (total / times[:, None]).astype(np.float32)


def _starts(keys: np.ndarray) -> np.ndarray:
    """True where a sorted key differs from the one before it."""
    starts = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=starts[1:])
    return starts


def _both_ways(
    edges: np.ndarray, attr: np.ndarray | None, n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Rows from sorted keys low * n + high: for each node its lower neighbours, then its higher ones.

    The keys in order are the upper triangle row by row; its transpose, made in one linear pass, is the lower.
    """
    low, high = np.divmod(edges, n)
    high = high.astype(np.int32)
    starts_up = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(low, minlength=n), out=starts_up[1:])
    number = np.arange(edges.size)
    lower = sparse.csr_array((number, high, starts_up), shape=(n, n)).tocsc()
    indptr = starts_up + lower.indptr
    indices = np.empty(2 * edges.size, np.int32)
    place_up = number + lower.indptr[1:][low]
    indices[place_up] = high
    place_low = number + np.repeat(starts_up[:-1], np.diff(lower.indptr))
    indices[place_low] = lower.indices
    if attr is None:
        return indptr, indices, None
    both = np.empty((indices.size, attr.shape[1]), np.float32)
    both[place_up], both[place_low] = attr, attr[lower.data]
    return indptr, indices, both
