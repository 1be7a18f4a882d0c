"""Random walks on the nodes of a graph; a seed fixes them."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from mhmgnn.baselines import _walks
from mhmgnn.config import check_positive, check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.runtime import threads as cores
from mhmgnn.runtime.rng import seed_streams


def uniform_walks(
    graph: Graph, starts: np.ndarray, length: int, *, seed: int, threads: int | None = None
) -> np.ndarray:
    """A walk of `length` nodes from each of `starts`, each step to a uniform neighbour, as (w, length) int32.

    A walk that starts at a node without neighbours ends there; -1 fills its row. Walk i is fixed by the seed
    and i, whatever the number of threads.
    """
    check_whole("length", length, 1)
    walks, stream = _begin(graph, starts, length, seed)

    def carry_on(low: int, high: int) -> None:
        _walks.uniform_walks(*graph.rows, walks[low:high], stream[low:high])

    _in_lanes(carry_on, len(walks), threads)
    return walks


def biased_walks(
    graph: Graph,
    starts: np.ndarray,
    length: int,
    *,
    p: float,
    q: float,
    seed: int,
    threads: int | None = None,
) -> np.ndarray:
    r"""Walks as those of `uniform_walks`, but a step looks one node back (Grover and Leskovec, KDD 2016).

    After the edge (t, v) comes the neighbour x of v with chance in proportion to

    .. math:: \alpha(t, x) = 1/p \text{ if } x = t, \quad 1 \text{ if } x \sim t, \quad 1/q \text{ otherwise.}

    x is drawn uniformly until a draw is accepted, in proportion to alpha: exact, without tables of pairs of
    edges. The first step is uniform. With p = q = 1 every step is.
    """
    check_whole("length", length, 1)
    check_positive("p", p)
    check_positive("q", q)
    walks, stream = _begin(graph, starts, length, seed)
    weights = np.array([1 / p, 1.0, 1 / q])
    weights /= weights[1:].max()

    def carry_on(low: int, high: int) -> None:
        _walks.biased_walks(*graph.rows, walks[low:high], weights, stream[low:high])

    _in_lanes(carry_on, len(walks), threads)
    return walks


def _begin(graph: Graph, starts: np.ndarray, length: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Walks of their first node alone, (w, length) int32, and a random stream for each, (w, 2) uint64."""
    starts = _checked(graph, starts)
    walks = np.full((starts.size, length), -1, np.int32)
    walks[:, 0] = starts
    check_whole("seed", seed, 0)
    stream = np.empty((starts.size, 2), np.uint64)
    key = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
    seed_streams(stream, key, np.arange(starts.size))
    return walks, stream


def _checked(graph: Graph, nodes: np.ndarray) -> np.ndarray:
    """Nodes that are in the graph, (m,) int64."""
    nodes = np.asarray(nodes)
    if nodes.ndim != 1 or (nodes.size and not np.issubdtype(nodes.dtype, np.integer)):
        raise DataError(f"nodes are {nodes.dtype} of shape {nodes.shape}; they must be whole numbers, (m,)")
    outside = nodes[(nodes < 0) | (nodes >= graph.num_nodes)]
    if outside.size:
        raise DataError(f"there is no node {outside[0]}; nodes are 0..{graph.num_nodes - 1}")
    return nodes.astype(np.int64)


def _in_lanes(work: Callable[[int, int], None], count: int, threads: int | None) -> None:
    """Run `work` on stretches of 0..count, one a thread."""
    lanes = threads or cores.available()
    bounds = np.linspace(0, count, lanes + 1).astype(np.int64).tolist()
    for _ in cores.side_by_side(lambda stretch: work(*stretch), pairwise(bounds), lanes):
        pass
