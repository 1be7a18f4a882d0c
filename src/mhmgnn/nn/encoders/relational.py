"""Relational pooling (Murphy et al. 2019): the mean of an order-sensitive network over all orders."""

import math
from itertools import permutations

import torch
from torch import Tensor, nn
from torch.nn import functional

from mhmgnn.errors import DataError
from mhmgnn.nn.encoders.encoder import Encoder, Load
from mhmgnn.nn.encoders.layers import Readout, check_edges, times
from mhmgnn.nn.motifs.batch import MotifBatch

MOST_SLOTS = 5  # 120 orders


class Relational(Encoder):
    r"""The mean over all k! orders of the slots, then the readout.

    .. math:: \frac{1}{k!} \sum_\pi f(\pi C), \quad
              f(C) = LeakyReLU(\sum_s W_s x_s + \sum_{s \ne t} (a_{st} V_{st} + U_{st} e_{st}) + b)

    Further layers are dense layers on each order. All orders are taken, as a mean over a sample of them would
    depend on how the nodes are numbered. Memory is k! times that of one order.
    """

    def __init__(self, in_features: int, dim: int, layers: int, edge_features: int, k: int) -> None:
        super().__init__()
        if k > MOST_SLOTS:
            raise DataError(
                f"relational pooling with k = {k}; it takes all k! orders, and k up to {MOST_SLOTS}"
                ": choose another encoder"
            )
        self.k, self.edge_features = k, edge_features
        self.slots = nn.Linear(in_features, k * dim, bias=False)  # a weight for each place in the order
        self.pairs = nn.Linear(k * (k - 1) * (1 + edge_features), dim)
        self.later = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers - 1))
        self.readout = Readout(dim)

    def forward(self, batch: MotifBatch) -> Tensor:
        check_edges(self.edge_features, batch.edge_attr)
        placed = times(batch.x, self.slots.weight)[batch.rows]  # (b, k, k * dim)
        sits, pair = (part.to(placed.device) for part in orders(self.k))
        placed = placed.view(
            len(placed), self.k * self.k, self.pairs.out_features
        )  # (b, slot and place, dim)
        edges = batch.adjacency[..., None].to(placed.dtype)
        if batch.edge_attr is not None:
            edges = torch.cat([edges, batch.edge_attr.to(placed.dtype)], dim=-1)  # (b, k, k, 1 + a)
        h = sits.to(placed.dtype) @ placed + self.pairs(
            edges.flatten(1, 2)[:, pair].flatten(2)
        )  # (b, k!, dim)
        h = functional.leaky_relu(h)
        for layer in self.later:
            h = functional.leaky_relu(layer(h))
        embedding: Tensor = self.readout(h.mean(dim=1))
        return embedding

    @classmethod
    def kept_floats(cls, load: Load, dim: int, layers: int, k: int) -> int:
        return load.ksets * (2 * (layers + 1) * math.factorial(k) + 2 * k * k) * dim

    @classmethod
    def input_weights(cls, k: int) -> int:
        return k  # one for each place in the order


def orders(k: int) -> tuple[Tensor, Tensor]:
    """All orders of k slots, in two forms.

    Which slot is in which place, (k!, k * k) bool; and which pair of slots is in each pair of places,
    (k!, k * (k - 1)), a pair encoded as s * k + t.
    """
    order = torch.tensor(list(permutations(range(k))))  # (k!, place), the slot that sits there
    sits = order[:, None, :] == torch.arange(k)[:, None]  # (k!, slot, place)
    one, two = (~torch.eye(k, dtype=torch.bool)).nonzero(as_tuple=True)
    return sits.flatten(1), order[:, one] * k + order[:, two]
