"""Decide the settings that were left open, once, and build what a run needs."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from mhmgnn.config import RunConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.energy import KSetModel, new_network
from mhmgnn.nn.motifs.batch import MOST_SLOTS
from mhmgnn.nn.motifs.features import decided
from mhmgnn.subgraphs.exact import check_some_fit
from mhmgnn.training.batches import Sampler, sampler_on
from mhmgnn.training.budget import choose_budget, energy_of
from mhmgnn.training.needs import check_features, check_sets
from mhmgnn.training.noise.noise import noise_kinds
from mhmgnn.training.source import Source


class Settled(NamedTuple):
    """A run that is ready to start; its settings are decided and do not change any more."""

    config: RunConfig
    network: KSetModel  # untrained
    sampler: Sampler
    in_features: int  # input features of a node, with degree bins
    edge_features: int


def settle(graphs: list[Graph], config: RunConfig, seed: int) -> Settled:
    """Check the graphs, decide what the settings leave open, and build the network and the sampler."""
    check_graphs(graphs, config)
    kinds = tuple(noise.name for noise in noise_kinds(graphs, config))
    config = replace(
        config, model=decided(config.model, graphs), subgraphs=config.subgraphs.with_kinds(kinds)
    )
    check_features(graphs, config.model)
    source = Source(graphs, config, seed)
    in_features = int(source.features.shape[1])
    edge_attr = graphs[0].edge_attr
    edge_features = 0 if edge_attr is None else edge_attr.shape[1]
    if not config.model.reads_graphs:
        check_sets(source, config)
    network = new_network(config, in_features, edge_features, seed)
    if not config.model.reads_graphs:
        config = replace(config, sets=choose_budget(source, config.sets, energy_of(network, source)))
    return Settled(config, network, sampler_on(source, config), in_features, edge_features)


def check_graphs(graphs: list[Graph], config: RunConfig) -> None:
    """Refuse graphs that a model with these settings cannot be trained on."""
    if not graphs:
        raise DataError("there is no graph to train on")
    if len({(graph.x is None, graph.edge_attr is None) for graph in graphs}) > 1:
        raise DataError(
            "some graphs have node features or edge attributes and others do not; all or none must"
        )
    if not config.model.reads_graphs:
        check_some_fit(graphs, config.train.k)
        if config.train.k > MOST_SLOTS:
            raise DataError(f"k is {config.train.k}; a model takes sets of up to {MOST_SLOTS} nodes")
