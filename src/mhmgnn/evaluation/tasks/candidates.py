"""The k-sets that a task asks about (cliques, stars, connected ones): all, or some drawn uniformly."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import ceil, comb
from typing import NamedTuple

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.errors import TourError
from mhmgnn.evaluation.tasks import _kernels
from mhmgnn.graph import Graph
from mhmgnn.graph.csr import common_neighbours
from mhmgnn.runtime import threads as cores
from mhmgnn.subgraphs import _ksets
from mhmgnn.subgraphs.cliques import check_k, count_cliques, draw_cliques, draw_ranks, list_cliques
from mhmgnn.subgraphs.exact import Roots, count_roots, in_chunks
from mhmgnn.subgraphs.result import Moments
from mhmgnn.subgraphs.supernode import merge_sets
from mhmgnn.subgraphs.walk import PILOT, SUPERNODES, Runner, Walk, start_walk, supernode_sets

STARS = 10**7  # stars, centre and neighbours, that are walked one by one
CENTRES = 10**6  # cliques that are looked at to count the stars that are not walked
COUNTED = 10**9  # connected k-sets that are walked one by one: less work than tours of the same use
CHUNK = 2**18  # connected k-sets in memory at once
ROOMY = 10  # with fewer k-sets for each drawn one, all are walked; with more, tours are taken
VISITS = 50  # visits of tours a drawn k-set
TOURS = 10_000  # at least: with fewer, regions that few tours enter come too seldom
MAX_STEPS = 10**9


class Candidates(NamedTuple):
    """Distinct k-sets of a kind, uniform among all of that kind, and how many there are."""

    ksets: np.ndarray  # (s, k) int64, rows sorted; their order tells nothing
    total: float  # candidates in all, drawn or not
    stderr: float  # of the total; 0 where it is counted
    exact: bool  # whether the total is counted and the draw exactly uniform


def cliques(
    graph: Graph, k: int, most: int, rng: np.random.Generator, *, threads: int | None = None
) -> Candidates:
    """`most` of the k-cliques, or all if there are no more; always exact."""
    ksets, total = draw_cliques(graph, k, most, rng, threads=threads)
    return Candidates(ksets, float(total), 0.0, True)


def stars(
    graph: Graph,
    k: int,
    most: int,
    rng: np.random.Generator,
    *,
    limit: int = STARS,
    threads: int | None = None,
) -> Candidates:
    r"""`most` of the k-sets with a centre, a node adjacent to all k - 1 others; or all if there are no more.

    Up to `limit` choices of a centre and k - 1 of its neighbours are walked one by one. Beyond, a centre v is
    drawn with chance in proportion to C(d_v, k - 1), then neighbours, and a k-set with c centres, which comes
    c times as often, is kept with chance 1 / c: the draw is exactly uniform, walked or not. The total is then

    .. math:: \sum_{j=1}^k (-1)^{j+1} \sum_{Q} \binom{|N(Q)|}{k - j}

    over the j-cliques Q, with N(Q) the nodes adjacent to all of Q (centres are adjacent to one another);
    where Q are too many to list it is estimated by the mean of 1 / c.
    """
    check_k(k)
    check_whole("most", most, 0)
    ways = np.array([float(comb(int(d), k - 1)) for d in graph.degrees])
    if ways.sum() <= max(limit, 2 * k * most):
        return _walked_stars(graph, k, most, rng, ways, threads)
    ksets, shares = _drawn_stars(graph, k, most, rng, ways)
    total = _count_stars(graph, k, threads)
    if total is not None:
        return Candidates(ksets, float(total), 0.0, True)
    error = shares.std(ddof=1) / np.sqrt(shares.size)
    return Candidates(ksets, float(ways.sum() * shares.mean()), float(ways.sum() * error), False)


def connected(
    graph: Graph,
    k: int,
    most: int,
    rng: np.random.Generator,
    *,
    limit: int = COUNTED,
    threads: int | None = None,
) -> Candidates:
    """`most` of the connected k-sets, or all if there are no more.

    Up to `limit` of them (or 10 `most`, if that is more) are walked one by one, and ranks in that walk are
    drawn: exact. Beyond, they are met on tours of the pair-walk, whose every step visits a k-set C with a
    weight w such that the weights of C add up to 1 in the mean, the same for all C. A visit is given the key
    u / w with u uniform below 1, and the k-sets of the `most` smallest keys are kept, each once. If `a` is
    the largest of these, a visit was kept with chance a w, as long as a w < 1 (there are 50 visits a k-set
    that is kept), so that C is kept in proportion to the mean of its weights: uniformly. What is not exact is
    `a` itself, which depends a little on what was met, and that a k-set visited twice is kept once. Both are
    small where tours roam freely. They disfavour regions that tours seldom enter and then stay in for long:
    the k-sets of a long chain come a few per cent too seldom (a quarter with a tenth of these tours), and all
    together or not at all. The total is the estimate of the same tours.
    """
    check_k(k)
    check_whole("most", most, 0)
    component = _ksets.components(_ksets.Rows(*graph.rows))
    if np.bincount(component).max(initial=0) < k:
        return Candidates(np.empty((0, k), np.int64), 0.0, 0.0, True)
    counted = graph.num_edges if k == 2 else max(limit, ROOMY * most)
    roots = count_roots(graph, k, limit=counted, threads=threads)
    if roots is None:
        return _met_on_tours(graph, component, k, most, rng, threads)
    total = int(roots.counts.sum())
    ksets = _ranked_sets(roots, k, draw_ranks(total, most, rng), threads)
    return Candidates(ksets, float(total), 0.0, True)


def _ranked_sets(roots: Roots, k: int, ranks: np.ndarray, threads: int | None) -> np.ndarray:
    """The connected k-sets of rising ranks in the walk, (s, k), without all of them in memory."""
    picked, low = [np.empty((0, k), np.int64)], 0
    for ksets in in_chunks(roots, k, CHUNK, threads=threads):
        high = low + len(ksets)
        first, last = np.searchsorted(ranks, [low, high])
        picked.append(ksets[ranks[first:last] - low])
        low = high
    return np.concatenate(picked)


def _walked_stars(
    graph: Graph, k: int, most: int, rng: np.random.Generator, ways: np.ndarray, threads: int | None
) -> Candidates:
    """Stars drawn by their ranks in a walk over all."""
    threads = threads or cores.available()
    counts = np.zeros(graph.num_nodes, np.int64)
    shares = np.linspace(0, ways.sum(), 8 * threads + 1)
    bounds = np.unique(np.searchsorted(np.concatenate([[0], np.cumsum(ways)]), shares)).tolist()

    def count(stretch: tuple[int, int]) -> None:
        _kernels.count_centres(*graph.rows, k, *stretch, counts)

    for _ in cores.side_by_side(count, pairwise(bounds), threads):
        pass
    total = int(counts.sum())
    ranks = draw_ranks(total, most, rng)
    start = np.concatenate([[0], np.cumsum(counts)])
    placed = np.searchsorted(ranks, start)
    ksets = np.empty((ranks.size, k), np.int64)

    def write(stretch: tuple[int, int]) -> None:
        low, high = stretch
        part = slice(placed[low], placed[high])
        _kernels.write_ranks(*graph.rows, k, low, high, counts, ranks[part] - start[low], ksets[part])

    for _ in cores.side_by_side(write, pairwise(bounds), threads):
        pass
    return Candidates(ksets, float(total), 0.0, True)


def _drawn_stars(
    graph: Graph, k: int, most: int, rng: np.random.Generator, ways: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The first `most` distinct stars of independent uniform ones, and 1 / c of all that were tried."""
    rows, reach = _ksets.Rows(*graph.rows), np.cumsum(ways)
    bits = 1 << np.arange(k)
    ksets, shares = np.empty((0, k), np.int64), [np.empty(0)]
    while len(ksets) < most or not shares[1:]:
        tried = max(2 * (most - len(ksets)), 10_000)
        centre = np.searchsorted(reach, rng.random(tried) * reach[-1], side="right")
        places = _distinct_places(graph.degrees[centre], k - 1, rng)
        others = graph.indices[graph.indptr[centre][:, None] + places]
        stars = np.sort(np.column_stack([centre, others]).astype(np.int64), axis=1)
        is_centre = _ksets.links_of(rows, stars) == bits.sum() - bits
        share = 1 / is_centre.sum(axis=1)
        shares.append(share)
        ksets = np.concatenate([ksets, stars[rng.random(tried) < share]])
        ksets = ksets[merge_sets(ksets).first]
    return ksets[:most], np.concatenate(shares)


def _distinct_places(below: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """For each number of `below`, (s,), `size` distinct smaller ones, uniform (Floyd's way), (s, size)."""
    places = np.empty((below.size, size), np.int64)
    for j in range(size):
        last = below - size + j
        drawn = rng.integers(last + 1)
        taken = (places[:, :j] == drawn[:, None]).any(axis=1)
        places[:, j] = np.where(taken, last, drawn)
    return places


def _count_stars(graph: Graph, k: int, threads: int | None) -> int | None:
    """How many k-sets have a centre, by inclusion and exclusion; None if cliques are too many."""
    total, sign = sum(comb(d, k - 1) for d in graph.degrees.tolist()), -1
    for j in range(2, k):
        if count_cliques(graph, j, threads=threads) > CENTRES:
            return None
        common = common_neighbours(*graph.rows, list_cliques(graph, j, threads=threads))
        times = np.bincount(common).tolist()
        total += sign * sum(n * comb(size, k - j) for size, n in enumerate(times))
        sign = -sign
    return total + sign * count_cliques(graph, k, threads=threads)


def _met_on_tours(
    graph: Graph,
    component: np.ndarray,
    k: int,
    most: int,
    rng: np.random.Generator,
    threads: int | None,
) -> Candidates:
    """Connected k-sets by the smallest keys of their visits; exact if the supernode holds all."""
    for_walk, for_tours, for_keys = rng.spawn(3)
    walk, beyond = _short_walk(graph, component, k, for_walk, threads)
    visited, weights = _inside(walk, threads)
    inside = float(weights.sum())
    tours = max(ceil(VISITS * most * walk.scale / (inside + beyond)), TOURS)
    totals = np.zeros(tours)

    def visits() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        yield visited, weights
        if walk.supernode.exits:
            fresh = walk._replace(key=for_tours.integers(2**64, dtype=np.uint64))
            for steps in Runner(fresh, MAX_STEPS, threads).steps(tours):
                totals[:] += np.bincount(steps.tour, steps.weights, minlength=tours)
                yield steps.ksets, steps.weights / tours

    ksets, largest = _smallest_keys(visits, k, most, for_keys)
    if len(ksets) < most or largest * walk.scale / tours >= 1:
        raise TourError(
            f"{tours:,} tours met too few connected {k}-sets to draw {most:,} of them evenly; ask for fewer, "
            "or take another seed"
        )
    moments = Moments.of(totals[:, None])
    total, stderr = inside + float(moments.mean[0]), float(moments.stderr[0])
    return Candidates(ksets, total, stderr, walk.supernode.exits == 0)


def _short_walk(
    graph: Graph, component: np.ndarray, k: int, rng: np.random.Generator, threads: int | None
) -> tuple[Walk, float]:
    """A pair-walk with the first supernode whose tours are short, and the sum beyond it by a few of them."""
    for size, short in SUPERNODES.items():
        walk = start_walk(graph, component, k, pairs=True, supernode=size, rng=rng)
        if not walk.supernode.exits:
            break
        budget = MAX_STEPS if short is None else PILOT * short
        try:
            return walk, float(Runner(walk, budget, threads).totals(PILOT).mean())
        except TourError:
            if short is None:
                raise
    return walk, 0.0


def _inside(walk: Walk, threads: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The k-sets inside the supernode, each once, and their weights."""
    parts = list(supernode_sets(walk, threads=threads))
    ksets = np.concatenate([np.empty((0, walk.k), np.int64), *(part for part, _ in parts)])
    merged = merge_sets(ksets)
    weights = np.concatenate([np.empty(0), *(weight for _, weight in parts)])
    return ksets[merged.first], np.bincount(merged.number, weights, minlength=merged.first.size)


def _smallest_keys(
    visits: Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]],
    k: int,
    most: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, float]:
    """The k-sets with the `most` smallest keys of all visits, each once, and the largest of these keys."""
    ksets, keys, largest = np.empty((0, k), np.int64), np.empty(0), np.inf
    for visited, weights in visits():
        drawn = rng.random(weights.size) / weights
        small = drawn < largest
        ksets, keys = np.concatenate([ksets, visited[small]]), np.concatenate([keys, drawn[small]])
        order = np.argsort(keys, kind="stable")
        ksets, keys = ksets[order], keys[order]
        first = merge_sets(ksets).first[:most]
        ksets, keys = ksets[first], keys[first]
        if len(ksets) == most:
            largest = float(keys.max(initial=0.0))
    return ksets, largest
