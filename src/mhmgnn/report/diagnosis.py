"""A run's training graphs -> how their k-sets were found: enumerated, or by tours with their errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mhmgnn.config import SetsConfig
from mhmgnn.errors import TourError
from mhmgnn.graph import Graph
from mhmgnn.models.model import Model
from mhmgnn.report.energies import LISTED
from mhmgnn.subgraphs.estimate import estimate_sum
from mhmgnn.subgraphs.exact import check_k
from mhmgnn.subgraphs.result import Estimate, Moments
from mhmgnn.subgraphs.shapes import LARGEST_K
from mhmgnn.subgraphs.walk import Runner, Walk, start_walk, supernode_sets
from mhmgnn.training.budget import Energy, energy_of
from mhmgnn.training.noise.noise import TrainingGraph
from mhmgnn.training.source import Source

LOOKED_AT = 25  # training graphs whose k-sets are counted
TOURED = 4  # of them whose tours are walked again
MAX_STEPS = 10**8  # of tours that count the k-sets of the whole graph


class TourInfo(NamedTuple):
    """What the tours of one training graph were like."""

    ksets: float  # connected k-sets of the graph, as the tours estimate them
    supernode: int  # sets in it
    share: float  # of the k-sets that lie in the supernode and need no tour
    lengths: np.ndarray  # (tours,) int64, steps until each returned; empty where the supernode has no exits
    relative_error: float  # standard error of the graph's energy over its k-sets' summed |energy|


class Diagnosis(NamedTuple):
    """How the k-sets of training graphs were found."""

    sizes: np.ndarray  # (g,) connected k-sets of each training graph looked at
    enumerated: int  # of them
    tours: tuple[TourInfo, ...]  # of a few that were not


def diagnose(model: Model, graph: Graph) -> Diagnosis:
    """Look at the first training graphs of the run again, with the same tours."""
    source = Source([graph], model.config, int(model.facts["seed"]))
    energy, sets = energy_of(model.network, source), model.config.sets
    graphs = source.draw(np.arange(min(model.config.train.batch, LOOKED_AT)))
    sizes: list[float] = []
    tours: list[TourInfo] = []
    for number, one in enumerate(graphs):
        sizes.append(source.sample(one, sets, number, 0).size)
        if sizes[-1] > sets.exact and len(tours) < TOURED:
            tours.append(_walk_again(source, sets, one, number, energy))
    return Diagnosis(np.array(sizes), sum(size <= sets.exact for size in sizes), tuple(tours))


def count_sets(graph: Graph, k: int, seed: int) -> Estimate | None:
    """How many connected k-sets the whole graph has, by shape up to k = 6; None where tours do not end."""
    try:
        return estimate_sum(
            graph, k, "shape" if k <= LARGEST_K else None, seed=seed, limit=LISTED, max_steps=MAX_STEPS
        )
    except TourError:
        return None


def _walk_again(
    source: Source, sets: SetsConfig, one: TrainingGraph, number: int, energy: Energy
) -> TourInfo:
    """The tours that training took on its graph `number`; see `sample_sets`."""
    assert sets.tours, "a trained model has its budgets"
    assert sets.supernode, "a trained model has its budgets"
    plain, k = Graph(*one.subgraph.rows), source.k
    for_walk, _ = np.random.default_rng([*source.tour_entropy, number, 0]).spawn(2)
    walk = start_walk(plain, check_k(plain, k), k, pairs=k > 2, supernode=sets.supernode, rng=for_walk)
    return tour_info(walk, sets.tours, sets.max_steps, lambda ksets: energy(one, ksets))


def tour_info(walk: Walk, tours: int, max_steps: int, energy: Callable[[np.ndarray], np.ndarray]) -> TourInfo:
    """What so many tours of a walk were like, and how well they know the sum of `energy`."""

    def columns(ksets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        phi = weights * energy(ksets)
        return np.column_stack([weights, phi, np.abs(phi)])  # (c, 3): k-sets, energy, |energy|

    inside = np.zeros(3)
    for ksets, weights in supernode_sets(walk):
        inside += columns(ksets, weights).sum(axis=0)
    lengths, totals = np.zeros(tours, np.int64), np.zeros((tours, 3))
    if not walk.supernode.exits:
        return TourInfo(float(inside[0]), walk.supernode.size, 1.0, lengths[:0], 0.0)
    for steps in Runner(walk, max_steps).steps(tours):
        lengths += np.bincount(steps.tour, minlength=tours)
        np.add.at(totals, steps.tour, columns(steps.ksets, steps.weights))
    found, _, size = (inside + totals.mean(axis=0)).tolist()
    error = float(Moments.of(totals[:, 1:2]).stderr[0])
    return TourInfo(found, walk.supernode.size, float(inside[0]) / found, lengths, error / max(size, 1e-12))
