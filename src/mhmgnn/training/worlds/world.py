"""A graph -> worlds: graphs on the same nodes made of groups that we planted, so that they are known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.config import GroupsConfig
from mhmgnn.context.context import describe
from mhmgnn.graph import Graph
from mhmgnn.graph.csr import sources
from mhmgnn.graph.sets import Sets
from mhmgnn.runtime.rng import new_stream
from mhmgnn.subgraphs.rewire import rewire
from mhmgnn.training.worlds import _kernels
from mhmgnn.training.worlds.families import BOTH, Family
from mhmgnn.training.worlds.sizes import SizeLaw, stop_by_pair

AGAIN = 0.001, 0.1  # range of the probability to start a group at an edge that a group already holds
MOST = 2_000_000, 10  # pairs in groups, and for each edge, from which on groups start at new edges only
STARTS = 8  # possible starts at each edge of a graph without counts
POPULAR = 0.5  # largest power of resource allocation, beside affinity, by which nodes join groups
DROPPED = 0.02  # largest share of edges that a world loses, so that sets with a missing edge stay possible
THINNED = 0.3, 1.0  # range of the share of edges that a thinned null world keeps


class World(NamedTuple):
    """A graph and the groups it is made of."""

    graph: Graph
    groups: Sets
    belief: float = 1.0  # its weight in how frequent groups are taken to be
    lesson: tuple[float, float] = BOTH  # its weight for what "exact" and "contained" learn


class Ground(NamedTuple):
    """The user's graph with the arrays that planting reads."""

    graph: Graph
    pair: np.ndarray  # (2e,) int64, the undirected edge of each CSR entry
    forth: np.ndarray  # (e,) int64, the CSR entry (u, v), u < v, of each edge
    log_affinity: np.ndarray  # (2e,) float64
    log_resource: np.ndarray  # (2e,) float64

    @classmethod
    def of(cls, graph: Graph) -> Ground:
        r"""Affinity of a pair: its count times its overlap, (c + 1/2) / (union + 1), c common neighbours.

        Its resource allocation, :math:`\sum_z 1 / d_z` over common neighbours z, tells how often pairs
        of real groups repeat.
        """
        source = sources(graph.indptr)
        forth = np.flatnonzero(source < graph.indices)
        code = np.minimum(source, graph.indices) * np.int64(graph.num_nodes) + np.maximum(
            source, graph.indices
        )
        pair = np.searchsorted(code[forth], code)
        context = describe(graph)
        overlap, resource = (
            context.pairs[:, context.pair_columns.index(name)].astype(np.float64)
            for name in ("log jaccard", "log resource")
        )
        counts = np.zeros(overlap.size) if graph.weights is None else np.log(graph.weights)
        return cls(graph, pair, forth, overlap + counts, resource)


def plant_world(
    ground: Ground, laws: list[SizeLaw], family: Family, config: GroupsConfig, rng: np.random.Generator
) -> World:
    """A world of groups whose sizes follow one of the laws.

    Groups start at edges that no group holds yet, or at any edge if the family repeats, and grow by nodes
    adjacent to all members, until a share of the edges is planted as often as it was seen, or once without
    counts. Nodes that would add pairs planted often enough already join less readily. Without counts groups
    start sooner at edges of high affinity, or of high resource allocation, which likely repeat more.
    """
    graph, e = ground.graph, ground.forth.size
    law = laws[rng.integers(len(laws))].shaken(rng)
    again = 1.0 if family.repeats else _log_uniform(AGAIN, rng)
    first = affinity = ground.log_affinity
    if family.popular:
        mixed = rng.uniform(0, POPULAR)
        first, affinity = ground.log_resource, (1 - mixed) * affinity + mixed * ground.log_resource
    if graph.weights is None:
        need, starts = np.ones(e, np.int64), np.repeat(ground.forth, STARTS)
        starts = starts[_weighted_order(rng.uniform(*family.sooner) * first[starts], rng)]
    else:
        need = np.maximum(np.round(graph.weights[ground.forth]), 1).astype(np.int64)
        starts = rng.permutation(np.repeat(ground.forth, need))
    cover = rng.uniform(config.cover, 1.0)
    slack = family.slack * rng.random()
    stop = stop_by_pair(law, config.largest) if family.by_pair else law.stop(config.largest)
    members, offsets, planted = _kernels.plant(
        *(*graph.rows, ground.pair, affinity, need),
        *(starts, stop, again, max(MOST[0], MOST[1] * e), cover, slack, new_stream(rng)),
    )
    planted[rng.random(e) < DROPPED * rng.random()] = 0
    return World(with_counts(ground, planted), Sets(members, offsets), family.belief, family.lesson)


def null_world(ground: Ground, rng: np.random.Generator, *, thinned: bool) -> World:
    """The graph rewired with its degrees: every edge is a group of two, and there is no larger group.

    A world that is `thinned` loses a random share of its edges first. All null worlds of one density would
    teach that density, and a rewired graph of another year would look like none of them.
    """
    graph = _thin(ground, _log_uniform(THINNED, rng), rng) if thinned else ground.graph
    graph = rewire(graph, rng)
    return World(graph, Sets.of_edges(*graph.rows))


def _thin(ground: Ground, share: float, rng: np.random.Generator) -> Graph:
    """The graph with each edge kept, with its count, with probability `share`."""
    weights = ground.graph.weights
    counts = np.ones(ground.forth.size) if weights is None else weights[ground.forth]
    return with_counts(ground, np.where(rng.random(counts.size) < share, counts, 0))


def with_counts(ground: Ground, planted: np.ndarray) -> Graph:
    """The graph of the edges with a count above 0, of `planted`, (e,); weighted if the user's graph is."""
    counts = planted[ground.pair]
    kept = counts > 0
    graph = ground.graph
    degrees = np.bincount(sources(graph.indptr)[kept], minlength=graph.num_nodes)
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    weights = None if graph.weights is None else counts[kept].astype(np.float32)
    return Graph(indptr, graph.indices[kept], weights=weights)


def labels(world: World, sets: Sets) -> np.ndarray:
    """Whether each set is a group of the world, and whether it lies inside one, (s, 2) bool."""
    groups = world.groups
    order = np.argsort(groups.members, kind="stable")
    first_of = np.searchsorted(groups.members[order], np.arange(world.graph.num_nodes + 1))
    groups_of = np.repeat(np.arange(groups.num), groups.sizes)[order]
    return np.asarray(_kernels.inside(*groups, groups_of, first_of, *sets))


def _weighted_order(log_weight: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random order, (s,) int64, in which the next place goes to each of those left in proportion to weight.

    Sorted by exponential variables divided by the weights (Efraimidis and Spirakis 2006).
    """
    return np.argsort(np.log(rng.exponential(size=log_weight.size)) - log_weight)


def _log_uniform(bounds: tuple[float, float], rng: np.random.Generator) -> float:
    return float(np.exp(rng.uniform(*np.log(bounds))))
