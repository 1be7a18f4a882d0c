"""What is known of a k-set, part by part -> its vector: standardised, reduced together, partly whitened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

import numpy as np
import torch
from torch import Tensor, nn

CLIP = 3.0  # spreads: with five, what is rare in one graph and not in the next misled probes
WHITEN = 0.5  # 0: principal directions keep their variances; 1: all have the same
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


class PartMap(nn.Module):
    """The columns of one part -> what it adds to the vector."""

    weight: Tensor  # (raw, dim)
    share: Tensor  # () of the variance of all parts
    mean: Tensor  # (raw,) of random k-sets of the graph that the model was trained on
    spread: Tensor  # (raw,)

    def __init__(self, raw: int, dim: int) -> None:
        super().__init__()
        self.register_buffer("weight", torch.zeros(raw, dim))
        self.register_buffer("share", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(raw))
        self.register_buffer("spread", torch.ones(raw))

    def forward(self, rows: Tensor, usual: Usual) -> Tensor:
        """(b, raw) to (b, dim)."""
        return usual.apply(rows) @ self.weight


class VectorMap(nn.Module):
    r"""Rows of all parts -> the vector, which is the sum of what each part adds to it.

    .. math:: v(C) = \sum_p W_p^T \mathrm{clip}((z_p(C) - m_p) / s_p), \quad W = S U V^{-1/4} Q / c

    z_p(C) is the row of a part, m_p and s_p its mean and spread over random k-sets of the graph at hand. S
    scales each part to its share of the variance. U holds the first principal directions of all parts side by
    side, over random k-sets of the training graph, and V their variances: what several parts know is told
    once, and directions are partly whitened. Q is a fixed rotation. A classifier that standardises its
    columns would make all principal directions equally large; after the rotation it leaves them as they are.
    c sets the spread. `projection` is how node features are summed up for "given".
    """

    projection: Tensor  # (features, raw) of node features; (0, 0) where they are no part

    def __init__(self, columns: Mapping[str, int], dim: int, projection: tuple[int, int] = (0, 0)) -> None:
        super().__init__()
        self.maps = nn.ModuleDict({name: PartMap(raw, dim) for name, raw in columns.items()})
        self.register_buffer("projection", torch.zeros(projection))

    @property
    def parts(self) -> dict[str, float]:
        """The share of the variance that each part was given, in the order of their columns."""
        return {name: round(float(cast(PartMap, one).share), 6) for name, one in self.maps.items()}

    @property
    def dim(self) -> int:
        """Numbers of a vector."""
        return cast(PartMap, next(iter(self.maps.values()))).weight.shape[1]

    @property
    def usual(self) -> dict[str, Usual]:
        """Mean and spread of each part over random k-sets of the graph that the model was trained on."""
        parts = {name: cast(PartMap, one) for name, one in self.maps.items()}
        return {name: Usual(part.mean, part.spread) for name, part in parts.items()}

    def take_usual(self, rows: Mapping[str, np.ndarray]) -> None:
        """Take mean and spread from the rows of random k-sets, (m, raw) for each part."""
        for name, kept in self.usual.items():
            for own, found in zip(kept, Usual.of(rows[name]), strict=True):
                own.copy_(found)

    def forward(self, rows: Mapping[str, Tensor], usual: Mapping[str, Usual]) -> Tensor:
        """What the parts that `rows` holds add up to, (b, dim)."""
        total: Tensor = sum(self.maps[name](part, usual[name]) for name, part in rows.items())
        return total

    def fit(
        self, rows: Mapping[str, np.ndarray], shares: Mapping[str, float], seed: int, spread: float
    ) -> None:
        """Find the map from the rows of random k-sets of the training graph, (m, raw) for each part.

        `shares` of the variance are relative to each other. `spread` is that of each number over these
        k-sets, on average.
        """
        self.take_usual(rows)
        whole = sum(shares[name] for name in self.maps)
        blocks, scales = [], []
        for name, usual in self.usual.items():
            cast(PartMap, self.maps[name]).share.fill_(shares[name] / whole)
            z = usual.apply(torch.from_numpy(rows[name])).double()
            z = z - z.mean(dim=0)
            variance = z.var(dim=0, correction=0).sum().clamp(min=LEAST_SPREAD)
            scales.append(((shares[name] / whole) / variance).sqrt())
            blocks.append(z * scales[-1])
        weight = _partly_whitened(torch.cat(blocks, dim=1), self.dim, seed, spread)
        low = 0
        for one, scale in zip(self.maps.values(), scales, strict=True):
            part = cast(PartMap, one)
            raw = len(part.weight)
            part.weight.copy_(scale * weight[low : low + raw])
            low += raw


def _partly_whitened(z: Tensor, dim: int, seed: int, spread: float) -> Tensor:
    """The first principal directions of centred rows, stretched by a power of their variance and rotated.

    (m, raw) rows to (raw, dim) float64; where there are fewer directions than `dim`, the rotation still
    fills all columns.
    """
    variance, axes = torch.linalg.eigh(z.T @ z / max(len(z), 1))  # rising
    variance, axes = variance.flip(0)[:dim].clamp(min=0), axes.flip(1)[:, :dim]
    stretch = (variance + FLOOR * variance[:1].clamp(min=torch.finfo(torch.float32).eps)) ** (-WHITEN / 2)
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))[0]
    weight: Tensor = (axes * stretch) @ torch.from_numpy(rotation[: len(variance)])
    found = (z @ weight).std(dim=0, correction=0).mean().clamp(min=LEAST_SPREAD)
    return weight * (spread / found)
