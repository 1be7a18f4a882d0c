"""All connected k-sets of a graph: counted, counted by shape, or listed."""

from collections.abc import Iterator
from itertools import pairwise
from math import comb
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.runtime import memory
from mhmgnn.runtime import threads as cores
from mhmgnn.runtime.distributed import ALONE, Crew
from mhmgnn.subgraphs import _esu, _ksets

LARGEST_K = 16
LIMIT = 10**7  # k-sets that are listed without being asked for more
BLOCK = 2**13  # k-sets that a thread looks up at a time
NO_SHAPES = np.empty(0, np.int16)
NO_SHAPES.setflags(write=False)  # as those of `motif_shapes` are: kernels are compiled for one kind


class Roots(NamedTuple):
    """The graph by rising degree, and how many connected k-sets each node is the root of."""

    indptr: np.ndarray  # (n + 1,) int64
    indices: np.ndarray  # (2e,) int32
    order: np.ndarray  # (n,) int64, the node of each rank
    counts: np.ndarray  # (n,) int64
    shapes: np.ndarray  # (shapes,) int64, k-sets of each shape; empty if no shapes were asked for


def check_k(graph: Graph, k: int) -> np.ndarray:
    """The component of each node, once k is found to fit the graph."""
    component: np.ndarray = _ksets.components(_ksets.Rows(*graph.rows))
    _check_fits(k, int(np.bincount(component).max(initial=0)))
    return component


def check_some_fit(graphs: list[Graph], k: int) -> None:
    """Refuse k if none of the graphs has a connected set of k nodes."""
    components = (_ksets.components(_ksets.Rows(*graph.rows)) for graph in graphs)
    _check_fits(k, max(int(np.bincount(component).max(initial=0)) for component in components))


def _check_fits(k: int, largest: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 2 <= k <= LARGEST_K:
        raise DataError(f"k is {k!r}; it must be a whole number from 2 to {LARGEST_K}")
    if largest < k:
        raise DataError(f"k is {k}, but the largest connected component has {largest} nodes; take less")


def connected_sets(graph: Graph, k: int, *, limit: int = LIMIT, threads: int | None = None) -> np.ndarray:
    """Every connected k-set of the graph, (m, k) int32, each row sorted; refuses past `limit`.

    >>> connected_sets(Graph.from_edges([[0, 1], [1, 2], [2, 3]]), k=3).tolist()
    [[0, 1, 2], [1, 2, 3]]
    """
    check_k(graph, k)
    roots = count_roots(graph, k, limit=limit, threads=threads)
    if roots is None:
        raise DataError(
            f"the graph has more than {limit:,} connected {k}-sets; raise `limit`, or use `estimate_sum`, "
            "which does not need to list them"
        )
    size = int(roots.counts.sum())
    memory.check(
        f"the list of {size:,} connected {k}-sets", 4 * k * size, "lower `limit`, or use `estimate_sum`"
    )
    return list_sets(roots, k, 0, roots.counts.size, threads=threads, dtype=np.int32)


def is_connected(graph: Graph, ksets: np.ndarray) -> np.ndarray:
    """Whether each k-set, (m, k), induces a connected subgraph, (m,) bool."""
    return np.asarray(_ksets.are_connected(_ksets.Rows(*graph.rows), ksets))


def edge_codes(
    rows: tuple[np.ndarray, np.ndarray], ksets: np.ndarray, *, threads: int | None = None
) -> np.ndarray:
    """The edges inside each k-set, (m,) int64: bit j (j - 1) / 2 + i is set when slots i < j are adjacent."""

    def code(start: int) -> np.ndarray:
        return np.asarray(_ksets.edge_codes(_ksets.Rows(*rows), ksets[start : start + BLOCK]))

    parts = cores.side_by_side(code, range(0, len(ksets), BLOCK), threads or cores.available())
    return np.concatenate([np.empty(0, np.int64), *parts])


def count_roots(
    graph: Graph,
    k: int,
    *,
    limit: int,
    shape_of: np.ndarray = NO_SHAPES,
    threads: int | None = None,
    crew: Crew = ALONE,
) -> Roots | None:
    """Count the connected k-sets of every root, or None if there are more than `limit` in all.

    Each process of a crew counts some of the roots, and all have the same result.
    """
    if _at_least(graph, k) > limit:
        return None
    roots = _ranked(graph, np.argsort(np.diff(graph.indptr), kind="stable"))
    counts, stop = roots.counts, np.zeros(1, np.uint8)
    threads = threads or cores.available()
    empty = np.empty((0, k), np.int64)

    def count(stretch: tuple[int, int]) -> np.ndarray:
        shapes = np.zeros(int(shape_of.max(initial=-1)) + 1, np.int64)
        if not stop[0]:
            _esu.walk_roots(
                *roots[:2], k, *stretch, roots.order, shape_of, limit, stop, counts, shapes, empty
            )
        stop[0] |= counts.sum() > limit or counts.min(initial=0) < 0
        return shapes

    pieces = min(16 * threads * crew.world, counts.size)
    bounds = np.linspace(0, counts.size, pieces + 1).astype(np.int64).tolist()
    mine = list(pairwise(bounds))[crew.rank :: crew.world]
    shapes = sum(cores.side_by_side(count, mine, threads), count((0, 0)))
    counts, shapes, stop = (np.sum(crew.gather(part), axis=0) for part in (counts, shapes, stop))
    return None if stop[0] or counts.sum() > limit else roots._replace(counts=counts, shapes=shapes)


def _at_least(graph: Graph, k: int) -> float:
    """A number of connected k-sets that the graph has for sure: those with a node adjacent to all others.

    A k-set has k nodes at most that are adjacent to all its others.
    """
    from scipy.special import binom  # slow to import, and not needed to load a model

    return float(binom(graph.degrees, k - 1).sum() / k)


def count_around(graph: Graph, k: int, node: int, *, limit: int) -> Roots | None:
    """Count the connected k-sets that hold `node`, which becomes the only root; None past `limit`."""
    if comb(int(graph.degrees[node]), k - 1) > limit:
        return None
    roots = _ranked(graph, _esu.ball(*graph.rows, node, k - 1))
    none, goes_on = np.empty(0, np.int64), np.zeros(1, np.uint8)
    empty = np.empty((0, k), np.int64)
    _esu.walk_roots(*roots[:2], k, 0, 1, roots.order, NO_SHAPES, limit, goes_on, roots.counts, none, empty)
    return None if roots.counts[0] < 0 else roots


def _ranked(graph: Graph, order: np.ndarray) -> Roots:
    """The graph on the nodes of `order`, renamed to their places in it, nothing counted yet."""
    rank = np.full(graph.num_nodes, -1)
    rank[order] = np.arange(order.size)
    indptr, indices = _esu.by_rank(*graph.rows, order, rank)
    return Roots(indptr, indices, order, np.zeros(order.size, np.int64), np.empty(0, np.int64))


def list_sets(
    roots: Roots, k: int, low: int, high: int, *, threads: int | None = None, dtype: type = np.int64
) -> np.ndarray:
    """The connected k-sets of the roots of rank low..high, (m, k)."""
    threads = threads or cores.available()
    start = np.concatenate([[0], np.cumsum(roots.counts[low:high])])
    ksets: np.ndarray = np.empty((int(start[-1]), k), dtype)
    shares = np.linspace(0, start[-1], 8 * threads + 1)
    bounds = np.unique(np.searchsorted(start, shares, side="left")).tolist()
    none, goes_on = np.empty(0, np.int64), np.zeros(1, np.uint8)

    def fill(stretch: tuple[int, int]) -> None:
        a, b = stretch
        part = ksets[start[a] : start[b]]
        if part.size:
            again = np.empty_like(roots.counts)
            _esu.walk_roots(
                *roots[:2], k, low + a, low + b, roots.order, NO_SHAPES, start[-1], goes_on, again, none, part
            )

    for _ in cores.side_by_side(fill, pairwise(bounds), threads):
        pass
    return ksets


def in_chunks(roots: Roots, k: int, rows: int, *, threads: int | None = None) -> Iterator[np.ndarray]:
    """The connected k-sets, whole roots at a time, in chunks of about `rows`."""
    start = np.concatenate([[0], np.cumsum(roots.counts)])
    cuts = np.searchsorted(start, np.arange(rows, start[-1], rows))
    bounds = np.unique(np.concatenate([[0], cuts, [roots.counts.size]])).tolist()
    for low, high in pairwise(bounds):
        if start[low] < start[high]:
            yield list_sets(roots, k, low, high, threads=threads)
