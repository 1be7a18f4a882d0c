"""Graph attention network on motifs (Velickovic et al. 2018)."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from mhmgnn.nn.encoders.layers import check_edges, times
from mhmgnn.nn.encoders.messages import Messages, with_loops
from mhmgnn.nn.motifs.batch import MotifBatch, SparseRows


class GatLayer(nn.Module):
    r"""As Velickovic et al. (2018), in 4 heads where `dim` allows.

    .. math:: b + \sum_{j \in N(i) \cap C \cup i} \alpha_{ij} W x_j

    The attributes of an edge enter its attention score and its message.
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
    """The terms that edge attributes add to attention scores and to messages; 0 without attributes."""

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


class Gat(Messages):
    """gat layers, a sum over the k nodes, the readout."""

    layer = GatLayer
    per_pair = 24  # scores and attention of four heads
