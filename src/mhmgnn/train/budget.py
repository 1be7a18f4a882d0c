"""How many tours, from how large a supernode: grown once, until a training graph's energy is known well."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from mhmgnn.config import SetsConfig
from mhmgnn.errors import TourError
from mhmgnn.graph import Graph
from mhmgnn.motifs.batch import batch, edge_attributes
from mhmgnn.subgraphs.subgraph import Subgraph
from mhmgnn.tours.exact import edge_codes
from mhmgnn.train.batches import Sampler

TRIED = 4  # training graphs that the choice looks at
REPEATS = 8  # samples of each, whose spread is the standard error
SMALLEST = SetsConfig(tours=20, supernode=100)
LARGEST_SUPERNODE = 100_000

Energy = Callable[[Subgraph, np.ndarray], np.ndarray]  # k-sets of a training graph -> phi of each


def choose_budget(sampler: Sampler, energy: Energy) -> SetsConfig:
    """The settings with tours and supernode filled in.

    Both double until the relative standard error of a training graph's energy, under the untrained model, is
    below `error`. Where every training graph is enumerated, the smallest do.
    """
    sets = sampler.config.sets
    if sampler.config.model.encoder == "whole":
        return _filled(sets, SMALLEST)
    graphs = sampler.training_graphs(np.arange(TRIED))
    tried = SMALLEST
    while True:
        filled = _filled(sets, tried)
        try:
            errors = [_relative_error(sampler, graph, filled, energy) for graph in graphs]
            good = float(np.mean(errors)) <= sets.error
        except TourError:
            good = False
        assert tried.tours, "the smallest budget names its tours"
        assert tried.supernode, "the smallest budget names its supernode"
        if good or filled == _filled(
            sets, replace(tried, tours=2 * tried.tours, supernode=2 * tried.supernode)
        ):
            return filled
        if tried.supernode >= LARGEST_SUPERNODE:
            return filled
        tried = replace(tried, tours=2 * tried.tours, supernode=2 * tried.supernode)


def _filled(sets: SetsConfig, chosen: SetsConfig) -> SetsConfig:
    """The settings as given, with what was left open taken from `chosen`."""
    return replace(
        sets,
        tours=chosen.tours if sets.tours is None else sets.tours,
        supernode=chosen.supernode if sets.supernode is None else sets.supernode,
    )


def _relative_error(sampler: Sampler, graph: Subgraph, sets: SetsConfig, energy: Energy) -> float:
    """Spread of the energy over independent samples, against the sum of its parts without their signs."""
    totals, sizes = [], []
    for repeat in range(REPEATS):
        sample = sampler.sample(graph, sets, 2**40 + repeat).sample
        if not sample.weights.size:
            return 0.0
        phi = energy(graph, sample.ksets)
        totals.append(sample.weights @ phi)
        sizes.append(sample.weights @ np.abs(phi))
    return float(np.std(totals, ddof=1) / max(np.mean(sizes), 1e-12))


def energy_of(model: torch.nn.Module, sampler: Sampler) -> Energy:
    """The energy function of a model on k-sets of one training graph."""

    def phi(graph: Subgraph, ksets: np.ndarray) -> np.ndarray:
        nodes = graph.nodes[ksets]
        whole = sampler.graphs[0] if len(sampler.graphs) == 1 else Graph(graph.indptr, graph.indices)
        attr = edge_attributes(whole, nodes) if len(sampler.graphs) == 1 else None
        motifs = batch(sampler.features, nodes, edge_codes(graph.rows, ksets), edge_attr=attr)
        with torch.no_grad():
            return np.asarray(model(motifs).double().cpu().numpy())

    return phi
