"""Builds encoders by name."""

from collections.abc import Callable

import torch
from torch import nn

from mhmgnn.errors import DataError
from mhmgnn.nn.encoders.encoder import Encoder
from mhmgnn.nn.motifs.batch import MotifBatch
from mhmgnn.registry import ENCODER_NAMES, ENCODERS, Module


def encoder_of(name: str) -> Callable[..., nn.Module]:
    """The constructor of the encoder `name`: a subclass of `Encoder`, or what a user registered."""
    found = ENCODER_NAMES.find(name)
    return found.subclass(Encoder) if isinstance(found, Module) else found


def build(name: str, in_features: int, dim: int, layers: int, edge_features: int, k: int) -> nn.Module:
    """The encoder called `name`, with weights drawn from torch's global generator.

    It maps a `MotifBatch` to (b, dim) embeddings; an encoder of whole graphs maps a `GraphBatch`.
    """
    if min(in_features, dim, layers) < 1:
        raise DataError(
            f"{in_features} features, {dim} dimensions, {layers} layers; an encoder needs at least 1 of each"
        )
    made = encoder_of(name)(in_features=in_features, dim=dim, layers=layers, edge_features=edge_features, k=k)
    meta = torch.get_default_device().type == "meta"  # while a model is loaded, weights have no values
    if name not in ENCODERS and not meta:
        _check_own(name, made, in_features, dim, edge_features, k)
    return made


def _check_own(name: str, made: nn.Module, in_features: int, dim: int, edge_features: int, k: int) -> None:
    """Refuse an encoder of the wrong output shape, or that depends on the order of a motif's nodes."""
    if not isinstance(made, nn.Module):
        raise DataError(f"encoder {name!r} is a {type(made).__name__}; it must be a torch module")
    drawn = torch.Generator().manual_seed(0)
    x = torch.rand(2 * k, in_features, generator=drawn)
    near = torch.rand(2, k, k, generator=drawn) < 0.5
    near = (near | near.mT) & ~torch.eye(k, dtype=torch.bool)
    attr = torch.rand(2, k, k, edge_features, generator=drawn)
    attr = (attr + attr.transpose(1, 2)) * near[..., None]
    rows = torch.arange(2 * k).reshape(2, k)
    made.eval()
    with torch.no_grad():
        vectors, turned = (
            made(
                MotifBatch(
                    x,
                    rows[:, order],
                    near[:, order][:, :, order],
                    attr[:, order][:, :, order] if edge_features else None,
                )
            )
            for order in (torch.arange(k), torch.arange(k).roll(1))
        )
    made.train()
    if vectors.shape != (2, dim):
        raise DataError(
            f"encoder {name!r} makes {tuple(vectors.shape)} of 2 motifs; it must make vectors, (2, {dim})"
        )
    if not torch.allclose(vectors, turned, rtol=1e-4, atol=1e-5):
        raise DataError(
            f"encoder {name!r} gives other vectors when the nodes of a motif change places; pool over the "
            "slots by a sum, a mean or a maximum"
        )
