"""A trained network on a graph that has grown: does it still tell data from noise, and if not, some steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from mhmgnn.nn.energy import KSetModel
from mhmgnn.nn.losses import graph_energy
from mhmgnn.training.batches import Sampler, TrainingBatch
from mhmgnn.training.objective import Objective, objectives

LOOKED_AT = 2  # batches that tell how a network does
WORSE = 0.05  # of a loss that asks for further steps: batches differ by about as much


class Renewed(NamedTuple):
    """How the energies of a network did on another graph."""

    loss: float  # of the network as it came
    steps: int  # that were taken further


def renew(network: KSetModel, sampler: Sampler, *, steps: int, before: float | None) -> Renewed:
    """Train a network for some steps further, unless its loss is as low as `before`, or low enough.

    A network that need not learn is left as it is, to the bit.
    """
    train = sampler.config.train
    taught = objectives(network, sampler.config.subgraphs.noises)
    seen = [sampler.batch(number) for number in range(LOOKED_AT)]
    loss = sum(_settle_constants(taught, batch) for batch in seen) / LOOKED_AT
    if not steps or before is None or loss <= max(before, train.enough) + WORSE:
        return Renewed(loss, 0)
    adam = torch.optim.Adam(taught.parameters(), lr=train.learning_rate)
    for number in range(LOOKED_AT, LOOKED_AT + steps):
        for kind, batch in sampler.batch(number).items():
            adam.zero_grad()  # what has no gradient afterwards stays as it is
            (taught[kind](batch) / batch.is_data.numel()).backward()
            adam.step()
    network.whiten(*sampler.batch(train.steps, of=(0,))[0].data())
    return Renewed(loss, steps)


def _settle_constants(taught: nn.ModuleList, batches: Mapping[int, TrainingBatch]) -> float:
    """Give each objective the constant of NCE that is best for its energies; the mean loss a graph.

    A model does not keep these constants: they stand for log Z.
    """
    losses = []
    for kind, batch in batches.items():
        objective = cast(Objective, taught[kind])
        with torch.no_grad():
            energies = graph_energy(
                objective.energy(batch.motifs), batch.weights, batch.owner, batch.is_data.numel()
            )
        losses.append(_settle(objective, energies, batch.is_data))
    return sum(losses) / len(losses)


def _settle(objective: Objective, energies: Tensor, is_data: Tensor) -> float:
    search = torch.optim.LBFGS([objective.constant], max_iter=50, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        search.zero_grad()
        found = objective.loss(energies, is_data) / is_data.numel()
        found.backward()  # type: ignore[no-untyped-call]
        return found

    search.step(loss)  # type: ignore[no-untyped-call]
    return float(loss().detach())
