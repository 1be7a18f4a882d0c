"""What is known of the nodes of a graph -> means of random Fourier features: how these rows are spread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from mhmgnn.nn.vector import Usual

HOPS = 3  # a node by itself, the mean of its neighbours, and of theirs
WIDTHS = (0.5, 1.0, 2.0)  # of the kernels, in median distances between nodes
DRAWN = 64  # features for each hop and width
CONTEXT_WEIGHT = 0.5  # of a column of the context beside a feature that was given
PAIRS = 4_000  # of nodes, whose distances are measured
AT_ONCE = 16_384  # nodes

Near = Callable[[np.ndarray], np.ndarray]  # values of nodes, (n, c), to their means over neighbours


class NodeInputs(NamedTuple):
    """What is known of the nodes of a graph."""

    given: np.ndarray  # (n, p) float64, features
    context: np.ndarray  # (n, q) float64, section 20 of docs/method.md
    degrees: np.ndarray  # (n,) int64
    near: Near

    @property
    def known(self) -> np.ndarray:
        """Features and context side by side, (n, p + q)."""
        return np.hstack([self.given, self.context])


class NodeKernel(nn.Module):
    r"""The nodes of a graph -> a row that tells how they are spread, whatever their number and order.

    .. math:: \psi_t(G) = \frac{1}{n} \sum_u \cos(\Omega_t^T x_t(u) + b_t), \quad
              x_{t+1}(u) = \frac{1}{d_u} \sum_{v \sim u} x_t(v)

    x_0(u) are features and context of a node in units of the nodes of the training graphs. The product of two
    rows is about the mean of a Gaussian kernel over all pairs of a node of one graph and one of the other.
    """

    mean: Tensor  # (p + q,)
    spread: Tensor  # (p + q,)
    frequencies: Tensor  # (hops, p + q, features)
    phases: Tensor  # (hops, features)

    def __init__(self, hops: int, columns: int, features: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(columns))
        self.register_buffer("spread", torch.ones(columns))
        self.register_buffer("frequencies", torch.zeros(hops, columns, features))
        self.register_buffer("phases", torch.zeros(hops, features))

    @property
    def size(self) -> int:
        """How many numbers a row has."""
        return self.phases.numel()

    def forward(self, nodes: NodeInputs) -> np.ndarray:
        """A row for a graph, (hops * features,) float64, hop by hop; zeros without nodes."""
        total = np.zeros(self.phases.shape)
        values = self._standardised(nodes.known)
        for hop, (frequencies, phases) in enumerate(zip(self.frequencies, self.phases, strict=True)):
            values = nodes.near(values) if hop else values
            drawn, shift = frequencies.numpy().astype(np.float64), phases.numpy()
            for low in range(0, len(values), AT_ONCE):
                total[hop] += np.cos(values[low : low + AT_ONCE] @ drawn + shift).sum(axis=0)
        return total.ravel() / max(len(values), 1)

    @classmethod
    def fitted(cls, graphs: Sequence[NodeInputs], seed: int) -> NodeKernel:
        """A kernel in units of the nodes of these graphs; its frequencies and phases are drawn."""
        rng = np.random.default_rng(seed)
        known = np.concatenate([nodes.known for nodes in graphs])  # (nodes, p + q)
        kernel = cls(HOPS, known.shape[1], DRAWN * len(WIDTHS))
        for kept, found in zip((kernel.mean, kernel.spread), Usual.of(known), strict=True):
            kept.copy_(found)
        weights = np.ones(known.shape[1])
        if graphs[0].given.shape[1]:
            weights[graphs[0].given.shape[1] :] = CONTEXT_WEIGHT
        pairs = rng.integers(max(len(known), 1), size=(2, PAIRS if len(known) else 0))
        values = [kernel._standardised(nodes.known) for nodes in graphs]
        for hop in range(HOPS):
            values = [nodes.near(own) if hop else own for nodes, own in zip(graphs, values, strict=True)]
            usual = _usual_distance(np.concatenate(values) * weights, pairs)
            drawn = rng.normal(size=(len(WIDTHS), len(weights), DRAWN)) / np.reshape(WIDTHS, (-1, 1, 1))
            frequencies = weights[:, None] / usual * np.concatenate(drawn, axis=1)
            kernel.frequencies[hop].copy_(torch.from_numpy(frequencies))
            kernel.phases[hop].copy_(torch.from_numpy(rng.uniform(0, 2 * np.pi, kernel.phases.shape[1])))
        return kernel

    def _standardised(self, known: np.ndarray) -> np.ndarray:
        rows = Usual(self.mean, self.spread).apply(torch.from_numpy(known))
        return np.asarray(rows.numpy(), np.float64)


def _usual_distance(values: np.ndarray, pairs: np.ndarray) -> float:
    """The median distance between the nodes of these pairs that differ; 1 where none do."""
    away = np.linalg.norm(values[pairs[0]] - values[pairs[1]], axis=1)
    away = away[away > 0]
    return float(np.median(away)) if away.size else 1.0
