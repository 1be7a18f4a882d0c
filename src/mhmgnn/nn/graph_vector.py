"""What is known of a whole graph -> its vector, from how it lies among the training graphs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from mhmgnn.nn.node_kernel import NodeKernel
from mhmgnn.nn.vector import LEAST_SPREAD, Usual

AXES = 256  # principal directions in which graphs are compared
LANDMARKS = 1_000  # training graphs with which a graph is compared, at most
NEARNESS = 0.2  # of the variance of a vector is of how near the landmarks are, the rest is linear
REACH = 0.4  # of the median squared distance between landmarks: where nearness has fallen to exp(-1/2)
SHARPEN = 0.4  # variances are raised to this and 1: short trainings overfit to directions that vary little
LEAST_VARIANCE = 1e-6  # of the largest: components with less are left out


class GraphVectorMap(nn.Module):
    r"""Rows of whole graphs -> their vectors, from principal directions and from how near landmarks are.

    .. math:: v(G) = t B + \kappa(t) A + o, \quad t = P^T (z(G) - \bar z), \quad
              \kappa_a(t) = \exp(-|t - t_a|^2 / 2 \sigma^2)

    z(G) is the row in units of the training graphs, clipped at three. A and B are such that numbers are
    principal components of the training graphs under a kernel that is in part :math:`\langle t, t' \rangle`
    and in part :math:`\exp(-|t - t'|^2 / 2 \sigma^2)`, sharpened, in a fixed rotation. `projection` and
    `kernel` read the nodes of a graph.
    """

    projection: Tensor  # (features, p) of node features
    mean: Tensor  # (raw,)
    spread: Tensor  # (raw,)
    axes: Tensor  # (raw, q), P
    centre: Tensor  # (q,), what is taken off t
    landmarks: Tensor  # (a, q), t_a
    width: Tensor  # (), sigma squared
    linear: Tensor  # (q, dim), B
    by_landmark: Tensor  # (a, dim), A
    offset: Tensor  # (dim,), o

    def __init__(
        self,
        raw: int,
        directions: int,
        landmarks: int,
        dim: int,
        *,
        projection: tuple[int, int],
        kernel: NodeKernel,
    ) -> None:
        super().__init__()
        self.kernel = kernel
        shapes = {"projection": projection, "mean": (raw,), "spread": (raw,), "axes": (raw, directions)}
        shapes |= {"centre": (directions,), "landmarks": (landmarks, directions), "width": ()}
        shapes |= {"linear": (directions, dim), "by_landmark": (landmarks, dim), "offset": (dim,)}
        for name, shape in shapes.items():
            self.register_buffer(name, torch.zeros(shape))

    @property
    def dim(self) -> int:
        """Numbers of a vector."""
        return self.offset.numel()

    def forward(self, rows: Tensor) -> Tensor:
        """(b, raw) to (b, dim), float32; a row does not depend on the others."""
        z = Usual(self.mean, self.spread).apply(rows).double()
        t = z @ self.axes.double() - self.centre.double()
        near = _nearness(t, self.landmarks.double(), float(self.width))
        found: Tensor = t @ self.linear.double() + near @ self.by_landmark.double() + self.offset.double()
        return found.float()

    @classmethod
    def fitted(
        cls,
        blocks: Mapping[str, np.ndarray],
        shares: Mapping[str, float],
        dim: int,
        seed: int,
        *,
        projection: np.ndarray,
        kernel: NodeKernel,
    ) -> GraphVectorMap:
        """The map of the training graphs, whose rows are `blocks`, (m, columns) each, side by side.

        Each block is scaled to its share of the variance.
        """
        rows, rng = np.hstack([*blocks.values()]), np.random.default_rng(seed)
        some = np.sort(rng.permutation(len(rows))[:LANDMARKS])
        q = min(AXES, len(some), rows.shape[1])
        sizes = rows.shape[1], q, len(some), dim
        found = cls(*sizes, projection=projection.shape, kernel=kernel)
        found.projection.copy_(torch.from_numpy(projection))
        usual = Usual.of(rows)
        found.mean.copy_(usual.mean)
        found.spread.copy_(usual.spread)
        z = usual.apply(torch.from_numpy(rows)).double()
        parts = torch.split(z, [block.shape[1] for block in blocks.values()], dim=1)
        scale = torch.cat([_scale(part, shares[name]) for name, part in zip(blocks, parts, strict=True)])
        _, _, axes = torch.linalg.svd(((z - z.mean(dim=0)) * scale)[some], full_matrices=False)
        found.axes.copy_(scale[:, None] * axes[:q].T)
        found.centre.copy_((z @ found.axes.double()).mean(dim=0))
        found._fit_kernel((z @ found.axes.double() - found.centre)[some], rng)
        return found.eval()

    def _fit_kernel(self, t: Tensor, rng: np.random.Generator) -> None:
        """Find A, B and o from the landmarks."""
        self.landmarks.copy_(t)
        away = torch.pdist(t).square()
        away = away[away > 0]
        self.width.fill_(REACH * float(away.median()) if len(away) else 1.0)
        near = _nearness(t, t, float(self.width))
        centred = near - near.mean(dim=0) - near.mean(dim=1, keepdim=True) + near.mean()
        flat = t - t.mean(dim=0)
        linear = (1 - NEARNESS) / flat.square().sum().clamp(min=LEAST_SPREAD)
        of_near = NEARNESS / centred.trace().clamp(min=LEAST_SPREAD)
        gram = linear * flat @ flat.T + of_near * centred
        variance, vectors = torch.linalg.eigh(gram)  # rising
        variance, vectors = variance.flip(0)[: self.dim], vectors.flip(1)[:, : self.dim]
        kept = variance > LEAST_VARIANCE * variance[0].clamp(min=torch.finfo(torch.float32).eps)
        variance, vectors = variance[kept], vectors[:, kept]
        rotation = np.linalg.qr(rng.normal(size=(self.dim, self.dim)))[0][: len(variance)]
        weights = vectors * variance ** ((SHARPEN - 1) / 2) @ torch.from_numpy(rotation)
        weights = weights - weights.mean(dim=0)  # so that means over landmarks cancel
        spread = (gram @ weights).std(dim=0, correction=0).mean()
        weights = weights * (self.dim**-0.5 / spread.clamp(min=LEAST_SPREAD))
        self.linear.copy_(linear * flat.T @ weights)
        self.by_landmark.copy_(of_near * weights)
        self.offset.copy_(-(t @ self.linear.double() + near @ self.by_landmark.double()).mean(dim=0))


def _scale(part: Tensor, share: float) -> Tensor:
    """What the columns of a block are multiplied by for it to have its share of the variance, (columns,)."""
    variance = part.var(dim=0, correction=0).sum().clamp(min=LEAST_SPREAD)
    return (share / variance).sqrt().expand(part.shape[1])


def _nearness(t: Tensor, landmarks: Tensor, width: float) -> Tensor:
    """exp(-|t - t_a|^2 / 2 width) of each row to each landmark, (b, a)."""
    away = torch.cdist(t, landmarks, compute_mode="donot_use_mm_for_euclid_dist").square()
    return torch.exp(-away / (2 * width))
