"""The base of message-passing encoders on motifs.

Their layers compute what PyG's dense layers do, but multiply features by weights once per node, before these
are gathered into motifs, and accept edge attributes.
"""

from collections.abc import Callable
from typing import ClassVar, cast

import torch
from torch import Tensor, nn

from mhmgnn.nn.encoders.encoder import SLOT, Encoder, Load
from mhmgnn.nn.encoders.layers import Layer, Readout, run
from mhmgnn.nn.motifs.batch import MotifBatch


class Messages(Encoder):
    """`layers` layers of one kind, a sum over the k nodes, the readout."""

    layer: ClassVar[Callable[[int, int, int], nn.Module]]  # takes widths in and out, and edge attributes
    per_pair: ClassVar[int] = 3  # floats kept for the gradient per pair of slots and layer

    def __init__(
        self, in_features: int, dim: int, layers: int = 1, edge_features: int = 0, k: int | None = None
    ) -> None:
        super().__init__()
        widths = [in_features] + [dim] * (layers - 1)
        self.layers = nn.ModuleList(type(self).layer(width, dim, edge_features) for width in widths)
        self.readout = Readout(dim)

    def forward(self, batch: MotifBatch) -> Tensor:
        layers = cast("list[Layer]", list(self.layers))
        embedding: Tensor = self.readout(run(layers, layers[0].project(batch.x), batch))  # (b, dim)
        return embedding

    @classmethod
    def kept_floats(cls, load: Load, dim: int, layers: int, k: int) -> int:
        return load.in_memory * layers * (SLOT * k * dim + cls.per_pair * k * k)


def with_loops(adjacency: Tensor) -> Tensor:
    """The adjacency with self-loops."""
    return adjacency | torch.eye(adjacency.shape[-1], dtype=torch.bool, device=adjacency.device)
