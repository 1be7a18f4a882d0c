"""Saved models back from their folders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from mhmgnn.config import RunConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.models.checkpoint import load_model
from mhmgnn.models.graph_model import GraphModel
from mhmgnn.models.model import Model
from mhmgnn.nn.energy import KSetModel, new_network


def new_model(network: KSetModel, config: RunConfig, facts: dict[str, Any], graph: Graph | None) -> Model:
    """The model of this network: of k-sets, or of whole graphs."""
    kind = GraphModel if config.model.reads_graphs else Model
    return kind(network, config, facts, graph)


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
    sizes = (facts["in_features"], facts["edge_features"])
    try:
        if saved.config.model.layers > len(saved.state):
            raise RuntimeError(f"{len(saved.state)} tensors for {saved.config.model.layers} layers")
        with torch.device("meta"):  # shapes without memory, for the config may ask for any
            wanted = new_network(saved.config, *sizes, seed=0).state_dict()
        for name in wanted.keys() & saved.state.keys():
            if wanted[name].shape != saved.state[name].shape:
                raise RuntimeError(f"{name} is of another shape")
        network = new_network(saved.config, *sizes, seed=0)
        network.load_state_dict(saved.state)
    except (RuntimeError, TypeError, OverflowError) as error:
        raise DataError(f"the weights in {folder / 'model'} do not fit its config: {error}") from None
    return new_model(network, saved.config, facts, graph)
