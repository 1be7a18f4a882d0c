"""A k-GNN on the 2-sets of each motif (Morris et al. 2019, local neighbourhoods)."""

from itertools import combinations

import torch
from torch import Tensor, nn
from torch.nn import functional

from mhmgnn.nn.encoders.encoder import Encoder, Load
from mhmgnn.nn.encoders.layers import Readout, check_edges, times
from mhmgnn.nn.motifs.batch import MotifBatch


class KGnn(Encoder):
    r"""Message passing between pairs of slots that share a slot and whose two other slots are adjacent.

    .. math:: f_0(\{i, j\}) = LeakyReLU(W (x_i + x_j) + a_{ij} t + E e_{ij} + b), \quad
              f_l(s) = LeakyReLU(W_1 f_{l-1}(s) + \sum_{s' \in N(s)} W_2 f_{l-1}(s'))

    :math:`a_{ij}` is the type of the pair, adjacent or not. Sum over the pairs, then the readout.
    """

    def __init__(
        self, in_features: int, dim: int, layers: int = 1, edge_features: int = 0, k: int | None = None
    ) -> None:
        super().__init__()
        self.edge_features = edge_features
        self.nodes = nn.Linear(in_features, dim)
        self.pair = nn.Linear(1 + edge_features, dim, bias=False)  # of the type and the attributes
        self.own = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        self.other = nn.ModuleList(nn.Linear(dim, dim, bias=False) for _ in range(layers))
        self.readout = Readout(dim)

    def forward(self, batch: MotifBatch) -> Tensor:
        slots = times(batch.x, self.nodes.weight)[batch.rows]  # (b, k, dim)
        first, second = pairs(batch.rows.shape[1]).to(slots.device)  # (q,) each, q = k(k-1)/2
        kind = self._pairs(batch, slots.dtype)[:, first, second]  # (b, q, 1 + a)
        h = slots[:, first] + slots[:, second] + self.pair(kind) + self.nodes.bias  # (b, q, dim)
        h = functional.leaky_relu(h)
        near = neighbours(batch.adjacency).to(h.dtype)  # (b, q, q)
        for own, other in zip(self.own, self.other, strict=True):
            h = functional.leaky_relu(own(h) + near @ other(h))
        embedding: Tensor = self.readout(h.sum(dim=1))
        return embedding

    @classmethod
    def kept_floats(cls, load: Load, dim: int, layers: int, k: int) -> int:
        pairs = k * (k - 1) // 2
        return load.ksets * (3 * (layers + 1) * pairs * dim + 2 * pairs * pairs)

    def _pairs(self, batch: MotifBatch, dtype: torch.dtype) -> Tensor:
        """The type of each pair and its attributes, (b, k, k, 1 + a)."""
        check_edges(self.edge_features, batch.edge_attr)
        kind = batch.adjacency[..., None].to(dtype)
        return kind if batch.edge_attr is None else torch.cat([kind, batch.edge_attr.to(dtype)], dim=-1)


def pairs(k: int) -> Tensor:
    """The pairs of slots i < j, (2, k(k-1)/2)."""
    return torch.tensor(list(combinations(range(k), 2))).T


def neighbours(adjacency: Tensor) -> Tensor:
    """Which pairs of pairs share a slot and have adjacent other slots, (b, q, q)."""
    first, second = pairs(adjacency.shape[-1]).to(adjacency.device)
    near = adjacency.new_zeros(len(adjacency), len(first), len(first))
    for mine, shared in ((first, second), (second, first)):
        for theirs, kept in ((first, second), (second, first)):
            near |= (shared[:, None] == kept) & adjacency[:, mine][:, :, theirs]
    return near
