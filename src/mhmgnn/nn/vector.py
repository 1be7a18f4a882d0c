"""What is known of a k-set, part by part -> its vector: parts are standardised, reduced, partly whitened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np
import torch
from torch import Tensor, nn

CLIP = 3.0  # spreads: with five, what is rare in one graph and not in the next misled probes
FLOOR = 1e-3  # of the largest variance: directions with less are not scaled up further
LEAST_SPREAD = 1e-4


class Usual(NamedTuple):
    """Mean and spread of the rows of a part over random k-sets of a graph."""

    mean: Tensor  # (raw,) float32
    spread: Tensor  # (raw,) float32

    @classmethod
    def of(cls, rows: np.ndarray) -> Usual:
        """From the rows of random k-sets, (m, raw); without any, rows stay as they are."""
        if not len(rows):
            return cls(torch.zeros(rows.shape[1]), torch.ones(rows.shape[1]))
        given = torch.from_numpy(np.asarray(rows, np.float64))
        spread = given.std(dim=0, correction=0).clamp(min=LEAST_SPREAD)
        return cls(given.mean(dim=0).float(), spread.float())

    def apply(self, rows: Tensor) -> Tensor:
        """Rows less the mean over the spread, clipped at three spreads."""
        return ((rows - self.mean) / self.spread).clamp(-CLIP, CLIP)


class Block(NamedTuple):
    """Columns of a row that lie side by side, and the share of the variance that they are given."""

    columns: int
    share: float


class PartMap(nn.Module):
    r"""Rows of one part -> its numbers in the vector.

    .. math:: v(C) = W^T \mathrm{clip}((z(C) - m) / s), \quad W = U V^{-1/4} Q / c

    z(C) is the row of the part, m and s its mean and spread over random k-sets of the graph at hand. U holds
    the first principal directions of the standardised rows of the training graph and V their variances: they
    are partly whitened. Q is a fixed rotation. A classifier that standardises its columns would make all
    principal directions equally large; after the rotation it leaves them as they are. c sets the spread.
    """

    weight: Tensor  # (raw, size)

    def __init__(self, raw: int, size: int) -> None:
        super().__init__()
        self.register_buffer("weight", torch.zeros(raw, size))

    def forward(self, rows: Tensor, usual: Usual) -> Tensor:
        """(b, raw) to (b, size)."""
        return usual.apply(rows) @ self.weight

    def fit(
        self,
        rows: np.ndarray,
        seed: int,
        spread: float,
        *,
        whiten: float = 0.5,
        blocks: Sequence[Block] = (),
    ) -> None:
        """Find the map from the rows of random k-sets of the training graph, (m, raw).

        `spread` is that of each number over these k-sets, on average; `whiten` goes from 0, principal
        directions keep their variances, to 1, they all have the same; below 0 large ones become larger.
        `blocks` of columns, which make up the rows, have these shares of their variance.
        """
        z = Usual.of(rows).apply(torch.from_numpy(rows)).double()
        z = z - z.mean(dim=0)
        scale = _block_scale(z, blocks)
        z = z * scale
        variance, axes = torch.linalg.eigh(z.T @ z / max(len(z), 1))  # rising
        size = self.weight.shape[1]
        variance, axes = variance.flip(0)[:size].clamp(min=0), axes.flip(1)[:, :size]
        stretch = (variance + FLOOR * variance[:1].clamp(min=torch.finfo(torch.float32).eps)) ** (-whiten / 2)
        drawn = np.random.default_rng(seed).normal(size=(size, size))
        weight = (axes * stretch) @ torch.from_numpy(np.linalg.qr(drawn)[0])
        found = (z @ weight).std(dim=0, correction=0).mean().clamp(min=LEAST_SPREAD)
        self.weight.copy_(scale[:, None] * weight * (spread / found))


def _block_scale(z: Tensor, blocks: Sequence[Block]) -> Tensor:
    """What columns are multiplied by for each block to have its share of the variance, (raw,) float64."""
    scale, low = torch.ones_like(z[:1]).mean(dim=0), 0
    for columns, share in blocks:
        block = z[:, low : low + columns]
        variance = block.var(dim=0, correction=0).sum().clamp(min=LEAST_SPREAD)
        scale[low : low + columns] = (z.shape[1] * share / variance).sqrt()
        low += columns
    return scale


class VectorMap(nn.Module):
    """The maps of all parts, in the order of the vector, and how node features are summed up for "given"."""

    projection: Tensor  # (features, raw) of node features; (0, 0) where they are no part

    def __init__(self, sizes: Mapping[str, tuple[int, int]], projection: tuple[int, int] = (0, 0)) -> None:
        super().__init__()
        self.maps = nn.ModuleDict({name: PartMap(*size) for name, size in sizes.items()})
        self.register_buffer("projection", torch.zeros(projection))

    @property
    def parts(self) -> dict[str, int]:
        """How many numbers each part has."""
        return {name: cast(PartMap, one).weight.shape[1] for name, one in self.maps.items()}

    def forward(self, rows: Mapping[str, Tensor], usual: Mapping[str, Usual]) -> Tensor:
        """The numbers of the parts that `rows` holds side by side, (b, d)."""
        return torch.cat([self.maps[name](part, usual[name]) for name, part in rows.items()], dim=1)
