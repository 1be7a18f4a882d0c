"""The paper's encoder: GraphSAGE with the mean over motif neighbours, a sum over the k nodes, the readout."""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from mhmgnn.nn.encoders import fused
from mhmgnn.nn.encoders.encoder import Load
from mhmgnn.nn.encoders.layers import EdgeMessages, run, times
from mhmgnn.nn.encoders.messages import Messages
from mhmgnn.nn.motifs.batch import MotifBatch, SparseRows


class SageLayer(nn.Module):
    r"""PyG's `SAGEConv` plus a weight v for the degree inside the motif, which a mean cannot express.

    .. math:: W_{own} x_i + b + mean_{j \in N(i) \cap C} W_{other} x_j + |N(i) \cap C| v
    """

    def __init__(self, in_features: int, dim: int, edge_features: int = 0) -> None:
        super().__init__()
        self.own = nn.Linear(in_features, dim)
        self.other = nn.Linear(in_features, dim, bias=False)
        self.per_neighbour = nn.Parameter(torch.empty(dim).uniform_(-1, 1) / in_features**0.5)
        self.edges = EdgeMessages(edge_features, dim)

    def project(self, x: Tensor | SparseRows) -> Tensor:
        """A node's own term and its message, side by side, (..., 2 dim)."""
        weight = torch.cat([self.own.weight, self.other.weight])
        return times(x, weight, functional.pad(self.own.bias, (0, self.own.out_features)))

    def mix(self, projected: Tensor, batch: MotifBatch) -> Tensor:
        own, sent = projected.chunk(2, dim=-1)  # (b, k, dim) each
        adjacency = batch.adjacency.to(sent.dtype)
        degree = adjacency.sum(dim=-1, keepdim=True)  # (b, k, 1)
        mean = adjacency / degree.clamp(min=1)
        mixed: Tensor = own + self.edges(mean @ sent, mean, batch.edge_attr) + degree * self.per_neighbour
        return mixed


class Sage(Messages):
    """sage layers, a sum over the k nodes, the readout. On the CPU a single layer runs compiled."""

    layer = SageLayer

    def forward(self, batch: MotifBatch) -> Tensor:
        embedding: Tensor = self.readout(self.pool(batch))  # (b, dim)
        return embedding

    def pool(self, batch: MotifBatch) -> Tensor:
        """The sum over the slots of each motif before the readout, (b, dim)."""
        first, *later = cast("list[SageLayer]", list(self.layers))
        projected = first.project(batch.x)  # (n', 2 dim)
        if not later and not first.edges.edge_features and fused.serves(projected, batch):
            return fused.pooled(projected, first.per_neighbour, batch.rows, batch.adjacency)
        return run([first, *later], projected, batch)

    @classmethod
    def kept_floats(cls, load: Load, dim: int, layers: int, k: int) -> int:
        compiled = layers == 1 and not load.edge_features
        return 0 if compiled else super().kept_floats(load, dim, layers, k)

    @classmethod
    def input_weights(cls, k: int) -> int:
        return 2  # for a node's own term and for its message
