"""The context of a set -> its group energies: minus the log-odds that it is a group, or lies inside one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mhmgnn.config import GroupsConfig

CLIP = 5.0  # spreads of the context as it is


class GroupNetwork(nn.Module):
    """Two hidden layers over the context of a set, and a log-odds for each question."""

    def __init__(self, inputs: int, dim: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, dim), nn.SiLU(), nn.Linear(dim, dim), nn.SiLU())
        self.heads = nn.Linear(dim, 2)

    def forward(self, x: Tensor) -> Tensor:
        """Log-odds of both answers where yes and no are equally frequent, (b, 2)."""
        odds: Tensor = self.heads(self.layers(x))
        return odds


class GroupEnergy(nn.Module):
    r"""Several networks whose log-odds are averaged, and how frequent groups are among cliques of each size.

    .. math:: E(C) = -\frac{1}{m} \sum_j f_j(C) - \log \frac{\pi_{|C|}}{1 - \pi_{|C|}}

    f_j is trained on examples in which yes and no are equally frequent; :math:`\pi` is the share of yes among
    random cliques of that size in the worlds. So sigmoid(-E) is a probability under the prior over worlds.
    """

    mean: Tensor  # (f,) of the context as it is, over all examples
    spread: Tensor  # (f,)
    sizes: Tensor  # (c,) int64, rising
    log_odds: Tensor  # (c, 2) of random cliques of these sizes

    def __init__(self, columns: int, classes: int, config: GroupsConfig) -> None:
        super().__init__()
        self.networks = nn.ModuleList(
            GroupNetwork(2 * columns + 2, config.dim) for _ in range(config.networks)
        )
        self.register_buffer("mean", torch.zeros(columns))
        self.register_buffer("spread", torch.ones(columns))
        self.register_buffer("sizes", torch.zeros(classes, dtype=torch.int64))
        self.register_buffer("log_odds", torch.zeros(classes, 2))

    def inputs(self, scaled: Tensor, plain: Tensor, sizes: Tensor) -> Tensor:
        """What the networks read, (b, 2 f + 2): the context in the graph's units, as it is, and the size."""
        as_it_is = ((plain - self.mean) / self.spread).clamp(-CLIP, CLIP)
        size = torch.stack([sizes.log(), (sizes == 2).to(scaled.dtype)], dim=1)
        return torch.cat([scaled, as_it_is, size], dim=1)

    def forward(self, scaled: Tensor, plain: Tensor, sizes: Tensor) -> Tensor:
        """Energies of both questions, (b, 2): "exact", then "contained"."""
        x = self.inputs(scaled, plain, sizes)
        learned = torch.stack([network(x) for network in self.networks]).mean(dim=0)
        place = torch.searchsorted(self.sizes, sizes, right=True).sub(1).clamp(min=0)
        return -(learned + self.log_odds[place])
