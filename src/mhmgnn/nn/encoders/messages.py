"""Encoders by messages between adjacent slots: gin, gcn, gat.

Each layer computes what PyG's dense one does, but multiplies features by weights before they are gathered,
once a node, and takes edge attributes.
"""

import math
from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from mhmgnn.nn.encoders.layers import EdgeMessages, Layer, Readout, check_edges, run, times
from mhmgnn.nn.motifs.batch import MotifBatch, SparseRows


class Messages(nn.Module):
    """The given layers, a sum over the k nodes, the readout."""

    def __init__(self, layers: Iterable[nn.Module], dim: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.readout = Readout(dim)

    def forward(self, batch: MotifBatch) -> Tensor:
        layers = cast("list[Layer]", list(self.layers))
        embedding: Tensor = self.readout(run(layers, layers[0].project(batch.x), batch))
        return embedding


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


class GcnLayer(nn.Module):
    r"""As Kipf and Welling (2017); the degrees in the motif count the node itself.

    .. math:: b + \sum_{j \in N(i) \cap C \cup i} W x_j / \sqrt{d_i d_j}
    """

    def __init__(self, in_features: int, dim: int, edge_features: int = 0) -> None:
        super().__init__()
        self.linear = nn.Linear(in_features, dim)
        self.edges = EdgeMessages(edge_features, dim)

    def project(self, x: Tensor | SparseRows) -> Tensor:
        return times(x, self.linear.weight)

    def mix(self, projected: Tensor, batch: MotifBatch) -> Tensor:
        looped = with_loops(batch.adjacency).to(projected.dtype)  # (b, k, k)
        scale = looped.sum(dim=-1).rsqrt()  # (b, k)
        weights = scale[:, :, None] * looped * scale[:, None, :]
        mixed: Tensor = self.edges(weights @ projected, weights, batch.edge_attr) + self.linear.bias
        return mixed


class GatLayer(nn.Module):
    r"""As Velickovic et al. (2018), in 4 heads where `dim` allows.

    .. math:: b + \sum_{j \in N(i) \cap C \cup i} \alpha_{ij} W x_j

    An edge's attributes count in its attention and in its message.
    """

    def __init__(self, in_features: int, dim: int, edge_features: int = 0) -> None:
        super().__init__()
        self.heads = math.gcd(4, dim)
        self.linear = nn.Linear(in_features, dim)
        self.target = nn.Parameter(nn.init.xavier_uniform_(torch.empty(self.heads, dim // self.heads)))
        self.source = nn.Parameter(nn.init.xavier_uniform_(torch.empty(self.heads, dim // self.heads)))
        self.edges = EdgeAttention(edge_features, self.heads, dim)

    def project(self, x: Tensor | SparseRows) -> Tensor:
        return times(x, self.linear.weight)

    def mix(self, projected: Tensor, batch: MotifBatch) -> Tensor:
        b, k, dim = projected.shape
        h = projected.view(b, k, self.heads, dim // self.heads)
        score = (h * self.target).sum(-1)[:, :, None] + (h * self.source).sum(-1)[:, None]  # (b, k, k, heads)
        score = functional.leaky_relu(score + self.edges.scores(batch.edge_attr), 0.2)
        apart = ~with_loops(batch.adjacency)[..., None]
        alpha = score.masked_fill(apart, -torch.inf).softmax(dim=2)
        mixed = torch.einsum("bijh,bjhc->bihc", alpha, h).reshape(b, k, dim)
        return mixed + self.edges.messages(alpha, batch.edge_attr) + self.linear.bias


class EdgeAttention(nn.Module):
    """What edge attributes add to attention and to messages: 0 where edges have none."""

    def __init__(self, edge_features: int, heads: int, dim: int) -> None:
        super().__init__()
        self.edge_features = edge_features
        self.score = nn.Linear(edge_features, heads, bias=False) if edge_features else None
        self.sent = nn.Linear(edge_features, dim, bias=False) if edge_features else None

    def scores(self, edge_attr: Tensor | None) -> Tensor | int:
        check_edges(self.edge_features, edge_attr)
        if self.score is None or edge_attr is None:
            return 0
        scores: Tensor = self.score(edge_attr.to(self.score.weight.dtype))  # (b, k, k, heads)
        return scores

    def messages(self, alpha: Tensor, edge_attr: Tensor | None) -> Tensor | int:
        if self.sent is None or edge_attr is None:
            return 0
        total = torch.einsum("bijh,bija->biha", alpha, edge_attr.to(alpha.dtype))
        weight = self.sent.weight.view(alpha.shape[-1], -1, self.edge_features)  # (heads, dim / heads, a)
        return torch.einsum("biha,hca->bihc", total, weight).flatten(2)  # (b, k, dim)


def with_loops(adjacency: Tensor) -> Tensor:
    """The adjacency with each slot its own neighbour too."""
    return adjacency | torch.eye(adjacency.shape[-1], dtype=torch.bool, device=adjacency.device)
