"""k = n: the whole graph as one motif."""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from mhmgnn.nn.encoders.encoder import Encoder, Load
from mhmgnn.nn.encoders.gin import GinLayer
from mhmgnn.nn.encoders.layers import Readout
from mhmgnn.nn.motifs.graphs import GraphBatch


class Whole(Encoder):
    """`layers` gin layers over all edges of each graph, a sum over its nodes, the readout."""

    def __init__(
        self, in_features: int, dim: int, layers: int = 2, edge_features: int = 0, k: int | None = None
    ) -> None:
        super().__init__()
        widths = [in_features] + [dim] * (layers - 1)
        self.layers = nn.ModuleList(GinLayer(width, dim, edge_features) for width in widths)
        self.readout = Readout(dim)

    def forward(self, batch: GraphBatch) -> Tensor:
        first, *later = cast("list[GinLayer]", list(self.layers))
        h = self._step(first, first.project(batch.x), batch)  # (n, dim)
        for layer in later:
            h = self._step(layer, layer.project(h), batch)
        pooled = h.new_zeros(batch.num_graphs, h.shape[1]).index_add(0, batch.owner, h)
        embedding: Tensor = self.readout(pooled)
        return embedding

    @classmethod
    def kept_floats(cls, load: Load, dim: int, layers: int, k: int) -> int:
        return load.ksets * 2 * layers * dim  # per node; the projections are counted with the features

    def _step(self, layer: GinLayer, projected: Tensor, batch: GraphBatch) -> Tensor:
        sent = layer.edges.sent(projected[batch.source], batch.edge_attr)  # (e, dim)
        messages = torch.zeros_like(projected).index_add(0, batch.target, sent)
        return functional.leaky_relu(layer.update(projected, messages))
