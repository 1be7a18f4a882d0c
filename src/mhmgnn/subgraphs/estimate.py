"""The sum of f over all connected k-sets: exactly, or without bias from random ones, with its error."""

import time
from collections.abc import Callable
from typing import Literal

import numpy as np

from mhmgnn.config import Method, TourConfig, check_whole
from mhmgnn.errors import DataError, TourError
from mhmgnn.graph import Graph
from mhmgnn.runtime.distributed import ALONE, Crew
from mhmgnn.subgraphs.choice import Chooser, surely_more
from mhmgnn.subgraphs.draws import Draws, Way
from mhmgnn.subgraphs.exact import LIMIT, Roots, check_k, count_roots, in_chunks
from mhmgnn.subgraphs.growth import Grower
from mhmgnn.subgraphs.result import Estimate, Moments
from mhmgnn.subgraphs.shapes import motif_shapes
from mhmgnn.subgraphs.summand import Function, Summand
from mhmgnn.subgraphs.walk import SETS_HELD, Runner, Walk

Progress = Callable[[float], None]  # told the share that is done, from 0 to 1
COUNTED = 10**9  # k-sets that are counted without being listed: a few seconds


def estimate_sum(
    graph: Graph,
    k: int,
    f: Function | Literal["shape"] | None = None,
    *,
    method: Method = TourConfig.method,
    tours: int = TourConfig.tours,
    supernode: int | None = TourConfig.supernode,
    seed: int = 0,
    precision: float | None = TourConfig.precision,
    max_steps: int = TourConfig.max_steps,
    limit: int | None = TourConfig.limit,
    threads: int | None = None,
    progress: Progress | None = None,
    crew: Crew = ALONE,
) -> Estimate:
    """The sum of f over all connected k-sets of the graph; without f, their number.

    `f` takes k-sets (m, k) and returns (m,) or (m, d) values; `f="shape"` counts each of `motif_shapes(k)` in
    a column of its own. "auto" enumerates where there are at most `limit` k-sets, and elsewhere takes the
    way with the smallest error for the same work: "growth", whose `tours` are random sets grown with known
    chances and whose steps are the nodes that join, or tours, "pair-walk" or "k-walk". With `precision`,
    tours go on in batches until the standard error is that share of the value, or until `max_steps` are
    spent; `ended` says which. The processes of a `crew` call it alike, share the work of counting (not that
    of f), and get the same result.

    >>> estimate_sum(Graph.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]]), k=3).value
    3.0
    """
    config = TourConfig(
        method=method, tours=tours, supernode=supernode, precision=precision, max_steps=max_steps, limit=limit
    )
    check_whole("seed", seed, 0)
    began = time.perf_counter()
    summand = _summand(graph, k, f)
    crew = crew if summand.f is None else ALONE
    component = check_k(graph, k)
    draws = Draws(summand, threads, crew)
    for_pilot, for_tours, for_number = np.random.default_rng(seed).spawn(3)
    if config.method in ("auto", "exact"):
        roots = _roots(draws, k, component, config, for_number)
        if roots is not None:
            return _exact(summand, k, roots, began, threads, progress)
    way = Chooser(draws, k, component, config).choose(for_pilot)
    way = way._replace(key=for_tours.integers(2**64, dtype=np.uint64))
    return _Run(draws, config, progress).estimate(way, began)


def _summand(graph: Graph, k: int, f: Function | Literal["shape"] | None) -> Summand:
    if f is None or callable(f):
        return Summand(graph, f)
    if f == "shape":
        return Summand(graph, shape_of=motif_shapes(k).shape_of)
    raise DataError(f'f is {f!r}; it must be a function of k-sets, "shape", or left out to count')


def _roots(
    draws: Draws, k: int, component: np.ndarray, config: TourConfig, rng: np.random.Generator
) -> Roots | None:
    """The k-sets, counted, if they are to be enumerated; not counted far where that is in vain."""
    summand = draws.summand

    def count(limit: int) -> Roots | None:
        shape_of, threads, crew = summand.shape_of, draws.threads, draws.crew
        return count_roots(summand.graph, k, limit=limit, shape_of=shape_of, threads=threads, crew=crew)

    if config.method == "exact":
        return count(np.iinfo(np.int64).max)
    most = config.limit or (COUNTED if summand.f is None else LIMIT)
    roots = count(min(most, LIMIT))
    if roots is None and most > LIMIT and not surely_more(draws, k, component, most, rng):
        return count(most)
    return roots


def _exact(
    summand: Summand, k: int, roots: Roots, began: float, threads: int | None, progress: Progress | None
) -> Estimate:
    if summand.f is None:
        counts = roots.shapes if summand.shape_of.size else roots.counts.sum()
        value = np.asarray(counts, np.float64).ravel()
    else:
        value, done = np.zeros(1), 0
        for ksets in in_chunks(roots, k, SETS_HELD, threads=threads):
            value = value + summand.add(ksets, np.ones(len(ksets)), np.zeros(len(ksets), np.int64), 1)[0]
            done += len(ksets)
            if progress:
                progress(done / roots.counts.sum())
    return _result(summand, value, np.zeros(value.size + 1), "exact", "exact", began)


class _Run:
    """The draws of one sum that count: how many, and when they end."""

    def __init__(self, draws: Draws, config: TourConfig, progress: Progress | None) -> None:
        self.draws, self.config = draws, config
        self.progress, self.share = progress, 0.0

    def estimate(self, way: Way, began: float) -> Estimate:
        """Draw, and add the mean to the part of the sum that is sure."""
        summand, constant = self.draws.summand, self.draws.sure(way)
        size = way.supernode.size if isinstance(way, Walk) else 0
        if isinstance(way, Walk) and way.supernode.exits == 0:
            none = np.zeros(constant.size + 1)
            return _result(summand, constant, none, way.method, "exact", began, supernode=size)
        runner = self.draws.runner(way, self.config.max_steps)
        moments, ended = self._until_enough(runner, constant)
        return _result(
            summand,
            constant + moments.mean[:-1],
            moments.stderr,
            way.method,
            ended,
            began,
            tours=moments.tours,
            steps=runner.spent.steps,
            supernode=size,
        )

    def _until_enough(self, runner: Runner | Grower, constant: np.ndarray) -> tuple[Moments, str]:
        """Draw until there is enough, and say what ended it.

        A fixed number of draws is unbiased. Stopping by what was seen (precision, budget) is so up to a term
        of order 1 / draws.
        """
        asked, precision = self.config.tours, self.config.precision
        self._watch(runner, 0, asked)
        moments = self.draws.moments(runner, min(runner.at_once, asked))
        while True:
            reached = 0.0 if precision is None else _relative(moments, constant) / precision
            if moments.tours >= asked and reached <= 1:
                return moments, "tours" if precision is None else "precision"
            wanted = max(asked, int(moments.tours * min(1.05 * reached**2, 4)) + 1)
            self._watch(runner, moments.tours, wanted)
            try:
                more = self.draws.moments(runner, min(runner.at_once, wanted - moments.tours))
            except TourError:
                if moments.tours < asked:
                    raise
                return moments, "budget"
            moments = moments.join(more)

    def _watch(self, runner: Runner | Grower, done: int, wanted: int) -> None:
        """Report the share of draws that are done, never falling: `wanted` may grow on the way."""

        def tell(back: int) -> None:
            self.share = max(self.share, min((done + back) / wanted, 0.99))
            if self.progress:
                self.progress(self.share)

        runner.tell = tell


def _relative(moments: Moments, constant: np.ndarray) -> float:
    """Relative standard error of the whole sum."""
    size = float(np.linalg.norm(constant + moments.mean[:-1]))
    error = float(np.linalg.norm(moments.stderr[:-1]))
    return error / size if size else (np.inf if error else 0.0)


def _result(
    summand: Summand,
    value: np.ndarray,
    stderr: np.ndarray,
    method: str,
    ended: str,
    began: float,
    *,
    tours: int = 0,
    steps: int = 0,
    supernode: int = 0,
) -> Estimate:
    """An estimate from value (d,) and stderr (d + 1,), the last of them for the sum of columns."""
    alone = summand.is_single
    return Estimate(
        value=float(value[0]) if alone else value,
        stderr=float(stderr[0]) if alone else stderr[:-1],
        sum_stderr=float(stderr[-1]),
        exact=ended == "exact",
        method=method,
        tours=tours,
        steps=steps,
        supernode=supernode,
        ended=ended,
        seconds=time.perf_counter() - began,
    )
