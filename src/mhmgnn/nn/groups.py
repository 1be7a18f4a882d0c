"""The context of a set -> its group energies: minus the log-odds that it is a group or lies inside one."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from mhmgnn.config import GroupsConfig

KINDS = 3  # of sets: cliques, one pair missing, more
AWAY = 0.2, 2 / 3  # weight of `by_level` on another graph: for "exact", for "contained"
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
    r"""The networks' log-odds, corrected for how frequent groups are among sets of each size and kind.

    .. math:: E(C) = -f(C) - b_c

    f is trained on examples in which yes and no are equally frequent. Kinds are cliques, sets with one pair
    missing, and other connected sets; :math:`b_c` is such that random sets of size and kind c have, on
    average, the probability sigmoid(-E) with which they are groups in the worlds.

    There are two ensembles. `by_unit` reads the context standardised by random cliques of the graph, and
    `by_level` the plain context as well. The plain context tells most, and shifts between graphs: on another
    graph than the one trained on, both answer, and `AWAY` says how their log-odds are weighed. "Exact"
    depends on fine differences and takes more of `by_unit`.
    """

    mean: Tensor  # (f,) of the plain context, over all examples
    spread: Tensor  # (f,)
    sizes: Tensor  # (c,) int64, ascending
    log_odds: Tensor  # (c, KINDS, 2), added to those of the networks

    def __init__(self, columns: int, classes: int, config: GroupsConfig) -> None:
        super().__init__()
        self.by_level = Ensemble(2 * columns + 3, config.dim, config.networks)
        self.by_unit = Ensemble(columns + 3, config.dim, config.networks)
        self.register_buffer("mean", torch.zeros(columns))
        self.register_buffer("spread", torch.ones(columns))
        self.register_buffer("sizes", torch.zeros(classes, dtype=torch.int64))
        self.register_buffer("log_odds", torch.zeros(classes, KINDS, 2))

    def inputs(self, scaled: Tensor, plain: Tensor, sizes: Tensor, missing: Tensor) -> tuple[Tensor, Tensor]:
        """What `by_level` and `by_unit` read, (b, 2 f + 3) and (b, f + 3): context, size, and kind."""
        size = torch.stack([sizes.log(), (sizes == 2).to(scaled.dtype)], dim=1)
        kind = kind_of(missing)[:, None].to(scaled.dtype)
        level = ((plain - self.mean) / self.spread).clamp(-CLIP, CLIP)
        return torch.cat([scaled, size, level, kind], dim=1), torch.cat([scaled, size, kind], dim=1)

    def forward(
        self, scaled: Tensor, plain: Tensor, sizes: Tensor, missing: Tensor, *, at_home: bool = True
    ) -> Tensor:
        """Energies of both questions, (b, 2): "exact", "contained"; `at_home`: in the graph trained on."""
        level, unit = self.inputs(scaled, plain, sizes, missing)
        learned = self.by_level(level)
        if not at_home:
            weight = learned.new_tensor(AWAY)
            learned = weight * learned + (1 - weight) * self.by_unit(unit)
        place = torch.searchsorted(self.sizes, sizes, right=True).sub(1).clamp(min=0)
        energies: Tensor = -(learned + self.log_odds[place, kind_of(missing)])
        return energies


def kind_of(missing: Tensor) -> Tensor:
    """The kind of sets with so many pairs missing, (b,) int64: cliques, one pair missing, more."""
    return missing.clamp(max=KINDS - 1)
