"""The context of a set -> its group energies: minus the log-odds that it is a group or lies inside one."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from mhmgnn.config import GroupsConfig

CLIP = 5.0  # standard deviations at which the plain context is clipped


class GroupNetwork(nn.Module):
    """An MLP with two hidden layers: the context of a set -> log-odds for "exact" and "contained"."""

    def __init__(self, inputs: int, dim: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, dim), nn.SiLU(), nn.Linear(dim, dim), nn.SiLU())
        self.heads = nn.Linear(dim, 2)

    def forward(self, x: Tensor) -> Tensor:
        """Log-odds for both questions if yes and no were equally frequent, (b, 2)."""
        odds: Tensor = self.heads(self.layers(x))
        return odds


class Ensemble(nn.Module):
    """Networks with the same inputs, trained independently; their log-odds are averaged."""

    def __init__(self, inputs: int, dim: int, networks: int) -> None:
        super().__init__()
        self.networks = nn.ModuleList(GroupNetwork(inputs, dim) for _ in range(networks))

    def hidden(self, x: Tensor) -> Tensor:
        """The last hidden layers of all networks side by side, (b, networks * dim)."""
        return torch.cat([cast(GroupNetwork, network).layers(x) for network in self.networks], dim=1)

    def forward(self, x: Tensor) -> Tensor:
        """(b, 2)."""
        return torch.stack([network(x) for network in self.networks]).mean(dim=0)


class GroupEnergy(nn.Module):
    r"""The networks' log-odds, corrected for how frequent groups are among cliques of each size.

    .. math:: E(C) = -f(C) - \log \frac{\pi_{|C|}}{1 - \pi_{|C|}}

    f is trained on examples in which yes and no are equally frequent; :math:`\pi` is the share of yes among
    random cliques of that size in the worlds. So sigmoid(-E) is a probability under the prior over worlds.

    There are two ensembles. `by_unit` reads the context standardised by random cliques of the graph, and
    `by_level` the plain context as well. The plain context shifts between graphs, and "exact" depends on fine
    differences: on another graph than the one trained on, `by_unit` answers "exact".
    """

    mean: Tensor  # (f,) of the plain context, over all examples
    spread: Tensor  # (f,)
    sizes: Tensor  # (c,) int64, ascending
    log_odds: Tensor  # (c, 2) of yes among random cliques of these sizes

    def __init__(self, columns: int, classes: int, config: GroupsConfig) -> None:
        super().__init__()
        self.by_level = Ensemble(2 * columns + 2, config.dim, config.networks)
        self.by_unit = Ensemble(columns + 2, config.dim, config.networks)
        self.register_buffer("mean", torch.zeros(columns))
        self.register_buffer("spread", torch.ones(columns))
        self.register_buffer("sizes", torch.zeros(classes, dtype=torch.int64))
        self.register_buffer("log_odds", torch.zeros(classes, 2))

    def inputs(self, scaled: Tensor, plain: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        """The inputs of `by_level` and `by_unit`, (b, 2 f + 2) and (b, f + 2): context and size of a set."""
        size = torch.stack([sizes.log(), (sizes == 2).to(scaled.dtype)], dim=1)
        level = ((plain - self.mean) / self.spread).clamp(-CLIP, CLIP)
        return torch.cat([scaled, size, level], dim=1), torch.cat([scaled, size], dim=1)

    def forward(self, scaled: Tensor, plain: Tensor, sizes: Tensor, *, at_home: bool = True) -> Tensor:
        """Energies for "exact" and "contained", (b, 2); `at_home` if the sets are of the training graph."""
        level, unit = self.inputs(scaled, plain, sizes)
        learned = self.by_level(level)
        if not at_home:
            learned = torch.stack([self.by_unit(unit)[:, 0], learned[:, 1]], dim=1)
        place = torch.searchsorted(self.sizes, sizes, right=True).sub(1).clamp(min=0)
        energies: Tensor = -(learned + self.log_odds[place])
        return energies
