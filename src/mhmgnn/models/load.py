"""A run folder -> the model that was saved in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from mhmgnn.config import PAPER_VECTOR, GroupsConfig, RunConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.models.checkpoint import SavedModel, load_model
from mhmgnn.models.graph_model import GraphModel
from mhmgnn.models.model import Model
from mhmgnn.models.save import GRAPHS, GROUPS, VECTOR
from mhmgnn.models.surroundings import Surroundings
from mhmgnn.models.vector import OTHERS
from mhmgnn.nn.energy import KSetModel, new_network
from mhmgnn.nn.graph_vector import GraphVectorMap
from mhmgnn.nn.groups import GroupEnergy
from mhmgnn.nn.node_kernel import NodeKernel
from mhmgnn.nn.vector import VectorMap

Network = TypeVar("Network", bound=nn.Module)


def new_model(
    network: KSetModel,
    config: RunConfig,
    facts: dict[str, Any],
    graph: Graph | None,
    group_energy: GroupEnergy | None = None,
    vector: VectorMap | None = None,
    graph_vector: GraphVectorMap | None = None,
) -> Model:
    """A `Model` of this network, or a `GraphModel` where its motifs are whole graphs."""
    kind = GraphModel if config.model.reads_graphs else Model
    return kind(network, config, facts, graph, group_energy, vector, graph_vector)


def load(path: str | os.PathLike[str]) -> Model:
    """A saved model, with its graph mapped into memory."""
    folder = Path(path)
    if (folder / "baseline").is_dir():
        raise DataError(
            f"{folder} holds a baseline, which has vectors and no energies; `embed` and `probe` take it"
        )
    saved = load_model(folder / "model")
    graph = Graph.load(folder / "graph") if (folder / "graph").is_dir() else None
    facts, config = saved.facts, saved.config
    of_groups, of_vector, of_graphs = (_taken(saved.state, prefix) for prefix in (GROUPS, VECTOR, GRAPHS))
    if not of_vector and not of_graphs:  # of an earlier version, or as in the paper
        config = replace(config, vector=PAPER_VECTOR)
    try:
        network = _network(saved, facts["in_features"], facts["edge_features"])
        group_energy = _group_energy(of_groups, config.groups) if of_groups else None
        parts = (*config.subgraphs.kinds, *OTHERS)
        vector = _vector(of_vector, parts) if of_vector else None
        graph_vector = _graph_vector(of_graphs) if of_graphs else None
    except (RuntimeError, TypeError, OverflowError, KeyError) as error:
        raise DataError(f"the weights in {folder / 'model'} do not fit its config: {error}") from None
    model = new_model(network, config, facts, graph, group_energy, vector, graph_vector)
    if graph is not None and group_energy is not None:
        model.around = Surroundings.kept_in(folder, graph, facts["data"])
    return model


def _taken(state: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names begin so, without it, taken out of the state."""
    return {name.removeprefix(prefix): state.pop(name) for name in list(state) if name.startswith(prefix)}


def _network(saved: SavedModel, in_features: int, edge_features: int) -> KSetModel:
    if saved.config.model.layers > len(saved.state):
        raise RuntimeError(f"{len(saved.state)} tensors for {saved.config.model.layers} layers")
    sizes = saved.config.model.dim, in_features, edge_features
    return _with_weights(
        lambda: new_network(saved.config, in_features, edge_features, seed=0), sizes, saved.state
    )


def _group_energy(state: dict[str, Tensor], config: GroupsConfig) -> GroupEnergy:
    columns, classes = state["mean"].numel(), state["sizes"].numel()
    if config.networks > len(state):
        raise RuntimeError(f"{len(state)} tensors for {config.networks} networks of groups")
    return _with_weights(lambda: GroupEnergy(columns, classes, config), (config.dim,), state).eval()


def _with_weights(build: Callable[[], Network], sizes: Iterable[int], state: dict[str, Tensor]) -> Network:
    """The network with its saved weights; settings that ask for other shapes than theirs are refused.

    A network whose `sizes` are all lengths of saved tensors takes about as much memory as these. Otherwise
    shapes are compared without memory first, as damaged settings may ask for any size; this is rare, and slow
    to import.
    """
    lengths = {0, *(length for tensor in state.values() for length in tensor.shape)}
    if not lengths.issuperset(sizes):
        with torch.device("meta"):
            _check_shapes(build(), state)
    network = build()
    _check_shapes(network, state)
    network.load_state_dict(state)
    return network


def _vector(state: dict[str, Tensor], names: Sequence[str]) -> VectorMap:
    """The map of the parts, whose columns the tensors tell, in the order of `names`."""
    found = {name: state[key].shape for name in names if (key := f"maps.{name}.weight") in state}
    _check_matrices(*found.values(), state["projection"].shape)
    features, directions = state["projection"].shape
    dim = max((size for _, size in found.values()), default=0)
    vector = VectorMap({name: raw for name, (raw, _) in found.items()}, dim, (features, directions))
    vector.load_state_dict(state)
    return vector.eval()


def _graph_vector(state: dict[str, Tensor]) -> GraphVectorMap:
    """The map of whole graphs, with the sizes of its tensors."""
    axes, of_landmarks, projection = (state[name].shape for name in ("axes", "by_landmark", "projection"))
    _check_matrices(axes, of_landmarks, projection)
    drawn = state["kernel.frequencies"].shape
    if len(drawn) != 3:
        raise RuntimeError("the frequencies of nodes have no hops, columns and features")
    features, directions = projection
    vector = GraphVectorMap(
        *axes, *of_landmarks, projection=(features, directions), kernel=NodeKernel(*drawn)
    )
    vector.load_state_dict(state)
    return vector.eval()


def _check_matrices(*shapes: Sequence[int]) -> None:
    if any(len(shape) != 2 for shape in shapes):
        raise RuntimeError("a map of vectors is no matrix")


def _check_shapes(made: nn.Module, state: dict[str, Tensor]) -> None:
    wanted = made.state_dict()
    for name in wanted.keys() & state.keys():
        if wanted[name].shape != state[name].shape:
            raise RuntimeError(f"{name} is of another shape")
