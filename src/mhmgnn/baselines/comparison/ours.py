"""mhmgnn's own method in a comparison."""

from __future__ import annotations

import time

from mhmgnn.baselines.recovery import Recovered
from mhmgnn.config import GroupsConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.models.groups import GroupReader, Scoring
from mhmgnn.models.reconstruction import reconstruct
from mhmgnn.nn.groups import GroupEnergy
from mhmgnn.runtime.distributed import ALONE, Crew
from mhmgnn.training.groups import TRIANGLES, fit_groups
from mhmgnn.training.worlds.store import WorldStore


class Ours:
    """A group energy trained on one graph; the processes of a crew share training and search."""

    def __init__(self, learn: Graph, *, seed: int, crew: Crew = ALONE, quiet: bool = True) -> None:
        began = time.perf_counter()
        store = WorldStore(None, "")
        fitted = fit_groups(learn, GroupsConfig(), seed, crew=crew, store=store, quiet=quiet)
        if fitted is None:
            raise DataError(f"there is nothing to learn groups from: fewer than {TRIANGLES} triangles")
        self.learn, self.crew = learn, crew
        self.energy: GroupEnergy = fitted.energy
        self.facts = fitted.facts
        self.seconds = time.perf_counter() - began

    def reader(self, graph: Graph) -> GroupReader:
        """The reader of energies of sets in `graph`."""
        return GroupReader(self.energy, graph, at_home=graph is self.learn).by(Scoring(self.crew))

    def groups(self, graph: Graph) -> Recovered:
        """The groups that the pairs of `graph` were made of."""
        found = reconstruct(self.reader(graph))
        return Recovered(found.sets, found.complete)
