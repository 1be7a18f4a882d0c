"""An edge list -> frozen rows: every edge once in each direction, sorted, with what was merged on the way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph.counts import count_pairs
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
    """Edges as they were listed, between nodes that are numbered; what every reader hands to the graph."""

    source: np.ndarray  # (m,) integers in 0..num_nodes - 1
    target: np.ndarray  # (m,)
    num_nodes: int
    names: Names | None = None
    x: Matrix | None = None  # (num_nodes, p) float32
    edge_attr: np.ndarray | None = None  # (m, a) float32
    mirrored: bool = False  # meant to hold both directions of an edge, see `Merged`
    weights: np.ndarray | None = None  # (m,) float64, how often each was seen; None: once each
    counted: bool = True  # False: the pairs alone, however often they are listed


class Rows(NamedTuple):
    """The neighbours of each node, in compressed sparse rows."""

    indptr: np.ndarray  # (n + 1,) int64
    indices: np.ndarray  # (2e,) int32, sorted within a row
    edge_attr: np.ndarray | None  # (2e, a) float32, the same in both directions
    merged: Merged
    weights: np.ndarray | None  # (2e,) float32, the same in both directions


def merge_edges(listing: Listing) -> Rows:
    """Rows of the undirected graph with these edges.

    Self-loops are dropped. An edge listed several times, in either direction, gets the mean of its
    attributes and the sum of its counts (`count_pairs` says which lists have counts).
    """
    source, target, n = listing.source, listing.target, listing.num_nodes
    attr, weights = listing.edge_attr, listing.weights if listing.counted else None
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
        weights = None if weights is None else weights[proper]
    pairs = count_pairs(source, target, n, weights, mirrored=listing.mirrored)
    mean = None if attr is None else _mean_attr(source, target, attr)
    counts = pairs.counts if listing.counted else None
    return _both_ways(pairs.keys, mean, counts, n, Merged(self_loops, pairs.repeated))


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


def _mean_attr(source: np.ndarray, target: np.ndarray, attr: np.ndarray) -> np.ndarray:
    """The mean attributes of each pair, (e, a) float32, in the order of the pairs."""
    low, high = np.minimum(source, target), np.maximum(source, target)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    starts = np.flatnonzero((np.diff(low, prepend=-1) != 0) | (np.diff(high, prepend=-1) != 0))
    times = np.diff(starts, append=order.size)
    total = np.add.reduceat(attr[order].astype(np.float64), starts, axis=0)
    mean: np.ndarray = (total / times[:, None]).astype(np.float32)
    return mean


def _both_ways(
    edges: np.ndarray, attr: np.ndarray | None, counts: np.ndarray | None, n: int, merged: Merged
) -> Rows:
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
    place_up = number + lower.indptr[1:][low]
    place_low = number + np.repeat(starts_up[:-1], np.diff(lower.indptr))

    def placed(above: np.ndarray, below: np.ndarray) -> np.ndarray:
        both = np.empty((2 * edges.size, *above.shape[1:]), above.dtype)
        both[place_up], both[place_low] = above, below
        return both

    return Rows(
        indptr,
        placed(high, lower.indices),
        None if attr is None else placed(attr, attr[lower.data]),
        merged,
        None if counts is None else placed(counts, counts[lower.data]),
    )
