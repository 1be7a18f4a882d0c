"""What is known of a whole graph, block by block -> its vector, in units of the training graphs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from mhmgnn.nn.node_kernel import NodeKernel
from mhmgnn.nn.vector import Usual, VectorMap


class GraphVectorMap(VectorMap):
    """The map of the vector of a whole graph, in units of the graphs that it was fitted to.

    `kernel` reads how nodes are spread.
    """

    def __init__(
        self, columns: Mapping[str, int], dim: int, projection: tuple[int, int], kernel: NodeKernel
    ) -> None:
        super().__init__(columns, dim, projection)
        self.kernel = kernel
        for name, raw in columns.items():
            self.register_buffer(f"{name}_mean", torch.zeros(raw))
            self.register_buffer(f"{name}_spread", torch.ones(raw))

    @property
    def usual(self) -> dict[str, Usual]:
        """Mean and spread of each block over the graphs that it was fitted to."""
        return {
            name: Usual(self.get_buffer(f"{name}_mean"), self.get_buffer(f"{name}_spread"))
            for name in self.maps
        }

    def take_usual(self, rows: Mapping[str, np.ndarray]) -> None:
        """Take mean and spread from the rows of these graphs."""
        for name, part in rows.items():
            for kept, found in zip(self.usual[name], Usual.of(part), strict=True):
                kept.copy_(found)
