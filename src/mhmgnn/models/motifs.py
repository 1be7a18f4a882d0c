"""The network applied to one graph: what it makes of the motifs on k-sets, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from mhmgnn.config import RunConfig, check_one_of
from mhmgnn.graph import Graph
from mhmgnn.nn.energy import KSetModel
from mhmgnn.nn.motifs.batch import MotifBatch, gather
from mhmgnn.nn.motifs.features import node_features

CHUNK = 2**15  # k-sets that go through the network at a time
Network = Callable[[MotifBatch], Tensor]


class MotifReader:
    """Vectors and energies of the k-sets of one graph, whose node features are prepared once."""

    def __init__(self, network: KSetModel, config: RunConfig, graph: Graph) -> None:
        self.network, self.graph = network, graph
        self._kinds = config.subgraphs.kinds
        self._features = node_features(graph, config.model)

    def run(self, ksets: np.ndarray, network: Network) -> Iterator[tuple[int, np.ndarray]]:
        """The output of `network` for the motifs on the k-sets, chunk by chunk, each with its first row."""
        for low in range(0, len(ksets), CHUNK):
            motifs = gather(self.graph, ksets[low : low + CHUNK], features=self._features)
            with torch.no_grad():
                result = network(motifs).numpy()
            yield low, result

    def energies(self, ksets: np.ndarray, kind: str | None = None) -> np.ndarray:
        """Energies of one kind of noise, or of all, of k-sets, which must be connected, (m,) float32."""
        network: Network = self.network
        if kind is not None and kind != "noise":
            check_one_of("kind", kind, ("noise", *self._kinds))
            network = self.network.energies[self._kinds.index(kind)]
        out = np.empty(len(ksets), np.float32)
        for low, energies in self.run(ksets, network):
            out[low : low + len(energies)] = energies
        return out
