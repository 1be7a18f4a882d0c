"""A graph -> its group energy, learned without labels from planted worlds."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, count
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
from mhmgnn.training.calibration import classes, reliability, settle_odds
from mhmgnn.training.worlds.examples import Examples, draw_examples
from mhmgnn.training.worlds.families import families, family_of
from mhmgnn.training.worlds.sizes import SizeLaw, infer_sizes, recall_sizes
from mhmgnn.training.worlds.store import WorldStore
from mhmgnn.training.worlds.world import Ground, null_world, plant_world

GLOBAL_STATE = threading.Lock()  # torch draws first weights from a generator that all threads share
TRIANGLES = 100  # a graph with fewer has no groups to learn
BATCH = 512  # examples per step
DECAY = 2e-2
LONGER = 1, 2  # times `config.epochs` that `by_level` and `by_unit` are trained: fewer inputs overfit later
HEAVIEST = 20.0  # weight of an example, at most
LOOSE = (0.05, 0.25)  # weight of sets that are no cliques, for each size: of "exact", of "contained"


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
            console.say(
                f"fewer than {TRIANGLES} triangles: too few to learn groups from; sets of k nodes are learned"
            )
        return None
    rng = _rng(seed, 0)
    part = excerpt(graph, config.edges, rng)
    laws = (
        infer_sizes(part, config, rng)
        if before is None
        else recall_sizes(part, before.facts["laws"], config, rng)
    )
    every = families(part, laws)
    all_of_it = Ground.of(graph) if graph.num_edges <= config.edges else None

    def one(number: int) -> Examples:
        if (kept := store.find(number)) is not None:
            return kept
        rng = _rng(seed, 1, number)
        ground = all_of_it or Ground.of(excerpt(graph, config.edges, rng))
        if number < config.worlds * (1 - config.null):
            world = plant_world(ground, laws, family_of(number, every), config, rng)
        else:
            world = null_world(ground, rng, thinned=number % 2 > 0)
        examples = draw_examples(world, config.examples, rng)
        store.keep(number, examples)
        return examples

    with console.progress("worlds", quiet=quiet) as tell:
        found = {}
        mine = range(crew.rank, config.worlds, crew.world) or range(1)  # where processes are more than worlds
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
    """Train the networks on all worlds except those held out, which choose the best epoch of each network.

    Networks are trained side by side, a thread each: their steps are too small to be divided.
    """
    held, taught = hold_out(worlds, config.unseen)
    every = Examples.join(worlds)
    energy = _new_energy(every, config, seed) if before is None else _renewed(before.energy, every, config)
    data, unseen = (_ready(energy, part) for part in (taught, held))
    networks = [*energy.by_level.networks, *energy.by_unit.networks]
    total, done = sum(LONGER) * config.networks * config.epochs, count(1)

    def teach(number: int) -> list[dict[str, float]]:
        kind = number // config.networks
        mine = replace(config, epochs=LONGER[kind] * config.epochs)
        rng = torch.Generator().manual_seed(int(_rng(seed, 2, number).integers(2**62)))
        log = []
        for epoch, losses in enumerate(_epochs(networks[number], data[kind], unseen[kind], mine, rng)):
            log.append({"network": number, "epoch": epoch, **losses})
            tell(next(done) / total, f"loss {losses['held_back']:.3f}")
        return log

    with console.progress("groups", quiet=quiet) as tell, threads.torch_alone():
        logs = list(threads.side_by_side(teach, range(len(networks)), threads.available()))
    settle_odds(energy, Examples.join(taught))
    if before is not None:
        _keep_odds(energy, before.energy)
    facts = {
        "worlds": len(worlds),
        "examples": len(data[0].x),
        "log": list(chain.from_iterable(logs)),
        "laws": [{"two": law.two, "three": law.three, "power": law.power} for law in laws],
        "reliability": reliability(energy, Examples.join(held)),
    }
    return Fitted(energy.eval(), facts)


def hold_out(worlds: list[Examples], unseen: int) -> tuple[list[Examples], list[Examples]]:
    """Worlds to be held out, and the others.

    Those held out are spread evenly, so that families and null worlds have about the part that they have in
    all: the first ones alone would be without null worlds, and probabilities would seem not to hold.
    """
    out = {int((place + 0.5) * len(worlds) / unseen) for place in range(unseen)}
    numbered = list(enumerate(worlds))
    return [world for i, world in numbered if i in out], [world for i, world in numbered if i not in out]


class _Data(NamedTuple):
    """Examples as a network reads them."""

    x: Tensor  # (s, inputs)
    answers: Tensor  # (s, 2) float32
    weights: Tensor  # (s, 2) float32: yes and no equally heavy for each size and kind


def _new_energy(taught: Examples, config: GroupsConfig, seed: int) -> GroupEnergy:
    """A group energy with first weights."""
    sizes = np.unique(taught.sizes)
    with GLOBAL_STATE, torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(_rng(seed, 3).integers(2**62)))
        energy = GroupEnergy(taught.plain.shape[1], sizes.size, config)
    energy.mean.copy_(torch.from_numpy(taught.plain.mean(axis=0)))
    energy.spread.copy_(torch.from_numpy(taught.plain.std(axis=0).clip(min=0.05)))
    energy.sizes.copy_(torch.from_numpy(sizes))
    return energy


def _renewed(before: GroupEnergy, taught: Examples, config: GroupsConfig) -> GroupEnergy:
    """A copy of an energy that has room for the set sizes of the new worlds too."""
    sizes = torch.from_numpy(np.union1d(before.sizes.numpy(), taught.sizes))
    energy = GroupEnergy(before.mean.numel(), sizes.numel(), config)
    energy.load_state_dict(before.state_dict() | {"sizes": sizes, "log_odds": energy.log_odds})
    return energy


def _keep_odds(energy: GroupEnergy, before: GroupEnergy) -> None:
    """Give the set sizes that were known before their odds of then, which many more worlds had told."""
    energy.log_odds[torch.searchsorted(energy.sizes, before.sizes)] = before.log_odds


def _ready(energy: GroupEnergy, worlds: list[Examples]) -> list[_Data]:
    """The examples as each of the two networks reads them."""
    examples = Examples.join(worlds)
    given = (torch.from_numpy(part) for part in examples[:4])
    weights = torch.from_numpy(np.column_stack([_balanced(worlds, question) for question in (0, 1)]))
    answers = torch.from_numpy(examples.answers.astype(np.float32))
    return [_Data(x, answers, weights) for x in energy.inputs(*given)]


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


def _balanced(worlds: list[Examples], question: int) -> np.ndarray:
    """Weights of all examples, of mean 1, (s,) float32: yes and no equally heavy for each size and kind.

    Every world has the part of yes and of no that its lesson says, whatever their shares in it: otherwise
    networks would learn which worlds have many groups, and not which sets are groups. Sets that are no
    cliques count less, by `LOOSE`.
    """
    weights = np.concatenate([_even(world, question) for world in worlds])
    examples = Examples.join(worlds)
    for (_, kind), mine in classes(examples):
        for answer in (True, False):
            part = mine & (examples.answers[:, question] == answer)
            weights[part] *= (LOOSE[question] if kind else 1.0) / max(weights[part].sum(), 1e-300)
    scaled: np.ndarray = (weights / weights.mean()).astype(np.float32)
    return scaled.clip(max=HEAVIEST)


def _even(world: Examples, question: int) -> np.ndarray:
    """Weights of the examples of a world whose sum is its lesson for each size, kind and answer, (s,)."""
    weights = world.lessons[:, question].copy()
    for _, mine in classes(world):
        for answer in (True, False):
            part = mine & (world.answers[:, question] == answer)
            weights[part] /= max(int(part.sum()), 1)
    return weights


def _rng(seed: int, *words: int) -> np.random.Generator:
    """The random generator of one part of the work."""
    return np.random.default_rng([seed, 0x6702, *words])
