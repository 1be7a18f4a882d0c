"""A graph -> its group energy, learned without labels from planted worlds."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mhmgnn.config import GroupsConfig
from mhmgnn.graph import Graph
from mhmgnn.nn.groups import GroupEnergy
from mhmgnn.runtime import console, threads
from mhmgnn.runtime.distributed import Crew
from mhmgnn.subgraphs.cliques import count_cliques
from mhmgnn.subgraphs.excerpt import excerpt
from mhmgnn.training.worlds.examples import Examples, draw_examples
from mhmgnn.training.worlds.sizes import SizeLaw, infer_sizes, recall_sizes
from mhmgnn.training.worlds.store import WorldStore
from mhmgnn.training.worlds.world import Ground, null_world, plant_world

TRIANGLES = 100  # a graph with fewer has no groups to learn
BATCH = 512  # examples per step
DECAY = 2e-2
HEAVIEST = 20.0  # weights of examples are clipped here; their mean is 1


class Fitted(NamedTuple):
    """A trained group energy and a record of its training."""

    energy: GroupEnergy
    facts: dict[str, Any]


def fit_groups(
    graph: Graph,
    config: GroupsConfig,
    seed: int,
    *,
    crew: Crew,
    store: WorldStore,
    quiet: bool = True,
    before: Fitted | None = None,
) -> Fitted | None:
    """Plant worlds and learn which of their cliques are groups; None if the graph has too few triangles.

    A world depends only on the seed and its number. The processes of a crew divide the worlds among them;
    then each trains on all worlds and gets the same weights. If `before` is given, training goes on from its
    weights, in worlds that follow its laws of sizes.
    """
    if count_cliques(graph, 3) < TRIANGLES:
        if not quiet:
            console.say(f"fewer than {TRIANGLES} triangles: there are no groups to learn")
        return None
    rng = _rng(seed, 0)
    part = excerpt(graph, config.edges, rng)
    laws = (
        infer_sizes(part, config, rng)
        if before is None
        else recall_sizes(part, before.facts["laws"], config, rng)
    )
    all_of_it = Ground.of(graph) if graph.num_edges <= config.edges else None

    def one(number: int) -> Examples:
        if (kept := store.find(number)) is not None:
            return kept
        rng = _rng(seed, 1, number)
        ground = all_of_it or Ground.of(excerpt(graph, config.edges, rng))
        planted = number < config.worlds * (1 - config.null)
        world = plant_world(ground, laws, config, rng) if planted else null_world(ground, rng)
        examples = draw_examples(world, config.examples, rng)
        store.keep(number, examples)
        return examples

    with console.progress("worlds", quiet=quiet) as tell:
        found = {}
        mine = range(crew.rank, config.worlds, crew.world)
        for number, examples in zip(mine, threads.side_by_side(one, mine, threads.available()), strict=True):
            found[number] = examples
            tell(len(found) / len(mine), f"{len(found)} of {len(mine)} worlds")
    worlds = gather(found, config.worlds, crew)
    return train(worlds, laws, config, seed, quiet=quiet, before=before)


def gather(mine: dict[int, Examples], worlds: int, crew: Crew) -> list[Examples]:
    """The examples of all worlds in order, exchanged between the processes."""
    if crew.world == 1:
        return [mine[number] for number in range(worlds)]
    numbers = np.concatenate(crew.gather(np.array(list(mine), np.int64)))
    columns = []
    for name in Examples._fields:
        own = [getattr(examples, name) for examples in mine.values()]
        sizes = np.concatenate(crew.gather(np.array([len(part) for part in own], np.int64)))
        rows = np.concatenate(crew.gather(np.concatenate(own)))
        columns.append(np.split(rows, np.cumsum(sizes)[:-1]))
    by_number = dict(zip(numbers.tolist(), zip(*columns, strict=True), strict=True))
    return [Examples(*by_number[number]) for number in range(worlds)]


def train(
    worlds: list[Examples],
    laws: list[SizeLaw],
    config: GroupsConfig,
    seed: int,
    *,
    quiet: bool,
    before: Fitted | None = None,
) -> Fitted:
    """Train the networks on all worlds except those held out, which choose the best epoch of each network."""
    held, taught = (Examples.join(part) for part in (worlds[: config.held_back], worlds[config.held_back :]))
    rates = Examples.join(worlds).rates
    if before is None:
        energy = _new_energy(taught, rates, config, seed)
    else:
        energy = _renewed(before.energy, rates, config)
    data, unseen = (_ready(energy, examples) for examples in (taught, held))
    log: list[dict[str, float]] = []
    with console.progress("groups", quiet=quiet) as tell:
        networks = [*energy.by_level.networks, *energy.by_unit.networks]
        for number, network in enumerate(networks):
            kind = number // config.networks
            rng = torch.Generator().manual_seed(int(_rng(seed, 2, number).integers(2**62)))
            for epoch in _epochs(network, data[kind], unseen[kind], config, rng):
                log.append({"network": number, "epoch": len(log) % config.epochs, **epoch})
                tell(len(log) / (len(networks) * config.epochs), f"loss {epoch['held_back']:.3f}")
    facts = {
        "worlds": len(worlds),
        "examples": len(taught.sizes),
        "log": log,
        "laws": [{"two": law.two, "three": law.three, "power": law.power} for law in laws],
        "reliability": reliability(energy, held),
    }
    return Fitted(energy.eval(), facts)


def reliability(energy: GroupEnergy, held: Examples, bins: int = 10) -> dict[str, list[list[float]]]:
    """Calibration on the worlds held out: the data of a reliability diagram for each question.

    Rows are (mean predicted probability, share of yes, share of the examples' weight), one per bin. Examples
    are weighted so that yes is as frequent as among random cliques of the same size.
    """
    scaled, plain, sizes = (torch.from_numpy(part) for part in held[:3])
    with torch.no_grad():
        chance = torch.sigmoid(-energy(scaled, plain, sizes)).numpy()
    found = {}
    for question, name in enumerate(("exact", "contained")):
        weight = _natural(held, question)
        place = np.minimum((chance[:, question] * bins).astype(int), bins - 1)
        rows = []
        for b in range(bins):
            mine = place == b
            if total := float(weight[mine].sum()):
                share = [
                    float(np.average(x[mine], weights=weight[mine]))
                    for x in (chance[:, question], held.answers[:, question])
                ]
                rows.append([*share, total / float(weight.sum())])
        found[name] = rows
    return found


class _Data(NamedTuple):
    """Examples as a network reads them."""

    x: Tensor  # (s, inputs)
    answers: Tensor  # (s, 2) float32
    weights: Tensor  # (s, 2) float32: yes and no have equal total weight within each size


def _new_energy(taught: Examples, rates: np.ndarray, config: GroupsConfig, seed: int) -> GroupEnergy:
    """An untrained group energy that holds the scale of the context and the frequency of groups by size."""
    sizes = np.unique(rates[:, 0])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(_rng(seed, 3).integers(2**62)))
        energy = GroupEnergy(taught.plain.shape[1], sizes.size, config)
    energy.mean.copy_(torch.from_numpy(taught.plain.mean(axis=0)))
    energy.spread.copy_(torch.from_numpy(taught.plain.std(axis=0).clip(min=0.05)))
    energy.sizes.copy_(torch.from_numpy(sizes.astype(np.int64)))
    for row, size in enumerate(sizes):
        energy.log_odds[row] = _log_odds(rates, size)
    return energy


def _renewed(before: GroupEnergy, rates: np.ndarray, config: GroupsConfig) -> GroupEnergy:
    """A copy of an energy; set sizes that are new to it get their log-odds from the new worlds."""
    known = dict(zip(before.sizes.tolist(), before.log_odds, strict=True))
    sizes = sorted({*known, *rates[:, 0].astype(int).tolist()})
    energy = GroupEnergy(before.mean.numel(), len(sizes), config)
    odds = [known[size] if size in known else _log_odds(rates, size) for size in sizes]
    energy.load_state_dict(
        before.state_dict() | {"sizes": torch.tensor(sizes), "log_odds": torch.stack(odds)}
    )
    return energy


def _log_odds(rates: np.ndarray, size: float) -> Tensor:
    """The log-odds of both answers among random cliques of one size, (2,) float32."""
    mine = rates[rates[:, 0] == size]
    share = np.average(mine[:, 2:], axis=0, weights=mine[:, 1]).clip(1e-6, 1 - 1e-6)
    return torch.from_numpy(np.log(share / (1 - share))).float()


def _ready(energy: GroupEnergy, examples: Examples) -> list[_Data]:
    """The examples as the inputs of each of the two ensembles."""
    scaled, plain, sizes = (torch.from_numpy(part) for part in examples[:3])
    weights = torch.from_numpy(np.column_stack([_balanced(examples, question) for question in (0, 1)]))
    answers = torch.from_numpy(examples.answers.astype(np.float32))
    return [_Data(x, answers, weights) for x in energy.inputs(scaled, plain, sizes)]


def _epochs(
    network: nn.Module, data: _Data, unseen: _Data, config: GroupsConfig, rng: torch.Generator
) -> Iterator[dict[str, float]]:
    """Train, yielding the losses of each epoch; at the end the network has the weights of its best epoch."""
    steps = max(len(data.x) // BATCH, 1)
    adam = torch.optim.AdamW(network.parameters(), lr=config.learning_rate, weight_decay=DECAY)
    rate = torch.optim.lr_scheduler.OneCycleLR(adam, config.learning_rate, total_steps=config.epochs * steps)
    with torch.no_grad():
        best, kept = float(_loss(network, unseen)), copy.deepcopy(network.state_dict())
    for _ in range(config.epochs):
        order, total = torch.randperm(len(data.x), generator=rng), 0.0
        for part in order[: steps * BATCH].chunk(steps):
            loss = _loss(network, _Data(*(column[part] for column in data)))
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
            rate.step()
            total += float(loss.detach())
        with torch.no_grad():
            held_back = float(_loss(network, unseen))
        if held_back < best:
            best, kept = held_back, copy.deepcopy(network.state_dict())
        yield {"loss": total / steps, "held_back": held_back}
    network.load_state_dict(kept)


def _loss(network: nn.Module, data: _Data) -> Tensor:
    return functional.binary_cross_entropy_with_logits(network(data.x), data.answers, data.weights)


def _balanced(examples: Examples, question: int) -> np.ndarray:
    """Weights of mean 1 that give yes and no the same total weight within each size, (s,) float32."""
    return _weighted(examples, question, dict.fromkeys(np.unique(examples.sizes).tolist(), 0.5))


def _natural(examples: Examples, question: int) -> np.ndarray:
    """Weights that give yes its share among random cliques of the same size, (s,) float32."""
    shares = {}
    for size in np.unique(examples.rates[:, 0]):
        mine = examples.rates[examples.rates[:, 0] == size]
        shares[int(size)] = float(np.average(mine[:, 2 + question], weights=mine[:, 1]))
    return _weighted(examples, question, shares)


def _weighted(examples: Examples, question: int, share_of_yes: dict[int, float]) -> np.ndarray:
    weights = np.zeros(examples.sizes.size, np.float32)
    yes = examples.answers[:, question]
    for size, share in share_of_yes.items():
        for answer, part in ((yes, share), (~yes, 1 - share)):
            mine = answer & (examples.sizes == size)
            weights[mine] = part / max(int(mine.sum()), 1)
    scaled: np.ndarray = weights / max(float(weights.mean()), 1e-12)
    return scaled.clip(max=HEAVIEST)


def _rng(seed: int, *words: int) -> np.random.Generator:
    """The random generator of one part of the work."""
    return np.random.default_rng([seed, 0x6702, *words])
