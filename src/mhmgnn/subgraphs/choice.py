"""Which way a sum is estimated: by k-walk tours, by pair-walk tours, or by grown sets."""

from typing import NamedTuple

import numpy as np

from mhmgnn.config import TourConfig
from mhmgnn.errors import DataError, TourError
from mhmgnn.subgraphs.draws import Draws, Way
from mhmgnn.subgraphs.growth import start_growth
from mhmgnn.subgraphs.summand import Summand
from mhmgnn.subgraphs.supernode import LARGE
from mhmgnn.subgraphs.walk import PILOT, SUPERNODES, Walk, start_walk

GROWN = 4096  # sets that show how much their weights differ
FEW = 512  # sets that show how many there are
SOUND = 0.25  # relative standard error up to which these are believed
DOUBT = 4  # times the loss that they show: what is rare may be missing among them
QUICK = 10**6  # trials, fewer than it takes to find out about tours
FIRST, SHORT = 1_000, 1_000  # supernode of tours beside sound sets, and steps of a tour on average


def surely_more(draws: Draws, k: int, component: np.ndarray, limit: int, rng: np.random.Generator) -> bool:
    """Whether there are more connected k-sets than `limit`, ten standard errors beyond doubt."""
    draws = draws._replace(summand=Summand(draws.summand.graph))
    way = start_growth(draws.summand.graph, component, k, rng)
    number = draws.moments(draws.runner(way, FEW * k), FEW)
    return bool(number.mean[0] > 1.01 * limit + 10 * number.stderr[0])


class _Pilot(NamedTuple):
    """A way, and what a few draws by it showed."""

    way: Way
    steps: int
    loss: float  # squared error times work: what is paid for a given precision
    ahead: float = np.inf  # work until the end that was asked for, where it can be told


class Chooser:
    """Chooses the way of one sum by pilots, whose draws are then thrown away."""

    def __init__(self, draws: Draws, k: int, component: np.ndarray, config: TourConfig) -> None:
        if config.method == "pair-walk" and k == 2:
            raise DataError(
                'pair-walks need k of at least 3; at k = 2 every edge is a k-set: take method="exact"'
            )
        self.draws, self.k, self.component, self.config = draws, k, component, config
        self.graph = draws.summand.graph

    def choose(self, rng: np.random.Generator) -> Way:
        """The way to take: what `method` says, or for "auto" that of least squared error times work.

        Work is counted in trials, so that the choice is the same on every machine. Where grown sets give a
        sound estimate, they are taken at once if they will be done soon, and else compared with tours if
        these come home to a small supernode. Where they do not, tours may have a large one, and grown sets
        are what is left if even that is too small.
        """
        for_pairs, for_ksets, for_growth = rng.spawn(3)
        method, most, size = self.config.method, self.config.max_steps, self.config.supernode
        if method == "growth":
            return start_growth(self.graph, self.component, self.k, for_growth)
        if method == "pair-walk":
            return self._pilot(True, for_pairs, most, size).way
        if method == "k-walk":
            return self._pilot(False, for_ksets, most, size).way
        grown = self._grown(for_growth)
        if grown.ahead <= QUICK:
            return grown.way
        if np.isfinite(grown.loss):
            most, size = min(most, PILOT * SHORT), size or FIRST
        try:
            tours = self._tours(for_pairs, for_ksets, most, size)
        except TourError:
            return grown.way
        return min(tours, grown, key=lambda pilot: pilot.loss).way

    def _grown(self, rng: np.random.Generator) -> _Pilot:
        """Grown sets, with an infinite loss if they do not give a sound estimate."""
        way = start_growth(self.graph, self.component, self.k, rng)
        runner = self.draws.runner(way, GROWN * self.k)
        moments = self.draws.moments(runner, GROWN)
        size, error = (float(np.linalg.norm(part[:-1])) for part in (moments.mean, moments.stderr))
        if size == 0 or error > SOUND * size:
            return _Pilot(way, runner.spent.steps, np.inf)
        work, precision = runner.spent.work, self.config.precision
        batches = 0.0 if precision is None else (error / size / precision) ** 2
        ahead = work * max(batches, self.config.tours / GROWN)
        return _Pilot(way, runner.spent.steps, DOUBT * error**2 * work, DOUBT * ahead)

    def _tours(
        self, for_pairs: np.random.Generator, for_ksets: np.random.Generator, most: int, size: int | None
    ) -> _Pilot:
        """The kind of tours that pays more.

        k-walks are ruled out if they need four times the steps of the pair-walks, or if these need a large
        supernode: the k-HON is larger still.
        """
        if self.k == 2:
            return self._pilot(False, for_ksets, most, size)
        pairs = self._pilot(True, for_pairs, most, size)
        assert isinstance(pairs.way, Walk)
        supernode = pairs.way.supernode
        large = supernode.size > LARGE / 2  # some sets were drawn twice
        if supernode.exits == 0 or large:
            return pairs
        try:
            ksets = self._pilot(False, for_ksets, 4 * pairs.steps, supernode.size)
        except TourError:
            return pairs
        return min(pairs, ksets, key=lambda pilot: pilot.loss)

    def _pilot(self, pairs: bool, rng: np.random.Generator, most: int, size: int | None) -> _Pilot:
        """A walk with a supernode of the given size, or of the first whose tours are short."""
        sizes = SUPERNODES if size is None else {size: None}
        for size, short in sizes.items():
            walk = start_walk(self.graph, self.component, self.k, pairs=pairs, supernode=size, rng=rng)
            nothing_to_choose = short is None and self.config.method != "auto"
            if walk.supernode.exits == 0 or nothing_to_choose:
                return _Pilot(walk, 0, 0.0)
            runner = self.draws.runner(walk, most if short is None else min(most, PILOT * short))
            try:
                errors = self.draws.moments(runner, PILOT).stderr[:-1]
            except TourError:
                if short is None:
                    raise
            else:
                break
        return _Pilot(walk, runner.spent.steps, float((errors**2).sum()) * runner.spent.work)
