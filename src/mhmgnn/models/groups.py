"""A group energy in one graph: energies of sets of any size."""

from __future__ import annotations

import numpy as np
import torch

from mhmgnn.context.context import Context, describe, read_sets
from mhmgnn.context.scale import Scale
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.csr import sets_connected
from mhmgnn.graph.sets import Sets
from mhmgnn.nn.groups import GroupEnergy
from mhmgnn.subgraphs.cliques import draw_cliques

MATCHES = ("exact", "contained")  # the questions, in the order of the network's heads
REFERENCE = 400  # random cliques of each size that say what is usual in the graph
SIZES = (2, 3, 4, 5, 6, 8)
CHUNK = 2**15  # sets at a time


class GroupReader:
    """Reads the context of sets in one graph, in its own units, and gives their group energies."""

    def __init__(self, energy: GroupEnergy, graph: Graph) -> None:
        self.energy, self.graph = energy, graph
        self.context: Context = describe(graph)
        if len(self.context.set_columns) != energy.mean.numel():
            has, was = ("no counts", "with") if graph.weights is None else ("counts", "without")
            raise DataError(f"the graph has {has}, and the groups were learned {was} counts; give one that fits")
        usual = usual_sets(graph)
        self.scale = Scale.of(read_sets(self.context, usual), usual.sizes)

    def energies(self, sets: Sets) -> np.ndarray:
        """Energies of both questions, (s, 2) float32, in the order of `MATCHES`; inf for sets not connected."""
        out = np.full((sets.num, 2), np.inf, np.float32)
        connected = np.flatnonzero(sets_connected(*self.graph.rows, *sets))
        for low in range(0, connected.size, CHUNK):
            part = connected[low : low + CHUNK]
            some = sets.take(part)
            plain = read_sets(self.context, some)
            scaled = self.scale.apply(plain, some.sizes)
            with torch.no_grad():
                given = (torch.from_numpy(array) for array in (scaled, plain, some.sizes))
                out[part] = self.energy(*given).numpy()
        return out


def usual_sets(graph: Graph) -> Sets:
    """Random cliques of several sizes, always the same ones of a graph."""
    rng = np.random.default_rng(0)
    drawn = [draw_cliques(graph, k, REFERENCE, rng)[0] for k in SIZES]
    return Sets.join([Sets.of_rows(ksets) for ksets in drawn if len(ksets)])
