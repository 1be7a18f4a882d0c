"""Run tours: checks, random streams, lanes; what comes back is weighted so that sums over it are unbiased."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import TourError
from mhmgnn.graph import Graph
from mhmgnn.runtime import threads as cores
from mhmgnn.runtime.distributed import ALONE, Crew
from mhmgnn.runtime.rng import seed_streams
from mhmgnn.subgraphs import _ksets, _walk
from mhmgnn.subgraphs.exact import NO_SHAPES
from mhmgnn.subgraphs.supernode import INSIDE_LIMIT, Supernode, grow, inside_unions, merge_sets

LANES = 4096  # tours under way at once
SETS_HELD = 2**18  # k-sets in memory at once, when they are wanted one by one
STEPS_AT_ONCE = 2**22  # steps between two looks at the budget, when sums are enough
PILOT = 100  # tours that show how long they are
SUPERNODES = {  # tried in turn, where no size is given, until a tour has no more steps than these on average
    1_000: 1_000,
    10_000: 1_000,
    100_000: 10_000,  # the next takes as long to grow as a thousand tours of so many steps
    1_000_000: None,
}


class Walk(NamedTuple):
    """A walk on the k-HON (k-walk) or on the (k-1)-HON (pair-walk), with the supernode of its tours."""

    graph: Graph
    k: int
    pairs: bool
    supernode: Supernode
    key: np.uint64  # with the number of a tour, it fixes the tour

    @property
    def method(self) -> str:
        """What `estimate_sum` calls it."""
        return "pair-walk" if self.pairs else "k-walk"

    def runner(self, max_steps: int, threads: int | None = None, *, crew: Crew = ALONE) -> "Runner":
        """What runs tours within a budget."""
        return Runner(self, max_steps, threads, crew=crew)

    @property
    def scale(self) -> float:
        """What a tour's sum is multiplied by: d_I for k-walks, d_I / 2 for pair-walks."""
        return self.supernode.exits / (2 if self.pairs else 1)


class Steps(NamedTuple):
    """What tours met; weight x f, summed over one tour, is unbiased for the sum of f beyond the supernode."""

    ksets: np.ndarray  # (s, k) int64, rows sorted
    weights: np.ndarray  # (s,) float64
    tour: np.ndarray  # (s,) int64, counted from the first tour of the call


class TourSample(NamedTuple):
    """Distinct connected k-sets, weighted so that `weights @ f` is unbiased for the sum of f over all."""

    ksets: np.ndarray  # (s, k) int64, rows sorted
    weights: np.ndarray  # (s,) float64


class Spent(NamedTuple):
    """What tours have cost so far."""

    steps: int = 0
    work: int = 0  # trials: the same on every machine, unlike time


def start_walk(
    graph: Graph, component: np.ndarray, k: int, *, pairs: bool, supernode: int, rng: np.random.Generator
) -> Walk:
    """Grow the supernode of a walk and draw its key. `component` is what `check_k` found."""
    inside = INSIDE_LIMIT if pairs else None
    home = grow(graph, component, k - pairs, supernode, at_least=k, inside=inside)
    return Walk(graph, k, pairs, home, rng.integers(2**64, dtype=np.uint64))


def supernode_sets(walk: Walk, *, threads: int | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The k-sets that need no tour, in chunks: k-sets (c, k) and their weights (c,)."""
    if walk.pairs:
        yield from inside_unions(walk.graph, walk.supernode, threads=threads)
    else:
        ksets = walk.supernode.home.ksets
        for low in range(0, len(ksets), SETS_HELD):
            part = ksets[low : low + SETS_HELD]
            yield part, np.ones(len(part))


class Runner:
    """Runs tours of one walk within a budget of steps, and keeps the account; of a crew, its share alone."""

    at_once = LANES

    def __init__(self, walk: Walk, max_steps: int, threads: int | None = None, *, crew: Crew = ALONE) -> None:
        self.walk, self.crew = walk, crew
        self.max_steps = max_steps
        self.threads = threads or cores.available()
        self.spent = Spent()
        self.drawn = 0  # tours so far; the next call goes on from there
        self.tell: Callable[[int], None] = lambda back: None  # told how many tours of a call are back

    def totals(self, tours: int, shape_of: np.ndarray = NO_SHAPES) -> np.ndarray:
        """The scaled sum of weights over each tour, by shape where shapes are given, (tours, shapes).

        Rows of tours that others of the crew run are 0.
        """
        shapes = int(shape_of.max(initial=0)) + 1
        totals = np.zeros((tours, shapes))

        def record(active: np.ndarray, room: int) -> _walk.Record:
            k = self.walk.k
            empty = np.empty((0, 0, k), np.int64), np.empty((0, 0))
            return _walk.Record(shape_of, totals[active], *empty)

        for active, filled, _ in self._rounds(tours, STEPS_AT_ONCE, record):
            totals[active] = filled.totals  # a tour's sum does not depend on the tours beside it
        return totals * self.walk.scale

    def steps(self, tours: int) -> Iterator[Steps]:
        """Everything that the tours meet, in chunks of at most `SETS_HELD`; a long tour may span several."""

        def record(active: np.ndarray, room: int) -> _walk.Record:
            ksets = np.empty((active.size, room, self.walk.k), np.int64)
            return _walk.Record(NO_SHAPES, np.empty((0, 0)), ksets, np.empty((active.size, room)))

        for active, filled, taken in self._rounds(tours, SETS_HELD, record):
            met = np.arange(filled.weights.shape[1]) < taken[:, None]
            yield Steps(filled.ksets[met], filled.weights[met] * self.walk.scale, np.repeat(active, taken))

    def _rounds(
        self, tours: int, at_once: int, record: Callable[[np.ndarray, int], _walk.Record]
    ) -> Iterator[tuple[np.ndarray, _walk.Record, np.ndarray]]:
        """Rounds of steps until every tour is back: which tours walked, what they recorded, how much each."""
        mine = self.crew.stretch(tours)
        for low in range(mine.start, mine.stop, LANES):
            active = np.arange(low, min(low + LANES, mine.stop))
            lanes = self._lanes(self.drawn + active)
            while active.size:
                room = min(at_once, self.max_steps - self.spent.steps) // active.size
                if room < 1:
                    raise TourError(self.still_out(active.size, tours))
                filled = record(active, room)
                taken, work = self._advance(lanes, room, filled)
                self.spent = Spent(self.spent.steps + int(taken.sum()), self.spent.work + work)
                yield active, filled, taken
                out = lanes.account[:, _walk.PHASE] != _walk.BACK
                active, lanes = active[out], _walk.Lanes(*(part[out] for part in lanes))
                self.tell((min(low + LANES, mine.stop) - mine.start - active.size) * self.crew.world)
        self.drawn += tours

    def _lanes(self, numbers: np.ndarray) -> _walk.Lanes:
        size = self.walk.supernode.home.ksets.shape[1]
        stream = np.empty((numbers.size, 2), np.uint64)
        seed_streams(stream, self.walk.key, numbers)
        state = np.zeros((numbers.size, 4, size), np.int64)
        return _walk.Lanes(
            state, stream, np.zeros(numbers.size, np.uint64), np.zeros((numbers.size, 3), np.int64)
        )

    def _advance(self, lanes: _walk.Lanes, room: int, record: _walk.Record) -> tuple[np.ndarray, int]:
        """Let all lanes walk, a few stretches of them a thread; steps recorded a lane, and the work done."""
        before = int(lanes.account[:, _walk.WORK].sum())
        rows = _ksets.Rows(*self.walk.graph.rows)
        held = lanes.key.size
        bounds = np.unique(np.linspace(0, held, min(8 * self.threads, held) + 1).astype(np.int64)).tolist()

        def walk_on(stretch: tuple[int, int]) -> np.ndarray:
            home = self.walk.supernode.home
            return np.asarray(_walk.advance(rows, home, lanes, *stretch, self.walk.pairs, room, record))

        stretches = pairwise(bounds)
        taken = np.concatenate(list(cores.side_by_side(walk_on, stretches, self.threads)))
        return taken, int(lanes.account[:, _walk.WORK].sum()) - before

    def still_out(self, out: int, tours: int) -> str:
        """What to say when the budget is spent."""
        home = self.walk.supernode
        return (
            f"{out} of {tours} tours did not return within {self.spent.steps:,} steps in all; "
            f"grow the supernode (now {home.size:,} sets with {home.exits:,} exits), take fewer tours, "
            f"or raise max_steps (now {self.max_steps:,})"
        )


def run_tours(walk: Walk, tours: int, *, max_steps: int, threads: int | None = None) -> TourSample:
    """Draw `tours` tours and weight every k-set that they or the supernode hold; repeated ones are merged."""
    parts = list(supernode_sets(walk, threads=threads))
    if walk.supernode.exits:
        met = Runner(walk, max_steps, threads).steps(tours)
        parts += [(steps.ksets, steps.weights / tours) for steps in met]
    ksets = np.concatenate([part for part, _ in parts])
    merged = merge_sets(ksets)
    weights = np.bincount(
        merged.number, np.concatenate([weight for _, weight in parts]), minlength=merged.first.size
    )
    return TourSample(ksets[merged.first], weights)
