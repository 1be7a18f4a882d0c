"""The group energy applied to one graph: energies of sets of any size."""

from __future__ import annotations

import copy

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
from mhmgnn.runtime.distributed import ALONE, Crew

MATCHES = ("exact", "contained")  # the questions, in the order of the network's outputs
REFERENCE = 400  # random cliques of each size, by which context is standardised
CHUNK = 2**15  # sets at a time


class GroupReader:
    """Group energies of the sets of one graph; their context is standardised by random cliques of it."""

    def __init__(self, energy: GroupEnergy, graph: Graph, *, at_home: bool) -> None:
        self.energy, self.graph, self.at_home = energy, graph, at_home  # whether it was trained on this graph
        self.crew = ALONE
        self.context: Context = describe(graph)
        if len(self.context.set_columns) != energy.mean.numel():
            has, was = ("no counts", "with") if graph.weights is None else ("counts", "without")
            raise DataError(
                f"the graph has {has}, and the groups were learned {was} counts; give one that fits"
            )
        usual = Sets.join([*random_cliques(graph, REFERENCE, np.random.default_rng(0)).values()])
        self.scale = Scale.of(read_sets(self.context, usual), usual.sizes)

    def among(self, crew: Crew) -> GroupReader:
        """The same reader, its work divided among the processes of a crew, which ask for the same sets."""
        other = copy.copy(self)
        other.crew = crew
        return other

    def energies(self, sets: Sets) -> np.ndarray:
        """The energy of each set for both `MATCHES`, (s, 2) float32; inf for sets that are not connected."""
        out = np.full((sets.num, 2), np.inf, np.float32)
        connected = np.flatnonzero(sets_connected(*self.graph.rows, *sets))
        chunks = [connected[low : low + CHUNK] for low in range(0, connected.size, CHUNK)]
        rank, world = self.crew
        mine = [self._connected(sets.take(chunk)) for chunk in chunks[rank::world]]
        shares = self.crew.gather(np.concatenate([np.empty((0, 2), np.float32), *mine]))
        for other, share in enumerate(shares):
            out[np.concatenate([connected[:0], *chunks[other::world]])] = share
        return out

    def hidden(self, plain: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """What the networks that read graph units make of sets, (s, d) float32; `plain` is their context."""
        with torch.no_grad():
            given = (torch.from_numpy(array) for array in (self.scale.apply(plain, sizes), plain, sizes))
            found: np.ndarray = self.energy.by_unit.hidden(self.energy.inputs(*given)[1]).numpy()
        return found

    def _connected(self, sets: Sets) -> np.ndarray:
        """The energies of connected sets, (s, 2) float32."""
        plain = read_sets(self.context, sets)
        scaled = self.scale.apply(plain, sets.sizes)
        with torch.no_grad():
            given = (torch.from_numpy(array) for array in (scaled, plain, sets.sizes))
            found: np.ndarray = self.energy(*given, at_home=self.at_home).numpy()
        return found
