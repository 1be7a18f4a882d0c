"""Features of the nodes and pairs of a graph, computed once, and from them a row for each set of any size."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from mhmgnn.context import _kernels, _surround
from mhmgnn.context._meet import Scratch
from mhmgnn.context.nodes import node_columns
from mhmgnn.context.pairs import LOG_OVERLAP, NO_COUNTS, Ends, pair_columns, pair_overlap
from mhmgnn.context.stretches import cut_even, run
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph, Sets
from mhmgnn.runtime import memory

POOLS = ("mean", "least", "most", "spread")
AROUND = 8  # columns of `_surround.surround`
_KEPT = threading.local()
PAIR_BYTES = 4 * 20  # bytes of the overlap and the columns of a CSR entry


class Context(NamedTuple):
    """Features of each node and each adjacent pair of a graph, with the names of the columns."""

    graph: Graph
    nodes: np.ndarray  # (n, p) float32
    pairs: np.ndarray  # (2e, q) float32, a row for each entry of `graph.indices`
    node_columns: tuple[str, ...]
    pair_columns: tuple[str, ...]

    @property
    def set_columns(self) -> tuple[str, ...]:
        """The names of the columns of `read_sets`."""
        pooled = [f"{pool} of {name}" for pool in POOLS for name in self.node_columns]
        pooled += [f"{pool} of {name}" for pool in POOLS for name in self.pair_columns]
        none = np.empty(0)
        counted = self.graph.weights is not None
        return (*pooled, *_around_columns(np.empty((0, AROUND)), none, none, none if counted else None))

    @property
    def overlaps(self) -> np.ndarray:
        """The overlap J of the nodes of each entry of `graph.indices`, (2e,), to single precision."""
        found: np.ndarray = np.exp(self.pairs[:, self.pair_columns.index(LOG_OVERLAP)])
        return found


def describe(graph: Graph) -> Context:
    """Features of the nodes and adjacent pairs of a graph, from its edges and, if it has them, its counts.

    >>> context = describe(Graph.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]]))
    >>> context.pair_columns[1], context.pairs[0, 1].tolist()
    ('jaccard', 1.0)
    """
    entries = graph.indices.size
    memory.check(f"the context of {entries // 2:,} edges", PAIR_BYTES * entries, "take a part of the graph")
    overlap = pair_overlap(graph)
    ends = Ends.of(graph)
    by_name = node_columns(graph, overlap)
    names = tuple(pair_columns(graph, ends, overlap, slice(0, 0)))
    pairs = np.empty((entries, len(names)), np.float32)

    def fill(low: int, high: int) -> None:
        part = slice(low, high)
        for f, column in enumerate(pair_columns(graph, ends, overlap, part).values()):
            pairs[part, f] = column

    run(fill, cut_even(entries))
    nodes = np.stack([*by_name.values()], axis=1, dtype=np.float32, casting="same_kind")
    for columns in (nodes, pairs):
        columns.setflags(write=False)  # as those of a run are: kernels are compiled for one kind
    return Context(graph, nodes, pairs, tuple(by_name), names)


def read_sets(context: Context, sets: Sets) -> np.ndarray:
    """The features of each set, (s, f) float32, with the columns `context.set_columns`.

    Sets may have any size from 1 on and need not be cliques: missing pairs are counted and left out of the
    pooling. A row depends only on its set, not on other sets or the number of threads.
    """
    graph, names = context.graph, context.set_columns
    if sets.members.size and not 0 <= sets.members.min() <= sets.members.max() < graph.num_nodes:
        raise DataError(f"a set holds a node outside 0..{graph.num_nodes - 1}, the nodes of this context")
    memory.check(f"the context of {sets.num:,} sets", 4 * sets.num * len(names), "read them in parts")
    out = np.empty((sets.num, len(names)), np.float32)
    around, found, sizes = _surround_sets(graph, sets), np.empty(sets.num, np.int64), sets.sizes
    pooled = len(POOLS) * (len(context.node_columns) + len(context.pair_columns))

    def fill(low: int, high: int) -> None:
        _kernels.pool_sets(*graph.rows, *sets, low, high, context.nodes, context.pairs, out, found)
        part = slice(low, high)
        count = None if graph.weights is None else out[part, names.index("least of log count")]
        columns = _around_columns(around[part], found[part], sizes[part], count)
        for f, column in enumerate(columns.values(), pooled):
            out[part, f] = column

    run(fill, cut_even(sets.num))
    return out


def _surround_sets(graph: Graph, sets: Sets) -> np.ndarray:
    """The result of `_surround.surround`, (s, 8) float64; sets with the same hubs are processed in turn."""
    around = np.empty((sets.num, AROUND))
    weights = NO_COUNTS if graph.weights is None else graph.weights
    keys = _surround.hub_keys(graph.indptr, *sets, _surround.LONG)
    order = np.argsort(keys, kind="stable")

    def surround(low: int, high: int) -> None:
        scratch = _scratch(graph.num_nodes)
        _surround.surround(*graph.rows, weights, *sets, order[low:high], _surround.LONG, scratch, around)

    run(surround, cut_even(sets.num))
    return around


def _scratch(n: int) -> Scratch:
    """What this thread works on, made anew for a graph of another size."""
    kept: Scratch | None = getattr(_KEPT, "scratch", None)
    if kept is None or kept.times.size != n:
        kept = _KEPT.scratch = Scratch.empty(n)
    return kept


def adjacent_to_all(graph: Graph, sets: Sets) -> np.ndarray:
    """The number of nodes outside each set that are adjacent to all of it, (s,); 0 for maximal cliques."""
    around = np.empty((sets.num, AROUND))
    order, scratch = np.arange(sets.num), _scratch(graph.num_nodes)
    _surround.surround(*graph.rows, NO_COUNTS, *sets, order, _surround.LONG, scratch, around)
    return around[:, _surround.WHOLE]


def _around_columns(
    around: np.ndarray, pairs: np.ndarray, k: np.ndarray, log_count: np.ndarray | None
) -> dict[str, np.ndarray]:
    """The columns that are not pooled; `log_count` is the smallest of each set, None without counts."""
    whole, near, half, fewer, degrees, density, sum_least, most_least = around.T
    outside = whole + near + half + fewer
    columns = {
        "log size": np.log(k),
        "log adjacent to all": np.log1p(whole),
        "log adjacent to all but one": np.log1p(near),
        "log adjacent to half": np.log1p(half),
        "log adjacent to fewer": np.log1p(fewer),
        "none adjacent to all": whole == 0,
        "at most one adjacent to all": whole <= 1,
        "log share adjacent to all": np.log((whole + 0.5) / (outside + 1)),
        "log share adjacent to all but one": np.log((near + 0.5) / (outside + 1)),
        "log adjacent to all over all but one": np.log((whole + 0.5) / (near + 1)),
        "inside over total degree": 2 * pairs / np.maximum(degrees, 1),
        "density of those adjacent to all": density,
        "share of pairs missing": 1 - (pairs + (k == 1)) / np.maximum(k * (k - 1) / 2, 1),
    }
    if log_count is None:
        return columns
    return columns | {
        "log sum of least counts around": np.log1p(sum_least),
        "log most of least counts around": np.log1p(most_least),
        "least count over most around": log_count - np.log(np.maximum(most_least, 0.5)),
        "least count over sum around": log_count - np.log(np.maximum(sum_least, 0.5)),
    }
