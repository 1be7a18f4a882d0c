"""The network applied to one graph: what it makes of the motifs on k-sets, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import cast

import numpy as np
import torch
from torch import Tensor

from mhmgnn.config import RunConfig, check_one_of
from mhmgnn.graph import Graph
from mhmgnn.nn.energy import Energy, KSetModel
from mhmgnn.nn.motifs.batch import MotifBatch, gather
from mhmgnn.nn.motifs.features import node_features

CHUNK = 2**15  # k-sets that go through the network at a time
Network = Callable[[MotifBatch], Tensor]


class MotifReader:
    """Vectors and energies of the k-sets of one graph, whose node features are prepared once."""

    def __init__(self, network: KSetModel, config: RunConfig, graph: Graph) -> None:
        self.network, self.graph = network, graph
        self.kinds = config.subgraphs.kinds
        self.features = node_features(graph, config.model)

    def run(self, ksets: np.ndarray, network: Network) -> Iterator[tuple[int, np.ndarray]]:
        """The output of `network` for the motifs on the k-sets, chunk by chunk, each with its first row."""
        for low in range(0, len(ksets), CHUNK):
            motifs = gather(self.graph, ksets[low : low + CHUNK], features=self.features)
            with torch.no_grad():
                result = network(motifs).numpy()
            yield low, result

    def encoded(self, ksets: np.ndarray, kinds: Iterable[str]) -> dict[str, np.ndarray]:
        """The encoders' output for those of `kinds` that are kinds of noise, (m, d) float32 each."""
        wanted = [kind for kind in kinds if kind in self.kinds]
        if not wanted:
            return {}
        motifs = gather(self.graph, ksets, features=self.features)
        encoders = {
            kind: cast(Energy, one).encoder
            for kind, one in zip(self.kinds, self.network.energies, strict=True)
        }
        with torch.no_grad():
            return {kind: encoders[kind](motifs).numpy() for kind in wanted}

    def energies(self, ksets: np.ndarray, kind: str | None = None) -> np.ndarray:
        """Energies of one kind of noise, or of all, of k-sets, which must be connected, (m,) float32."""
        network: Network = self.network
        if kind is not None and kind != "noise":
            check_one_of("kind", kind, ("noise", *self.kinds))
            network = self.network.energies[self.kinds.index(kind)]
        out = np.empty(len(ksets), np.float32)
        for low, energies in self.run(ksets, network):
            out[low : low + len(energies)] = energies
        return out
