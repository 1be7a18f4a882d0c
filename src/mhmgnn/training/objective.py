"""A batch -> its NCE loss, from the energies of graphs, which are sums over their k-sets."""

from typing import cast

import torch
from torch import Tensor, nn

from mhmgnn.nn.energy import Energy, KSetModel
from mhmgnn.nn.losses import graph_energy, nce_loss
from mhmgnn.training.batches import TrainingBatch


class Objective(nn.Module):
    """An energy with NCE's learned constant c, an estimate of log Z that is dropped after training."""

    def __init__(self, energy: Energy, noises: int) -> None:
        super().__init__()
        self.energy = energy
        self.constant = nn.Parameter(torch.zeros(()))
        self.noises = noises

    def forward(self, batch: TrainingBatch) -> Tensor:
        """The NCE loss, summed over the graphs of a batch."""
        phi = self.energy(batch.motifs)  # (s,)
        of_graphs = graph_energy(phi, batch.weights, batch.owner, batch.is_data.numel())
        return self.loss(of_graphs, batch.is_data)

    def loss(self, energies: Tensor, is_data: Tensor) -> Tensor:
        """The same from the energies of the graphs, (graphs,)."""
        return nce_loss(energies, is_data, constant=self.constant, noises=self.noises)


def objectives(model: KSetModel, noises: int) -> nn.ModuleList:
    """An objective for each energy of a model; they share no weights, so each can stop at its own time."""
    return nn.ModuleList(Objective(cast(Energy, energy), noises) for energy in model.energies)
