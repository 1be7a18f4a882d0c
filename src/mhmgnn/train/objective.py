"""A batch -> its loss: energies of k-sets, summed to energies of graphs, told apart by NCE."""

import torch
from torch import Tensor, nn

from mhmgnn.energy import KSetModel
from mhmgnn.nce import graph_energy, nce_loss
from mhmgnn.train.batches import TrainingBatch


class Objective(nn.Module):
    """The model with the learned constant c of NCE, which stands for log Z and is not kept."""

    def __init__(self, model: KSetModel, noises: int) -> None:
        super().__init__()
        self.model = model
        self.constant = nn.Parameter(torch.zeros(()))
        self.noises = noises

    def forward(self, batch: TrainingBatch) -> Tensor:
        """The NCE loss, summed over the graphs of the batch."""
        phi = self.model(batch.motifs)  # (s,)
        energy = graph_energy(phi, batch.weights, batch.owner, batch.is_data.numel())
        return nce_loss(energy, batch.is_data, constant=self.constant, noises=self.noises)
