"""Independent estimates of one sum, drawn in batches: each is a tour, or a grown set."""

from typing import NamedTuple

import numpy as np

from mhmgnn.errors import TourError
from mhmgnn.runtime.distributed import Crew
from mhmgnn.subgraphs.growth import Grower, Growth
from mhmgnn.subgraphs.result import Moments
from mhmgnn.subgraphs.summand import Summand
from mhmgnn.subgraphs.walk import Runner, Spent, Walk, supernode_sets

Way = Walk | Growth


class Draws(NamedTuple):
    """What is summed, and who works on it."""

    summand: Summand
    threads: int | None
    crew: Crew

    def runner(self, way: Way, max_steps: int) -> Runner | Grower:
        """What draws by one of the ways within a budget."""
        return way.runner(max_steps, self.threads, crew=self.crew)

    def sure(self, way: Way) -> np.ndarray:
        """The part of the sum that needs no draws, (d,): that over the supernode of a walk."""
        constant = np.zeros(1)
        if isinstance(way, Walk):
            for ksets, weights in supernode_sets(way, threads=self.threads):
                constant = constant + self.summand.add(ksets, weights, np.zeros(len(ksets), np.int64), 1)[0]
        return constant

    def moments(self, runner: Runner | Grower, tours: int) -> Moments:
        """The moments of so many further draws, each giving the sum beyond the sure part.

        All processes of the crew have the same numbers afterwards, and the same error where the budget was
        too small for all draws together.
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

    def _totals(self, runner: Runner | Grower, tours: int) -> np.ndarray:
        """The sum of f over each of so many further draws, (tours, d); 0 for those of other processes."""
        if self.summand.f is None:
            return runner.totals(tours, self.summand.shape_of)
        totals = np.zeros(1)
        for steps in runner.steps(tours):
            totals = totals + self.summand.add(steps.ksets, steps.weights, steps.tour, tours)
        return totals
