"""Shared parts of the encoders: projection of features once per node, layers over slots, the readout."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from mhmgnn.errors import DataError
from mhmgnn.nn.motifs.batch import MotifBatch, SparseRows

BLOCK = 2_048  # motifs at a time, so that activations stay in the CPU's caches
KEPT = 100_000  # motifs whose activations are kept for the gradient; beyond it they are recomputed


def times(x: Tensor | SparseRows, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    r"""Features times weights, :math:`x W^T + bias`, (n', out); `weight` is (out, p) as in `nn.Linear`."""
    if isinstance(x, Tensor):
        return functional.linear(x.to(weight.dtype), weight, bias)
    values = x.values.to(weight.dtype)
    columns = weight.T.contiguous()  # (p, out)
    product = functional.embedding_bag(
        x.indices, columns, x.indptr, mode="sum", per_sample_weights=values, include_last_offset=True
    )
    return product if bias is None else product + bias


class Layer(Protocol):
    """A layer in two steps: `project` runs once per node, `mix` once per motif."""

    def project(self, x: Tensor | SparseRows) -> Tensor:
        """The rows multiplied by the weights, (..., width)."""

    def mix(self, projected: Tensor, batch: MotifBatch) -> Tensor:
        """Exchange messages between the slots of each motif, (b, k, width) -> (b, k, dim)."""


def run(layers: Sequence[Layer], projected: Tensor, batch: MotifBatch) -> Tensor:
    """The sum over the slots of each motif after all layers, each followed by LeakyReLU, (b, dim).

    `projected` is the first layer's projection of `batch.x`, (n', width). Motifs pass through the layers
    block by block. Beyond `KEPT` motifs, gradient checkpointing recomputes a block in the backward pass: its
    activations would fill gigabytes.
    """
    if len(batch.rows) <= KEPT or not torch.is_grad_enabled():
        return torch.cat([_through(layers, projected, block) for block in _blocks(batch)])
    again = [
        checkpoint(_through, layers, projected, block, use_reentrant=False, preserve_rng_state=False)
        for block in _blocks(batch)
    ]
    return torch.cat(again)


def _through(layers: Sequence[Layer], projected: Tensor, batch: MotifBatch) -> Tensor:
    h = functional.leaky_relu(layers[0].mix(projected[batch.rows], batch))  # (b, k, dim)
    for layer in layers[1:]:
        h = functional.leaky_relu(layer.mix(layer.project(h), batch))
    return h.sum(dim=1)


def _blocks(batch: MotifBatch) -> Iterator[MotifBatch]:
    """The batch in blocks of BLOCK motifs that share its features; at least one block, which may be empty."""
    for low in range(0, max(len(batch.rows), 1), BLOCK):
        part = slice(low, low + BLOCK)
        attr = None if batch.edge_attr is None else batch.edge_attr[part]
        yield MotifBatch(batch.x, batch.rows[part], batch.adjacency[part], attr)


def check_edges(edge_features: int, edge_attr: Tensor | None) -> None:
    """Refuse a batch whose edges have more or fewer attributes than the encoder was built for."""
    given = 0 if edge_attr is None else edge_attr.shape[-1]
    if given != edge_features:
        raise DataError(
            f"edges have {given} attributes; the encoder was built for {edge_features}"
            ": give a graph with as many"
        )


class EdgeMessages(nn.Module):
    r"""Adds the term of edge attributes to messages, :math:`\sum_j weight_{ij} W e_{ij}`.

    So a message is linear in the neighbour's features and the attributes of the edge.
    """

    def __init__(self, edge_features: int, dim: int) -> None:
        super().__init__()
        self.edge_features = edge_features
        self.linear = nn.Linear(edge_features, dim, bias=False) if edge_features else None

    def forward(self, messages: Tensor, weights: Tensor, edge_attr: Tensor | None) -> Tensor:
        """`messages`, (b, k, dim), plus the edges' term; `weights`, (b, k, k), are 0 without an edge."""
        check_edges(self.edge_features, edge_attr)
        if self.linear is None or edge_attr is None:
            return messages
        total = torch.einsum(
            "bij,bija->bia", weights, edge_attr.to(weights.dtype)
        )  # the map is linear, so attributes are summed before it
        with_edges: Tensor = messages + self.linear(total)
        return with_edges

    def sent(self, messages: Tensor, edge_attr: Tensor | None) -> Tensor:
        """`messages`, (e, dim), one for each edge, plus the term of its attributes."""
        check_edges(self.edge_features, edge_attr)
        if self.linear is None or edge_attr is None:
            return messages
        with_edges: Tensor = messages + self.linear(edge_attr.to(messages.dtype))
        return with_edges


class Readout(nn.Module):
    """Pooled slots -> the embedding, (b, dim): an MLP with one hidden layer, then scaled to length 1."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.network = nn.Sequential(nn.Linear(dim, dim), nn.LeakyReLU(inplace=True), nn.Linear(dim, dim))

    def forward(self, pooled: Tensor) -> Tensor:
        return unit_length(self.network(pooled))


def unit_length(h: Tensor) -> Tensor:
    """Each row divided by its length, as torch's `normalize`, with a faster backward pass."""
    rows: Tensor = _UnitLength.apply(h)  # type: ignore[no-untyped-call]
    return rows


class _UnitLength(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor) -> Tensor:
        length = torch.linalg.vector_norm(h, dim=-1, keepdim=True).clamp(min=1e-12)
        unit: Tensor = h / length
        ctx.save_for_backward(unit, length)
        return unit

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        unit, length = ctx.saved_tensors
        along = torch.linalg.vecdot(grads[0], unit)[..., None]
        across: Tensor = torch.addcmul(grads[0], along, unit, value=-1) / length
        return across
