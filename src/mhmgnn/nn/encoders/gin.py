"""Graph isomorphism network on motifs (Xu et al. 2019)."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from mhmgnn.nn.encoders.layers import EdgeMessages, times
from mhmgnn.nn.encoders.messages import Messages
from mhmgnn.nn.motifs.batch import MotifBatch, SparseRows


class GinLayer(nn.Module):
    r"""As Xu et al. (2019), with LeakyReLU.

    .. math:: W_2 \, LeakyReLU(W_1 ((1 + \epsilon) x_i + \sum_{j \in N(i) \cap C} x_j) + b_1) + b_2
    """

    def __init__(self, in_features: int, dim: int, edge_features: int = 0) -> None:
        super().__init__()
        self.first = nn.Linear(in_features, dim)
        self.second = nn.Linear(dim, dim)
        self.eps = nn.Parameter(torch.zeros(()))
        self.edges = EdgeMessages(edge_features, dim)

    def project(self, x: Tensor | SparseRows) -> Tensor:
        return times(x, self.first.weight)

    def mix(self, projected: Tensor, batch: MotifBatch) -> Tensor:
        adjacency = batch.adjacency.to(projected.dtype)
        return self.update(projected, self.edges(adjacency @ projected, adjacency, batch.edge_attr))

    def update(self, projected: Tensor, messages: Tensor) -> Tensor:
        """What a node becomes, from itself and the sum of its messages."""
        total: Tensor = (1 + self.eps) * projected + messages + self.first.bias
        updated: Tensor = self.second(functional.leaky_relu(total))
        return updated


class Gin(Messages):
    """gin layers, a sum over the k nodes, the readout."""

    layer = GinLayer
