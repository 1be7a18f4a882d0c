"""The group energy applied to one graph: energies of sets of any size."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

from mhmgnn.config import check_one_of
from mhmgnn.context.context import read_sets
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.csr import pairs_missing, sets_connected
from mhmgnn.graph.sets import Sets
from mhmgnn.models.surroundings import Surroundings
from mhmgnn.nn.groups import GroupEnergy
from mhmgnn.nn.pieces import in_pieces
from mhmgnn.runtime.console import Tell, silence
from mhmgnn.runtime.distributed import ALONE, Crew

if TYPE_CHECKING:
    from mhmgnn.models.kept import Kept

MATCHES = ("exact", "contained")  # the questions, in the order of the network's outputs
CHUNK = 2**15  # sets at a time


class Scoring(NamedTuple):
    """How a long search scores sets: who shares the work, where energies are kept, who hears of it."""

    crew: Crew = ALONE
    kept: Kept | None = None
    tell: Tell = silence


HERE = Scoring()  # in this process, all anew


class GroupReader:
    """Group energies of the sets of one graph; their context is standardised by random cliques of it."""

    def __init__(
        self, energy: GroupEnergy, graph: Graph, *, at_home: bool, around: Surroundings | None = None
    ) -> None:
        self.energy, self.graph, self.at_home = energy, graph, at_home  # whether it was trained on this graph
        self.scoring = HERE
        self.around = around or Surroundings.of(graph)
        self.context, self.scale = self.around
        if len(self.context.set_columns) != energy.mean.numel():
            has, was = ("no counts", "with") if graph.weights is None else ("counts", "without")
            raise DataError(
                f"the graph has {has}, and the groups were learned {was} counts; give one that fits"
            )

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

    def hidden(self, plain: np.ndarray, sets: Sets) -> np.ndarray:
        """What the networks that read graph units make of sets, (s, d) float32; `plain` is their context."""

        def network(*given: Tensor) -> Tensor:
            return self.energy.by_unit.hidden(self.energy.inputs(*given)[1])

        return in_pieces(network, self._given(plain, sets))

    def score(self, sets: Sets) -> np.ndarray:
        """The energies of connected sets, (s, 2) float32, by this process."""
        network = partial(self.energy, at_home=self.at_home)
        return in_pieces(network, self._given(read_sets(self.context, sets), sets))

    def _given(self, plain: np.ndarray, sets: Sets) -> list[Tensor]:
        """What the energy is told of sets: their context, standardised and plain, sizes, missing pairs."""
        missing = pairs_missing(*self.graph.rows, *sets)
        told = (self.scale.apply(plain, sets.sizes), plain, sets.sizes, missing)
        return [torch.from_numpy(array) for array in told]


def question(match: str | None) -> int:
    """The column of `GroupReader.energies` for a match."""
    check_one_of("match", match or "contained", MATCHES)
    return MATCHES.index(match or "contained")
