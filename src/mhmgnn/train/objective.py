"""A batch -> its loss: energies of k-sets, summed to energies of graphs, told apart by NCE."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from mhmgnn.energy import KSetModel
from mhmgnn.nce import graph_energy, nce_loss
from mhmgnn.train.batches import TrainingBatch


class Objective(nn.Module):
    """The model with the learned constants c of NCE, one a kind of noise, which stand for log Z and go."""

    def __init__(self, model: KSetModel, noises: int) -> None:
        super().__init__()
        self.model = model
        self.constants = nn.Parameter(torch.zeros(len(model.energies)))
        self.noises = noises

    def forward(self, batches: Sequence[TrainingBatch]) -> Tensor:
        """The NCE loss, summed over the graphs of a batch: the mean over the kinds of noise."""
        losses = []
        for energy, constant, batch in zip(self.model.energies, self.constants, batches, strict=True):
            phi = energy(batch.motifs)  # (s,)
            of_graphs = graph_energy(phi, batch.weights, batch.owner, batch.is_data.numel())
            losses.append(nce_loss(of_graphs, batch.is_data, constant=constant, noises=self.noises))
        return torch.stack(losses).mean()
