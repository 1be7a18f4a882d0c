"""Choose the number of tours and the size of the supernode: doubled until energies are precise enough."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from mhmgnn.config import SetsConfig
from mhmgnn.errors import TourError
from mhmgnn.training.noise.noise import TrainingGraph
from mhmgnn.training.source import Source

TRIED = 4  # training graphs on which the error is measured
REPEATS = 8  # samples of each graph; their standard deviation is the standard error
SMALLEST = 20, 100  # tours and k-sets in the supernode to begin with
LARGEST_SUPERNODE = 100_000

Energy = Callable[[TrainingGraph, np.ndarray], np.ndarray]  # k-sets of a training graph -> phi of each


def choose_budget(source: Source, sets: SetsConfig, energy: Energy) -> SetsConfig:
    """The settings with tours and supernode filled in.

    Both double until the relative standard error of a training graph's energy, under the untrained model, is
    below `sets.error`. If every training graph is enumerated, there is no error and the smallest are taken.
    """
    graphs = source.draw(np.arange(TRIED))
    tours, supernode = SMALLEST
    while True:
        chosen = _filled(sets, tours, supernode)
        if _is_known_well(source, graphs, chosen, energy) or supernode >= LARGEST_SUPERNODE:
            return chosen
        if chosen.tours == sets.tours and chosen.supernode == sets.supernode:
            return chosen  # both were given: nothing to choose
        tours, supernode = 2 * tours, 2 * supernode


def _is_known_well(source: Source, graphs: list[TrainingGraph], sets: SetsConfig, energy: Energy) -> bool:
    try:
        errors = [_relative_error(source, graph, sets, energy) for graph in graphs]
    except TourError:
        return False
    return float(np.mean(errors)) <= sets.error


def _filled(sets: SetsConfig, tours: int, supernode: int) -> SetsConfig:
    """The settings as given, with these values where they were left open."""
    tours = tours if sets.tours is None else sets.tours
    return replace(sets, tours=tours, supernode=supernode if sets.supernode is None else sets.supernode)


def _relative_error(source: Source, graph: TrainingGraph, sets: SetsConfig, energy: Energy) -> float:
    """Standard deviation of the energy over independent samples, over the sum of its absolute terms."""
    totals, sizes = [], []
    for repeat in range(REPEATS):
        sample = source.sample(graph, sets, 2**40 + repeat).sample
        if not sample.weights.size:
            return 0.0
        phi = energy(graph, sample.ksets)
        totals.append(sample.weights @ phi)
        sizes.append(sample.weights @ np.abs(phi))
    return float(np.std(totals, ddof=1) / max(np.mean(sizes), 1e-12))


def energy_of(network: torch.nn.Module, source: Source) -> Energy:
    """The energy function of a network on k-sets of one training graph."""

    def phi(graph: TrainingGraph, ksets: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.asarray(network(source.motifs(graph, ksets)).double().cpu().numpy())

    return phi
