"""A run folder -> the model that was saved in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from mhmgnn.config import GroupsConfig, RunConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.models.checkpoint import SavedModel, load_model
from mhmgnn.models.graph_model import GraphModel
from mhmgnn.models.model import GROUPS, Model
from mhmgnn.nn.energy import KSetModel, new_network
from mhmgnn.nn.groups import GroupEnergy


def new_model(
    network: KSetModel,
    config: RunConfig,
    facts: dict[str, Any],
    graph: Graph | None,
    group_energy: GroupEnergy | None = None,
) -> Model:
    """A `Model` of this network, or a `GraphModel` where its motifs are whole graphs."""
    kind = GraphModel if config.model.reads_graphs else Model
    return kind(network, config, facts, graph, group_energy)


def load(path: str | os.PathLike[str]) -> Model:
    """A saved model, with its graph mapped into memory."""
    folder = Path(path)
    if (folder / "baseline").is_dir():
        raise DataError(
            f"{folder} holds a baseline, which has vectors and no energies; `embed` and `probe` take it"
        )
    saved = load_model(folder / "model")
    graph = Graph.load(folder / "graph") if (folder / "graph").is_dir() else None
    facts = saved.facts
    of_groups = {
        name.removeprefix(GROUPS): saved.state.pop(name)
        for name in list(saved.state)
        if name.startswith(GROUPS)
    }
    try:
        network = _network(saved, facts["in_features"], facts["edge_features"])
        group_energy = _group_energy(of_groups, saved.config.groups) if of_groups else None
    except (RuntimeError, TypeError, OverflowError, KeyError) as error:
        raise DataError(f"the weights in {folder / 'model'} do not fit its config: {error}") from None
    return new_model(network, saved.config, facts, graph, group_energy)


def _network(saved: SavedModel, in_features: int, edge_features: int) -> KSetModel:
    """The network with its saved weights; a config whose shapes differ from theirs is refused."""
    if saved.config.model.layers > len(saved.state):
        raise RuntimeError(f"{len(saved.state)} tensors for {saved.config.model.layers} layers")
    with torch.device("meta"):  # shapes without memory: a damaged config may ask for any size
        _check_shapes(new_network(saved.config, in_features, edge_features, seed=0), saved.state)
    network = new_network(saved.config, in_features, edge_features, seed=0)
    network.load_state_dict(saved.state)
    return network


def _group_energy(state: dict[str, Tensor], config: GroupsConfig) -> GroupEnergy:
    columns, classes = state["mean"].numel(), state["sizes"].numel()
    if config.networks > len(state):
        raise RuntimeError(f"{len(state)} tensors for {config.networks} networks of groups")
    with torch.device("meta"):
        _check_shapes(GroupEnergy(columns, classes, config), state)
    energy = GroupEnergy(columns, classes, config)
    energy.load_state_dict(state)
    return energy.eval()


def _check_shapes(made: nn.Module, state: dict[str, Tensor]) -> None:
    wanted = made.state_dict()
    for name in wanted.keys() & state.keys():
        if wanted[name].shape != state[name].shape:
            raise RuntimeError(f"{name} is of another shape")
