"""A trained run and further pairs -> the run on all of them, in a fraction of the time of a fresh fit."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.features import feature_table
from mhmgnn.graph.fingerprint import fingerprint
from mhmgnn.graph.join import Joined, join
from mhmgnn.io.atomic import remove_leftovers
from mhmgnn.models.checkpoint import run_lock
from mhmgnn.models.completion_tuning import tune
from mhmgnn.models.load import load, new_model
from mhmgnn.models.model import Model
from mhmgnn.models.run_folder import WORK, replace_run
from mhmgnn.nn.groups import GroupEnergy
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import ALONE
from mhmgnn.training.calibration import reliability
from mhmgnn.training.groups import Fitted, fit_groups, hold_out
from mhmgnn.training.renewal import renew
from mhmgnn.training.settle import settle
from mhmgnn.training.vector import fit_vector, renew_units
from mhmgnn.training.worlds.examples import Examples
from mhmgnn.training.worlds.store import WorldStore

STEPS = 0.1  # of the steps of the fit, where the network does worse on the grown graph
WORLDS, EPOCHS, RATE = 14, 4, 0.5  # planted in the grown graph; over them; of the learning rate of the fit
GROWN = 1.5  # times the pairs of the fit, from which on a fresh one is worth its time


class Update(NamedTuple):
    """What came of an update."""

    model: Model
    facts: dict[str, Any] | None  # what the pairs brought and what was trained; None where nothing was needed


def update(
    run: str | os.PathLike[str],
    pairs: Graph,
    *,
    features: Any = None,
    again: bool = False,
    quiet: bool = True,
) -> Update:
    """Add pairs to a trained run, with their counts and new nodes, and replace it in one step.

    Nodes are matched by name, by index where those of the run have none. If they have features, `features`,
    a path or a matrix as in `Graph.read`, has those of the new ones. Weights are trained a little further.
    The former run is kept as the folder `previous` in the run's own. Pairs that the last update added are
    not added twice, unless `again` says so.
    """
    folder, began = Path(run), time.monotonic()
    load(folder)  # before a lock is made where there is no run
    with run_lock(folder):
        remove_leftovers(Path(os.path.realpath(folder)))  # of an update that was killed after its swap
        before = load(folder)
        if before.graph is None or before.config.model.reads_graphs:
            raise DataError(f"{folder} holds a model of many graphs; pairs can be added to one graph alone")
        earlier, added = before.facts.get("updates", []), fingerprint(pairs)
        if earlier and earlier[-1]["added"] == added and not again:
            return _nothing(before, "the last update added these very pairs", quiet)
        joined = join(before.graph, pairs, None if features is None else feature_table(features))
        if not joined.changes:
            return _nothing(before, "all of these pairs are known, and the run counts none", quiet)
        model, trained = _trained(folder / WORK, before, joined, len(earlier), quiet)
        facts = {
            "added": added,
            "nodes": joined.nodes,
            "pairs": joined.pairs,
            "again": joined.again,
            "edges_before": before.graph.num_edges,
            **trained,
            "seconds": time.monotonic() - began,
        }
        model.facts["updates"] = [*earlier, facts]
        replace_run(folder, model)
        if not quiet:
            _tell(model, facts)
        return Update(model, facts)


def _trained(
    work: Path, before: Model, joined: Joined, number: int, quiet: bool
) -> tuple[Model, dict[str, Any]]:
    """The model on the joined graph, and what was trained for it."""
    seed = int(np.random.SeedSequence([before.facts["seed"], 0x0DA7E, number]).generate_state(1)[0])
    settled = settle([joined.graph], before.config, seed)
    settled.network.load_state_dict(before.network.state_dict())
    steps = round(STEPS * (before.facts.get("steps") or 0))
    renewed = renew(settled.network, settled.sampler, steps=steps, before=before.facts.get("loss"))
    data = fingerprint(joined.graph)
    store = WorldStore(work, json.dumps([data, seed, asdict(before.config.groups)]))
    groups = _groups(before, joined.graph, seed, store, quiet)
    facts = before.facts | {"data": data, "groups": None if groups is None else groups.facts}
    facts |= {"completion": tune(joined.graph)._asdict()}
    energy = None if groups is None else groups.energy
    model = new_model(settled.network, before.config, facts, joined.graph, energy)
    same = not renewed.steps and _same_weights(before.group_energy, energy)
    model.vector = renew_units(model, before.vector) if same else fit_vector(model, before.facts["seed"])
    return model, renewed._asdict()


def _groups(before: Model, graph: Graph, seed: int, store: WorldStore, quiet: bool) -> Fitted | None:
    """The group energy, trained a little further in worlds of the joined graph; fresh if it had none."""
    config = before.config.groups
    if not config.worlds:
        return None
    if before.group_energy is None:
        return fit_groups(graph, config, seed, crew=ALONE, store=store, quiet=quiet)
    worlds = min(WORLDS, config.worlds)
    short = replace(
        config,
        worlds=worlds,
        epochs=min(EPOCHS, config.epochs),
        learning_rate=RATE * config.learning_rate,
    )
    known = Fitted(before.group_energy, before.facts["groups"])
    found = fit_groups(graph, short, seed, crew=ALONE, store=store, quiet=quiet, before=known)
    if found is None:
        return None
    energy = _halfway(known.energy, found.energy)
    held, _ = hold_out([part for i in range(worlds) if (part := store.find(i)) is not None], short.unseen)
    measured = {"laws": known.facts["laws"], "reliability": reliability(energy, Examples.join(held))}
    return Fitted(energy, found.facts | measured)


def _halfway(before: GroupEnergy, after: GroupEnergy) -> GroupEnergy:
    """`after` with weights in the middle between both.

    Few worlds tell little: what training finds in them differs from seed to seed as much as fresh fits do,
    and now and then is far off. The middle differs less.
    """
    others = dict(before.named_parameters())
    with torch.no_grad():
        for name, value in after.named_parameters():
            value.lerp_(others[name], 0.5)
    return after


def _same_weights(one: GroupEnergy | None, other: GroupEnergy | None) -> bool:
    if one is None or other is None:
        return one is other
    others = dict(other.named_parameters())
    return all(torch.equal(value, others[name]) for name, value in one.named_parameters())


def _nothing(model: Model, why: str, quiet: bool) -> Update:
    if not quiet:
        console.say(f"nothing is needed: {why}")
    return Update(model, None)


def _tell(model: Model, facts: dict[str, Any]) -> None:
    """Say what was done, and when a fresh fit would be worth its time."""
    assert model.graph is not None, "a run of one graph"
    counted = "counted again" if model.graph.weights is not None else "known already"
    console.say(
        f"{facts['nodes']:,} new nodes, {facts['pairs']:,} new pairs, {facts['again']:,} {counted}; "
        f"now {model.graph.num_nodes:,} nodes and {model.graph.num_edges:,} pairs"
    )
    steps = f"{facts['steps']} further steps" if facts["steps"] else "its weights stay"
    console.say(f"loss {facts['loss']:.3f} on the grown graph: {steps}")
    grown = model.graph.num_edges / model.facts["updates"][0]["edges_before"]
    if grown >= GROWN:
        console.say(f"there are {grown:.1f} times the pairs of the fit; a fresh one may do better")
