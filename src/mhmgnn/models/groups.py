"""The group energy applied to one graph: energies of sets of any size."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from mhmgnn.context.context import Context, describe, read_sets
from mhmgnn.context.reference import random_cliques
from mhmgnn.context.scale import Scale
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.csr import sets_connected
from mhmgnn.graph.sets import Sets
from mhmgnn.nn.groups import GroupEnergy
from mhmgnn.runtime.console import Tell, silence
from mhmgnn.runtime.distributed import ALONE, Crew

if TYPE_CHECKING:
    from mhmgnn.models.kept import Kept

MATCHES = ("exact", "contained")  # the questions, in the order of the network's outputs
REFERENCE = 400  # random cliques of each size, by which context is standardised
CHUNK = 2**15  # sets at a time


class Scoring(NamedTuple):
    """How a long search scores sets: who shares the work, where energies are kept, who hears of it."""

    crew: Crew = ALONE
    kept: Kept | None = None
    tell: Tell = silence


HERE = Scoring()  # in this process, all anew


class GroupReader:
    """Group energies of the sets of one graph; their context is standardised by random cliques of it."""

    def __init__(self, energy: GroupEnergy, graph: Graph, *, at_home: bool) -> None:
        self.energy, self.graph, self.at_home = energy, graph, at_home  # whether it was trained on this graph
        self.scoring = HERE
        self.context: Context = describe(graph)
        if len(self.context.set_columns) != energy.mean.numel():
            has, was = ("no counts", "with") if graph.weights is None else ("counts", "without")
            raise DataError(
                f"the graph has {has}, and the groups were learned {was} counts; give one that fits"
            )
        usual = Sets.join([*random_cliques(graph, REFERENCE, np.random.default_rng(0)).values()])
        self.scale = Scale.of(read_sets(self.context, usual), usual.sizes)

    def by(self, scoring: Scoring) -> GroupReader:
        """The same reader with this scoring; all processes of a crew must ask for the same sets."""
        other = copy.copy(self)
        other.scoring = scoring
        return other

    def energies(self, sets: Sets, tell: Tell = silence) -> np.ndarray:
        """The energy of each set for both `MATCHES`, (s, 2) float32; inf for sets that are not connected."""
        out = np.full((sets.num, 2), np.inf, np.float32)
        connected = np.flatnonzero(sets_connected(*self.graph.rows, *sets))
        chunks = [connected[low : low + CHUNK] for low in range(0, connected.size, CHUNK)]
        crew, kept, _ = self.scoring
        rank, world = crew
        if kept is not None:
            kept.prepare((sets.take(chunk) for chunk in chunks), tell)
        tell(0.0)
        mine = [np.empty((0, 2), np.float32)]
        for chunk in chunks[rank::world]:
            part = sets.take(chunk)
            mine.append(self.score(part) if kept is None else kept.energies(part, self.score))
            tell(min(world * (len(mine) - 1) / len(chunks), 1.0))
        shares = crew.gather(np.concatenate(mine))
        for other, share in enumerate(shares):
            out[np.concatenate([connected[:0], *chunks[other::world]])] = share
        return out

    def hidden(self, plain: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """What the networks that read graph units make of sets, (s, d) float32; `plain` is their context."""
        with torch.no_grad():
            given = (torch.from_numpy(array) for array in (self.scale.apply(plain, sizes), plain, sizes))
            found: np.ndarray = self.energy.by_unit.hidden(self.energy.inputs(*given)[1]).numpy()
        return found

    def score(self, sets: Sets) -> np.ndarray:
        """The energies of connected sets, (s, 2) float32, by this process."""
        plain = read_sets(self.context, sets)
        scaled = self.scale.apply(plain, sets.sizes)
        with torch.no_grad():
            given = (torch.from_numpy(array) for array in (scaled, plain, sets.sizes))
            found: np.ndarray = self.energy(*given, at_home=self.at_home).numpy()
        return found
