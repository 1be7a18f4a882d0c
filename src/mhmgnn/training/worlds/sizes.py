r"""The sizes of the groups of a graph, inferred by approximate Bayesian computation.

A world planted in the graph has the graph's own cliques whatever the sizes of its groups are, so it says
nothing about sizes. A graph drawn from a block model (degrees and communities only) does: its cliques of 3, 4
and 5 nodes come from groups of such sizes and from chance. Size laws are drawn from a broad prior, a graph is
drawn for each, and the laws whose graphs are closest to the user's are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mhmgnn.config import GroupsConfig
from mhmgnn.context.context import adjacent_to_all
from mhmgnn.graph import Graph
from mhmgnn.graph.csr import pairs_in_rows, sources
from mhmgnn.graph.partition import communities
from mhmgnn.graph.sets import Sets
from mhmgnn.runtime.rng import new_stream
from mhmgnn.subgraphs.cliques import some_cliques
from mhmgnn.training.worlds import _kernels

SHAKEN = 0.15  # standard deviation of the log parameters of a law between worlds
TEMPERATURE = 0.2  # of the weights of laws, in mean squared standard deviations; higher keeps more laws
LOOKED_AT = 1_000  # cliques of each size on which two graphs are compared
CLIQUES = (2, 3, 4, 5)
COUNTED = 5 * 10**6  # steps of counting the cliques of a drawn graph, beyond which they are estimated
MOST_BLOCKS = 200


class SizeLaw(NamedTuple):
    """Probabilities that a growing group stops: `two` at two nodes, `three` at three, then a power law."""

    two: float
    three: float
    power: float
    can_grow: np.ndarray  # (largest + 1,), the share of groups of each size that another node could join
    mean_count: float  # how many groups a pair is in, on average

    def stop(self, largest: int) -> np.ndarray:
        """The probability to stop at each size, (largest + 1,)."""
        size = np.arange(largest + 1, dtype=np.float64)
        stop = self.three * (3 / np.maximum(size, 3)) ** self.power
        stop[2] = self.two
        return stop.clip(0.005, 0.99)

    def shaken(self, rng: np.random.Generator) -> SizeLaw:
        """This law with randomly perturbed parameters."""
        two, three, power = np.array(self[:3]) * np.exp(SHAKEN * rng.normal(size=3))
        return self._replace(two=two, three=three, power=power)


def stop_by_pair(law: SizeLaw, largest: int) -> np.ndarray:
    r"""The probability that the group of a random *pair* stops at each size although it could still grow.

    A group of s nodes has s (s - 1) / 2 pairs, so the group of a random pair has size s with probability
    :math:`r_s \propto p_s s (s - 1)`. Only groups that another node could join, a share :math:`o_s`, decide
    to stop, with probability :math:`r_s o_s / (r_s o_s + \sum_{t > s} r_t)`, (largest + 1,).
    """
    stop = law.stop(largest)
    stop[-1] = 1.0
    size = np.arange(largest + 1)
    alive = np.concatenate([np.ones(3), np.cumprod(1 - stop[2:-1])])[: largest + 1]
    share = np.where(size < 2, 0.0, alive * stop * size * (size - 1))
    beyond = share[::-1].cumsum()[::-1] - share
    by_pair: np.ndarray = share * law.can_grow / np.maximum(share * law.can_grow + beyond, 1e-300)
    return by_pair


def infer_sizes(graph: Graph, config: GroupsConfig, rng: np.random.Generator) -> list[SizeLaw]:
    """Size laws, sampled with weights exp(-distance / TEMPERATURE) of their graphs; a law may repeat."""
    blocks = Blocks.of(graph, rng)
    seen = census(graph, rng)
    laws = [_draw_law(config.largest, rng) for _ in range(config.laws)]
    found = np.array([census(imagine(graph, blocks, law, config.largest, rng)[0], rng) for law in laws])
    spread = np.maximum(found.std(axis=0), 0.02)
    distance = (((found - seen) / spread) ** 2).mean(axis=1)
    chance = np.exp(-(distance - distance.min()) / TEMPERATURE)
    picked, times = np.unique(
        rng.choice(len(laws), config.laws // 2, p=chance / chance.sum()), return_counts=True
    )
    kept = []
    for number, often in zip(picked, times, strict=True):
        kept += [_completed(graph, blocks, laws[number], config.largest, rng)] * often
    return kept


def recall_sizes(
    graph: Graph, laws: Sequence[Mapping[str, float]], config: GroupsConfig, rng: np.random.Generator
) -> list[SizeLaw]:
    """Some of the laws that a graph before this one was found to follow, one for each world."""
    blocks = Blocks.of(graph, rng)
    some = [laws[number] for number in rng.choice(len(laws), min(config.worlds, len(laws)), replace=False)]
    plain = [SizeLaw(law["two"], law["three"], law["power"], np.ones(0), 1.0) for law in some]
    return [_completed(graph, blocks, law, config.largest, rng) for law in plain]


class Blocks(NamedTuple):
    """A block model: communities, and how much more often they mix than their degrees imply."""

    order: np.ndarray  # (n,) nodes sorted by block
    start: np.ndarray  # (blocks + 1,) where each block begins in `order`
    cumulative: np.ndarray  # (n,) running sums of the degrees within each block
    log_mixing: np.ndarray  # (blocks, blocks)

    @classmethod
    def of(cls, graph: Graph, rng: np.random.Generator) -> Blocks:
        """The block model of the graph's communities; all but the `MOST_BLOCKS` largest share a block."""
        block = np.minimum(communities(graph, seed=int(rng.integers(2**31))), MOST_BLOCKS - 1)
        count = int(block.max()) + 1
        weight = np.maximum(graph.degrees, 0.5)
        order = np.argsort(block, kind="stable")
        start = np.searchsorted(block[order], np.arange(count + 1))
        cumulative = np.concatenate([np.cumsum(weight[order[a:b]]) for a, b in pairwise(start)])
        between = np.zeros((count, count))
        np.add.at(between, (block[sources(graph.indptr)], block[graph.indices]), 1.0)
        total = np.bincount(block, weight)
        expected = np.outer(total, total) / total.sum()
        return cls(order, start, cumulative, np.log((between + 0.1) / (expected + 0.1)))


def imagine(
    graph: Graph, blocks: Blocks, law: SizeLaw, largest: int, rng: np.random.Generator
) -> tuple[Graph, Sets]:
    """A graph with as many edges as `graph`, drawn from the block model and a size law; and its groups."""
    groups = Sets(*_kernels.imagine(*blocks, law.stop(largest), graph.num_edges, new_stream(rng)))
    pairs = pairs_in_rows(groups.offsets, groups.members)
    return Graph.from_edges(pairs, num_nodes=graph.num_nodes), groups


def census(graph: Graph, rng: np.random.Generator) -> np.ndarray:
    """Statistics of a graph's cliques: their number, the share of maximal ones, nodes that could join."""
    found: list[float] = []
    for k in CLIQUES:
        ksets, total = some_cliques(graph, k, LOOKED_AT, rng, steps=COUNTED)
        joining = adjacent_to_all(graph, Sets.of_rows(ksets))
        found += [float(np.log((total + 1) / graph.num_edges))] if k > 2 else []
        found += (
            [float(np.mean(joining == 0)), float(np.mean(np.log1p(joining)))] if len(ksets) else [1.0, 0.0]
        )
    return np.array(found)


def _draw_law(largest: int, rng: np.random.Generator) -> SizeLaw:
    """A law from a broad prior."""
    power = float(rng.choice([0.0, 0.3, 0.6, 0.9]))
    return SizeLaw(rng.uniform(0.02, 0.9), rng.uniform(0.08, 0.95), power, np.ones(largest + 1), 1.0)


def _completed(graph: Graph, blocks: Blocks, law: SizeLaw, largest: int, rng: np.random.Generator) -> SizeLaw:
    """The law with `can_grow` and `mean_count`, measured on a graph drawn from it."""
    imagined, groups = imagine(graph, blocks, law, largest, rng)
    can_grow = np.ones(largest + 1)
    for size in range(2, largest + 1):
        of_size = np.flatnonzero(groups.sizes == size)
        if of_size.size < 5:
            can_grow[size] = 0.9 * can_grow[size - 1]
            continue
        some = groups.take(rng.choice(of_size, min(200, of_size.size), replace=False))
        can_grow[size] = (np.sum(adjacent_to_all(imagined, some) > 0) + 0.5) / (some.num + 1)
    counted = (groups.sizes * (groups.sizes - 1) // 2).sum()
    return law._replace(can_grow=can_grow, mean_count=float(counted / max(imagined.num_edges, 1)))
