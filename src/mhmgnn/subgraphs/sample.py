"""The connected k-sets of a small graph, weighted: all of them where they are few, else those of tours."""

from typing import NamedTuple

import numpy as np

from mhmgnn.config import SetsConfig
from mhmgnn.graph import Graph
from mhmgnn.subgraphs import _ksets
from mhmgnn.subgraphs.estimate import estimate_sum
from mhmgnn.subgraphs.exact import count_roots, list_sets
from mhmgnn.subgraphs.walk import TourSample, run_tours, start_walk

COUNT_LIMIT = 10**8  # k-sets that are counted one by one for the mean; beyond, their number is estimated


class Sampled(NamedTuple):
    """Weighted k-sets of a graph, and how many connected k-sets it has."""

    sample: TourSample
    size: float  # exact, or estimated from other tours than those of the sample


def sample_sets(graph: Graph, k: int, config: SetsConfig, rng: np.random.Generator) -> Sampled:
    """Weighted connected k-sets of a graph, if it has any; on one thread, as graphs run side by side."""
    for_walk, for_count, for_share = rng.spawn(3)
    found = _listed_or_toured(graph, k, config, for_walk, for_count)
    if not config.most or len(found.sample.ksets) <= config.most:
        return found
    return found._replace(sample=fair_share(found.sample, config.most, for_share))


def fair_share(sample: TourSample, most: int, rng: np.random.Generator) -> TourSample:
    """At most `most` of the k-sets, by systematic sampling on their weights; weighted sums stay unbiased.

    A k-set of weight w is drawn `most` w / W times on average, W being the sum of all weights, and weighs
    W / `most` each time.
    """
    reach = np.cumsum(sample.weights)
    picks = np.searchsorted(reach, (np.arange(most) + rng.random()) * (reach[-1] / most), side="right")
    drawn, times = np.unique(picks.clip(max=len(reach) - 1), return_counts=True)
    return TourSample(sample.ksets[drawn], times * (reach[-1] / most))


def _listed_or_toured(
    graph: Graph, k: int, config: SetsConfig, for_walk: np.random.Generator, for_count: np.random.Generator
) -> Sampled:
    """All connected k-sets where they are few, else those of tours."""
    component = _ksets.components(_ksets.Rows(*graph.rows))
    if np.bincount(component).max(initial=0) < k:
        return Sampled(TourSample(np.empty((0, k), np.int64), np.empty(0)), 0.0)
    roots = count_roots(graph, k, limit=COUNT_LIMIT, threads=1)
    if roots is not None and roots.counts.sum() <= config.exact:
        ksets = list_sets(roots, k, 0, roots.counts.size, threads=1)
        return Sampled(TourSample(ksets, np.ones(len(ksets))), float(len(ksets)))
    assert config.tours, "budgets are chosen before sampling"
    assert config.supernode, "budgets are chosen before sampling"
    walk = start_walk(graph, component, k, pairs=k > 2, supernode=config.supernode, rng=for_walk)
    sample = run_tours(walk, config.tours, max_steps=config.max_steps, threads=1)
    if roots is not None:
        return Sampled(sample, float(roots.counts.sum()))
    seed = int(for_count.integers(2**63))
    counted = estimate_sum(graph, k, method="pair-walk", seed=seed, max_steps=config.max_steps, threads=1)
    return Sampled(sample, float(counted.value))
