"""Embeddings of k-sets -> their energies, and the vectors that users get."""

from typing import cast

import torch
from torch import Tensor, nn

from mhmgnn.config import RunConfig
from mhmgnn.nn.encoders.build import build
from mhmgnn.nn.encoders.layers import unit_length
from mhmgnn.nn.motifs.batch import MotifBatch
from mhmgnn.nn.motifs.graphs import GraphBatch

FLOOR = 1e-4  # least variance in whitening, as a share of the largest
LENGTH = 4.0  # of the vectors; on vectors of length 1 an early-stopped linear model learns little


class Energy(nn.Module):
    r"""An energy of k-sets, Eq. (2), trained against one kind of noise.

    .. math:: \phi_j(C) = w_j^T \rho_j(h_j(C))

    :math:`h_j` is the encoder, :math:`\rho_j` one hidden layer with LeakyReLU. There is no bias beside
    :math:`w_j`: summed over k-sets, it would only count them.
    """

    def __init__(self, encoder: nn.Module, dim: int) -> None:
        super().__init__()
        self.encoder, self.dim = encoder, dim
        self.rho = nn.Sequential(nn.Linear(dim, dim), nn.LeakyReLU(inplace=True))
        self.last = nn.Linear(dim, 1, bias=False)

    def forward(self, batch: MotifBatch | GraphBatch) -> Tensor:
        """The energy of each k-set, (b,)."""
        energy: Tensor = self.last(self.rho(self.encoder(batch))).squeeze(-1)
        return energy


class KSetModel(nn.Module):
    r"""The energy of a k-set, low where the k nodes belong together, and its vector.

    .. math:: \phi(C) = \sum_j \phi_j(C), \quad h(C) = (h_1(C), h_2(C), ...)

    Each kind of noise has its own energy: what separates data from one kind need not separate it from
    another.
    """

    centre: Tensor  # (dim,)
    whitening: Tensor  # (dim, dim)

    def __init__(self, *energies: Energy) -> None:
        super().__init__()
        self.energies = nn.ModuleList(energies)
        dim = sum(energy.dim for energy in energies)
        self.register_buffer("centre", torch.zeros(dim))
        self.register_buffer("whitening", torch.eye(dim))

    def encode(self, batch: MotifBatch | GraphBatch) -> Tensor:
        """The encoders' vectors side by side, h(C), (b, dim); each part has length 1."""
        return torch.cat([cast(Energy, energy).encoder(batch) for energy in self.energies], dim=1)

    def embed(self, batch: MotifBatch | GraphBatch) -> Tensor:
        """The vector of each k-set, (b, dim), of length `LENGTH`: h(C), whitened if `whiten` was called."""
        return LENGTH * unit_length((self.encode(batch) - self.centre) @ self.whitening)

    def forward(self, batch: MotifBatch | GraphBatch) -> Tensor:
        """The energy of each k-set, (b,)."""
        return torch.stack([energy(batch) for energy in self.energies]).sum(dim=0)

    @torch.no_grad()
    def whiten(self, batch: MotifBatch, weights: Tensor) -> None:
        r"""Partially whiten the vectors: divide each principal direction by the fourth root of its variance.

        .. math:: U V^{-1/4} U^T (h(C) - mean)

        :math:`U V U^T` is the covariance of h over the k-sets of `batch`, weighted by `weights`, (b,).
        NCE needs one number per k-set, so one direction of h ends up with nine tenths of the variance, and a
        regularised classifier would hardly use the others.
        """
        h, share = self.encode(batch).double(), (weights / weights.sum()).double()
        mean = share @ h
        apart = h - mean
        variance, axes = torch.linalg.eigh(apart.T @ (share[:, None] * apart))  # rising
        if variance[-1] > torch.finfo(torch.float32).eps:  # else h is the same for all
            self.centre.copy_(mean)
            stretch = (variance.clamp(min=0) + FLOOR * variance[-1]) ** -0.25
            self.whitening.copy_((axes * stretch) @ axes.T)


def new_network(config: RunConfig, in_features: int, edge_features: int, seed: int) -> KSetModel:
    """An untrained network whose weights depend only on the seed; torch's global generator is not touched.

    Each kind of noise has an energy, and the dimensions are divided evenly among them.
    """
    model, kinds = config.model, max(len(config.subgraphs.kinds), 1)
    dims = [(model.dim + rest) // kinds for rest in reversed(range(kinds))]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return KSetModel(*(Energy(_encoder(config, in_features, edge_features, dim), dim) for dim in dims))


def _encoder(config: RunConfig, in_features: int, edge_features: int, dim: int) -> nn.Module:
    model = config.model
    return build(model.encoder, in_features, dim, model.layers, edge_features, config.train.k)
