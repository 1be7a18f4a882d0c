"""The sum of f over all connected k-sets of a graph: exactly, or without bias from tours, with its error."""

import time
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from mhmgnn.config import Method, TourConfig, check_whole
from mhmgnn.errors import DataError, TourError
from mhmgnn.graph import Graph
from mhmgnn.runtime.distributed import ALONE, Crew
from mhmgnn.subgraphs.exact import LIMIT, Roots, check_k, count_roots, in_chunks
from mhmgnn.subgraphs.result import Estimate, Moments
from mhmgnn.subgraphs.shapes import motif_shapes
from mhmgnn.subgraphs.summand import Function, Summand
from mhmgnn.subgraphs.supernode import LARGE
from mhmgnn.subgraphs.walk import (
    LANES,
    PILOT,
    SETS_HELD,
    SUPERNODES,
    Runner,
    Spent,
    Walk,
    start_walk,
    supernode_sets,
)

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
    tours with the smaller error for the same work. With `precision`, tours go on in batches until the
    standard error is that share of the value, or until `max_steps` are spent; `ended` says which. The
    processes of a `crew` call it alike, share the work of counting (not that of f), and get the same result.

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
    if config.method in ("auto", "exact"):
        most = np.iinfo(np.int64).max
        if config.method == "auto":
            most = config.limit or (COUNTED if summand.f is None else LIMIT)
        roots = count_roots(graph, k, limit=most, shape_of=summand.shape_of, threads=threads, crew=crew)
        if roots is not None:
            return _exact(summand, k, roots, began, threads, progress)
    run = _TourRun(summand, k, component, config, threads, progress, crew)
    for_pilot, for_tours = np.random.default_rng(seed).spawn(2)
    walk = run.choose(for_pilot)
    return run.estimate(walk._replace(key=for_tours.integers(2**64, dtype=np.uint64)), began)


def _summand(graph: Graph, k: int, f: Function | Literal["shape"] | None) -> Summand:
    if f is None or callable(f):
        return Summand(graph, f)
    if f == "shape":
        return Summand(graph, shape_of=motif_shapes(k).shape_of)
    raise DataError(f'f is {f!r}; it must be a function of k-sets, "shape", or left out to count')


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


class _Pilot(NamedTuple):
    """A walk and what a few tours of it showed."""

    walk: Walk
    steps: int
    loss: float  # squared error times work: what is paid for a given precision


class _TourRun:
    """Tours of one sum: which kind, how many, and when they end."""

    def __init__(
        self,
        summand: Summand,
        k: int,
        component: np.ndarray,
        config: TourConfig,
        threads: int | None,
        progress: Progress | None,
        crew: Crew,
    ) -> None:
        if config.method == "pair-walk" and k == 2:
            raise DataError(
                'pair-walks need k of at least 3; at k = 2 every edge is a k-set: take method="exact"'
            )
        self.summand, self.k, self.component, self.config = summand, k, component, config
        self.threads, self.progress, self.share, self.crew = threads, progress, 0.0, crew

    def choose(self, rng: np.random.Generator) -> Walk:
        """The walk to take, by pilots whose tours are then thrown away.

        Without a given size, the supernode is the smallest whose tours are short. Of two methods the one with
        the smaller squared error times work is taken. Work is counted in trials, so that the choice is the
        same on every machine. k-walks are ruled out if they need four times the steps of the pair-walks, or
        if these need a large supernode: the k-HON is larger still.
        """
        for_pairs, for_ksets = rng.spawn(2)
        if self.config.method == "k-walk" or self.k == 2:
            return self._pilot(False, for_ksets, self.config.max_steps).walk
        pairs = self._pilot(True, for_pairs, self.config.max_steps)
        supernode = pairs.walk.supernode
        large = supernode.size > LARGE / 2  # some sets were drawn twice
        if self.config.method == "pair-walk" or supernode.exits == 0 or large:
            return pairs.walk
        try:
            ksets = self._pilot(False, for_ksets, 4 * pairs.steps, size=supernode.size)
        except TourError:
            return pairs.walk
        return min(pairs, ksets, key=lambda pilot: pilot.loss).walk

    def _pilot(self, pairs: bool, rng: np.random.Generator, most: int, *, size: int | None = None) -> _Pilot:
        """A walk with a supernode of the given size, or of the first whose tours are short."""
        given = size or self.config.supernode
        sizes = SUPERNODES if given is None else {given: None}
        for size, short in sizes.items():
            walk = start_walk(
                self.summand.graph, self.component, self.k, pairs=pairs, supernode=size, rng=rng
            )
            nothing_to_choose = short is None and self.config.method != "auto"
            if walk.supernode.exits == 0 or nothing_to_choose:
                return _Pilot(walk, 0, 0.0)
            runner = self._runner(walk, most if short is None else min(most, PILOT * short))
            try:
                errors = self._draw(runner, PILOT).stderr[:-1]
            except TourError:
                if short is None:
                    raise
            else:
                break
        return _Pilot(walk, runner.spent.steps, float((errors**2).sum()) * runner.spent.work)

    def estimate(self, walk: Walk, began: float) -> Estimate:
        """Run the tours and add their mean to the sum over the supernode."""
        supernode, method = walk.supernode, "pair-walk" if walk.pairs else "k-walk"
        constant = np.zeros(1)
        for ksets, weights in supernode_sets(walk, threads=self.threads):
            constant = constant + self.summand.add(ksets, weights, np.zeros(len(ksets), np.int64), 1)[0]
        if supernode.exits == 0:
            none = np.zeros(constant.size + 1)
            return _result(self.summand, constant, none, method, "exact", began, supernode=supernode.size)
        runner = self._runner(walk, self.config.max_steps)
        moments, ended = self._until_enough(runner, constant)
        return _result(
            self.summand,
            constant + moments.mean[:-1],
            moments.stderr,
            method,
            ended,
            began,
            tours=moments.tours,
            steps=runner.spent.steps,
            supernode=supernode.size,
        )

    def _until_enough(self, runner: Runner, constant: np.ndarray) -> tuple[Moments, str]:
        """Draw tours until they are enough, and say what ended them.

        A fixed number of tours is unbiased. Stopping by what was seen (precision, budget) is so up to a term
        of order 1 / tours.
        """
        asked, precision = self.config.tours, self.config.precision
        self._watch(runner, 0, asked)
        moments = self._draw(runner, min(LANES, asked))
        while True:
            reached = 0.0 if precision is None else _relative(moments, constant) / precision
            if moments.tours >= asked and reached <= 1:
                return moments, "tours" if precision is None else "precision"
            wanted = max(asked, int(moments.tours * min(1.05 * reached**2, 4)) + 1)
            self._watch(runner, moments.tours, wanted)
            try:
                moments = moments.join(self._draw(runner, min(LANES, wanted - moments.tours)))
            except TourError:
                if moments.tours < asked:
                    raise
                return moments, "budget"

    def _watch(self, runner: Runner, done: int, wanted: int) -> None:
        """Report the share of tours that are back, never falling: `wanted` may grow on the way."""

        def tell(back: int) -> None:
            self.share = max(self.share, min((done + back) / wanted, 0.99))
            if self.progress:
                self.progress(self.share)

        runner.tell = tell

    def _runner(self, walk: Walk, max_steps: int) -> Runner:
        return Runner(walk, max_steps, self.threads, crew=self.crew)

    def _draw(self, runner: Runner, tours: int) -> Moments:
        """The moments of so many further tours, each giving the sum beyond the supernode.

        All processes of the crew have the same numbers afterwards, and the same error where the budget was
        too small for all tours together.
        """
        before, failed = runner.spent, 0
        try:
            totals = self._totals(runner, tours)
        except TourError:
            if self.crew.world == 1:
                raise
            totals, failed = np.zeros((tours, 1)), 1
        spent = np.array([[*np.subtract(runner.spent, before), failed]])
        steps, work, out = np.concatenate(self.crew.gather(spent)).sum(axis=0).tolist()
        runner.spent = Spent(before.steps + steps, before.work + work)
        if out or runner.spent.steps > runner.max_steps:
            raise TourError(runner.still_out(max(out, 1), tours))
        mine = self.crew.stretch(tours)
        return Moments.of(np.concatenate(self.crew.gather(totals[mine.start : mine.stop])))

    def _totals(self, runner: Runner, tours: int) -> np.ndarray:
        """The sum of f over each of so many further tours, (tours, d); 0 for those of other processes."""
        if self.summand.f is None:
            return runner.totals(tours, self.summand.shape_of)
        totals = np.zeros(1)
        for steps in runner.steps(tours):
            totals = totals + self.summand.add(steps.ksets, steps.weights, steps.tour, tours)
        return totals


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
