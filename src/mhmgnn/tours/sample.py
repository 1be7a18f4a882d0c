"""The connected k-sets of a small graph, weighted: all of them where they are few, else those of tours."""

from typing import NamedTuple

import numpy as np

from mhmgnn.config import SetsConfig
from mhmgnn.graph import Graph
from mhmgnn.tours import _ksets
from mhmgnn.tours.estimate import estimate_sum
from mhmgnn.tours.exact import count_roots, list_sets
from mhmgnn.tours.walk import TourSample, run_tours, start_walk

COUNT_LIMIT = 10**8  # k-sets that are counted one by one for the mean; an estimate serves beyond


class Sampled(NamedTuple):
    """Weighted k-sets of a graph, and how many connected k-sets it has."""

    sample: TourSample
    size: float  # exact, or estimated from other tours than those of the sample


def sample_sets(graph: Graph, k: int, config: SetsConfig, rng: np.random.Generator) -> Sampled:
    """Weighted connected k-sets of a graph, if it has any; on one thread, as graphs run side by side."""
    component = _ksets.components(_ksets.Rows(*graph.rows))
    if np.bincount(component).max() < k:
        return Sampled(TourSample(np.empty((0, k), np.int64), np.empty(0)), 0.0)
    roots = count_roots(graph, k, limit=COUNT_LIMIT, threads=1)
    if roots is not None and roots.counts.sum() <= config.exact:
        ksets = list_sets(roots, k, 0, roots.counts.size, threads=1)
        return Sampled(TourSample(ksets, np.ones(len(ksets))), float(len(ksets)))
    for_walk, for_count = rng.spawn(2)
    assert config.tours, "budgets are chosen before sampling"
    assert config.supernode, "budgets are chosen before sampling"
    walk = start_walk(graph, component, k, pairs=k > 2, supernode=config.supernode, rng=for_walk)
    sample = run_tours(walk, config.tours, max_steps=config.max_steps, threads=1)
    if roots is not None:
        return Sampled(sample, float(roots.counts.sum()))
    seed = int(for_count.integers(2**63))
    counted = estimate_sum(graph, k, method="pair-walk", seed=seed, max_steps=config.max_steps, threads=1)
    return Sampled(sample, float(counted.value))
