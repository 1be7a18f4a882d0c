"""The k-cliques of a graph: counted, listed, or a uniform sample if there are too many to list."""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.runtime import threads as cores
from mhmgnn.runtime.rng import new_stream
from mhmgnn.subgraphs import _cliques, _grown

LARGEST_K = 16
STEPS = 5 * 10**7  # limit over all roots of a count that may give up; at least 20,000 per root
TRIES = 8  # cliques grown per clique wanted, if cliques cannot be counted
LIMIT = 10**7  # cliques that are listed by default
PIECES = 32  # of the work per thread, as a few roots may have most of it


class _Roots(NamedTuple):
    """The later neighbours of each node in a degeneracy order, and the number of k-cliques with each root."""

    start: np.ndarray  # (n + 1,) int64
    later: np.ndarray  # (e,) int32, sorted by node
    ways: np.ndarray  # (d + 1, k + 1) int64, binomial coefficients
    counts: np.ndarray  # (n,) int64


def check_k(k: int) -> None:
    """Refuse a k that is not a whole number from 2 to 16."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 2 <= k <= LARGEST_K:
        raise DataError(f"k is {k!r}; it must be a whole number from 2 to {LARGEST_K}")


def count_cliques(graph: Graph, k: int, *, threads: int | None = None) -> int:
    """How many k-cliques the graph has.

    They are not visited one by one: a clique of 200 nodes costs little more than its edges, whatever k is.

    >>> count_cliques(Graph.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]]), k=3)
    1
    """
    return _total(_count_roots(graph, k, threads), k)


def list_cliques(graph: Graph, k: int, *, limit: int = LIMIT, threads: int | None = None) -> np.ndarray:
    """Every k-clique of the graph, (m, k) int64, each row sorted; refuses past `limit`.

    >>> list_cliques(Graph.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]]), k=3).tolist()
    [[0, 1, 2]]
    """
    roots = _count_roots(graph, k, threads)
    total = _total(roots, k)
    if total > limit:
        raise DataError(
            f"the graph has {total:,} {k}-cliques, more than {limit:,}; raise `limit`, or use "
            "`draw_cliques`, which does not list them all"
        )
    return _of_ranks(roots, k, np.arange(total), threads)


def draw_cliques(
    graph: Graph, k: int, most: int, rng: np.random.Generator, *, threads: int | None = None
) -> tuple[np.ndarray, int]:
    """A uniform sample of `most` k-cliques without replacement, (s, k) int64, and how many there are in all.

    If there are no more than `most`, all are returned. Otherwise ranks in the order of the search are drawn,
    and only those cliques are written, in that order. Each row is sorted.
    """
    check_whole("most", most, 0)
    roots = _count_roots(graph, k, threads)
    total = _total(roots, k)
    return _of_ranks(roots, k, draw_ranks(total, most, rng), threads), total


def some_cliques(
    graph: Graph,
    k: int,
    most: int,
    rng: np.random.Generator,
    *,
    threads: int | None = None,
    steps: int = STEPS,
) -> tuple[np.ndarray, float]:
    r"""A uniform sample of at most `most` k-cliques, and their number; estimated if counting takes too long.

    In dense graphs cliques are too many to count. There they are grown by importance sampling: a uniform
    edge, then uniform nodes among the :math:`c_j` adjacent to all j nodes so far. The weight :math:`e \prod_j
    c_j \cdot 2 / k!`, for e edges (0 if growing stops early), has the number of k-cliques as its mean.
    Cliques resampled in proportion to it are nearly uniform, and some occur twice.
    """
    check_whole("most", most, 0)
    roots = _count_roots(graph, k, threads, max(20_000, steps // max(graph.num_nodes, 1)))
    counted: int = sum(roots.counts.tolist())
    if roots.counts.min(initial=0) >= 0 and counted < _cliques.MOST:
        return _of_ranks(roots, k, draw_ranks(counted, most, rng), threads), counted
    ksets, weights = _grown.grow_cliques(*graph.rows, k, TRIES * most, new_stream(rng))
    total = float(weights.mean()) * graph.num_edges * 2 / math.factorial(k)
    if not total:
        return np.empty((0, k), np.int64), 0.0
    picked = rng.choice(len(weights), most, p=weights / weights.sum())
    return np.sort(ksets[picked], axis=1), total


def draw_ranks(total: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """`most` distinct numbers below `total`, or all if there are no more, ascending, (s,) int64.

    The first distinct values of a sequence of independent uniform draws are uniform without replacement.

    >>> draw_ranks(3, 5, np.random.default_rng(0)).tolist()
    [0, 1, 2]
    """
    if most >= total:
        return np.arange(total)
    if 2 * most > total:
        kept = np.ones(total, np.bool_)
        kept[draw_ranks(total, total - most, rng)] = False
        return np.flatnonzero(kept)
    drawn = rng.integers(total, size=most)
    while True:
        distinct, first = np.unique(drawn, return_index=True)
        if distinct.size >= most:
            return np.sort(drawn[np.sort(first)[:most]])
        drawn = np.concatenate([drawn, rng.integers(total, size=2 * (most - distinct.size) + 16)])


def _count_roots(graph: Graph, k: int, threads: int | None, steps: int = _cliques.MOST) -> _Roots:
    check_k(k)
    start, later = _cliques.later_rows(*graph.rows, _cliques.degeneracy_rank(*graph.rows))
    degrees = np.diff(start)
    ways = _cliques.binomials(int(degrees.max(initial=0)), k)
    roots = _Roots(start, later, ways, np.zeros(degrees.size, np.int64))
    threads = threads or cores.available()

    def count(stretch: tuple[int, int]) -> None:
        _cliques.count_roots(start, later, k, *stretch, ways, steps, roots.counts)

    for _ in cores.side_by_side(count, _stretches(degrees**3, threads), threads):
        pass
    return roots


def _total(roots: _Roots, k: int) -> int:
    total: int = sum(roots.counts.tolist())
    if total >= _cliques.MOST:
        raise DataError(f"the graph has more than {_cliques.MOST:,} {k}-cliques; take another k")
    return total


def _of_ranks(roots: _Roots, k: int, ranks: np.ndarray, threads: int | None) -> np.ndarray:
    """The cliques of ascending ranks, (s, k) int64."""
    ksets = np.empty((ranks.size, k), np.int64)
    start = np.concatenate([[0], np.cumsum(roots.counts)])
    placed = np.searchsorted(ranks, start)  # the number of wanted ranks before each root
    threads = threads or cores.available()

    def write(stretch: tuple[int, int]) -> None:
        low, high = stretch
        part = slice(placed[low], placed[high])
        wanted = _cliques.Wanted(ranks[part] - start[low], ksets[part])
        _cliques.write_ranks(*roots[:2], k, low, high, roots.ways, roots.counts, wanted)

    for _ in cores.side_by_side(write, _stretches(np.diff(placed), threads), threads):
        pass
    return ksets


def _stretches(work: np.ndarray, threads: int) -> list[tuple[int, int]]:
    """Ranges of roots of about equal work, a few for each thread; ranges without work are left out."""
    done = np.concatenate([[0], np.cumsum(work)])
    shares = np.linspace(0, done[-1], PIECES * threads + 1)
    bounds = np.unique(np.searchsorted(done, shares)).tolist()
    return list(pairwise(bounds))
