"""Grow connected k-sets with known chances: each alone is an unbiased estimate of a sum over all of them."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import TourError
from mhmgnn.graph import Graph
from mhmgnn.runtime import threads as cores
from mhmgnn.runtime.distributed import ALONE, Crew
from mhmgnn.subgraphs import _growth, _ksets
from mhmgnn.subgraphs.exact import NO_SHAPES
from mhmgnn.subgraphs.walk import Spent, Steps

UNIFORM = 0.2  # share of the first pairs that are uniform edges, so that no set is out of reach
SUBSETS = 16  # subsets of a set that are gone through while a walk makes one trial
BLOCK = 512  # sets that a thread grows at a time


class Growth(NamedTuple):
    """Sets that are grown from a first pair, each time by a uniform edge that leaves the set."""

    graph: Graph
    k: int
    starts: _growth.Starts
    key: np.uint64  # with the number of a set, it fixes the set

    @property
    def method(self) -> str:
        """What `estimate_sum` calls it."""
        return "growth"

    def runner(self, max_steps: int, threads: int | None = None, *, crew: Crew = ALONE) -> "Grower":
        """What grows sets within a budget."""
        return Grower(self, max_steps, threads, crew=crew)


def start_growth(graph: Graph, component: np.ndarray, k: int, rng: np.random.Generator) -> Growth:
    r"""Choose the chances of first pairs, and draw the key. `component` is what `check_k` found.

    .. math:: p(\{u, v\}) = w(u) + w(v), \qquad w(u) = \sum_{a=0}^{k-2} c_a (d_u - 1)^a

    The more edges leave a pair, the more sets grow from it. Which power of them is best depends on the graph:
    all have equal shares, but for uniform edges (a = 0), which have `UNIFORM`. w is 0 in components of fewer
    than k nodes, where sets could not grow on.
    """
    degree = np.where(np.bincount(component)[component] >= k, graph.degrees, 0).astype(np.float64)
    onward = np.maximum(degree - 1, 0) / max(degree.max() - 1, 1)
    powers = range(1, k - 1)
    each = (degree > 0) * ((UNIFORM if powers else 1.0) / degree.sum())
    for power in powers:
        weight = onward**power
        each += weight * ((1 - UNIFORM) / len(powers) / (weight @ degree))
    reach = np.cumsum(each * degree)
    return Growth(graph, k, _growth.Starts(reach / reach[-1], each), rng.integers(2**64, dtype=np.uint64))


class Grower:
    """Grows sets within a budget of steps, and keeps the account; of a crew, its share alone."""

    at_once = 2**14  # sets of one call

    def __init__(
        self, growth: Growth, max_steps: int, threads: int | None = None, *, crew: Crew = ALONE
    ) -> None:
        self.growth, self.crew = growth, crew
        self.max_steps = max_steps
        self.threads = threads or cores.available()
        self.spent = Spent()
        self.drawn = 0  # sets so far; the next call goes on from there
        self.tell: Callable[[int], None] = lambda back: None  # told how many sets of a call are grown

    def totals(self, tours: int, shape_of: np.ndarray = NO_SHAPES) -> np.ndarray:
        """The weight of each of so many further sets, in the column of its shape, (tours, shapes).

        Rows of sets that others of the crew grow are 0.
        """
        totals = np.zeros((tours, int(shape_of.max(initial=0)) + 1))
        number, grown = self._grown(tours, shape_of)
        totals[number, grown.shapes] = grown.weights
        return totals

    def steps(self, tours: int) -> Iterator[Steps]:
        """So many further sets with their weights."""
        number, grown = self._grown(tours, NO_SHAPES)
        yield Steps(grown.ksets, grown.weights, number)

    def _grown(self, tours: int, shape_of: np.ndarray) -> tuple[np.ndarray, _growth.Grown]:
        """Sets of this process, with their numbers in the call."""
        k = self.growth.k
        if self.spent.steps + tours * (k - 1) > self.max_steps:
            raise TourError(self.still_out(tours, tours))
        mine, rows = self.crew.stretch(tours), _ksets.Rows(*self.growth.graph.rows)
        held = len(mine)
        grown = _growth.Grown(np.empty((held, k), np.int64), np.empty(held), np.empty(held, np.int64))

        def grow(low: int) -> int:
            part = _growth.Grown(*(array[low : low + BLOCK] for array in grown))
            first = self.drawn + mine.start + low
            return int(_growth.grow(rows, self.growth.starts, self.growth.key, first, shape_of, part))

        blocks, work = range(0, held, BLOCK), held * ((1 << k) // SUBSETS)
        for low, trials in zip(blocks, cores.side_by_side(grow, blocks, self.threads), strict=True):
            work += trials
            self.tell(min(low + BLOCK, held) * self.crew.world)
        self.spent = Spent(self.spent.steps + held * (k - 1), self.spent.work + work)
        self.drawn += tours
        return np.arange(mine.start, mine.stop), grown

    def still_out(self, out: int, tours: int) -> str:
        """What to say when the budget is spent."""
        steps = tours * (self.growth.k - 1)
        return (
            f"{tours:,} sets take {steps:,} steps to grow, and {self.spent.steps:,} are spent; "
            f"take fewer tours, or raise max_steps (now {self.max_steps:,})"
        )
