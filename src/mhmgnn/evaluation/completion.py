"""Evaluation of completion: the rank of a hidden member of each group held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mhmgnn.datasets.hyperedges import Hyperedges, count_together
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

SHARE = 0.2  # of the groups, held out
HIT = 10
Scorer = Callable[
    [np.ndarray], np.ndarray
]  # given nodes, (m,) -> a score for each node, (n,), high is better


class Query(NamedTuple):
    """A group with one member hidden."""

    given: np.ndarray  # (m,) int64, at least one node
    hidden: int


class HeldOut(NamedTuple):
    """The graph of the groups that are kept, and a query for each group held out."""

    graph: Graph
    queries: tuple[Query, ...]


class Completed(NamedTuple):
    """How high the hidden members were ranked."""

    mrr: float  # mean of 1 / rank
    hits: float  # share of ranks up to HIT


def hold_out(groups: Hyperedges, num_nodes: int, *, seed: int, counts: bool) -> HeldOut:
    """Hold out a fifth of the groups and project the others to a graph; a query hides a member of each.

    `counts` says whether the graph has counts. Groups of one node are left out. A held-out group that also
    occurs among the kept ones remains a query.
    """
    kept, held = split(groups, seed=seed)
    seen = count_together(kept, num_nodes)
    graph = Graph.from_edges(seen.pairs, weights=seen.times if counts else False, num_nodes=num_nodes)
    rng = np.random.default_rng([seed, 1])
    return HeldOut(graph, tuple(_hide(held[i], rng) for i in range(len(held))))


def split(groups: Hyperedges, *, seed: int, share: float = SHARE) -> tuple[Hyperedges, Hyperedges]:
    """The groups of two and more nodes, split into kept and held out; both in the order given."""
    pairs = np.flatnonzero(groups.sizes > 1)
    if pairs.size < 2:
        raise DataError(f"{pairs.size} group of two nodes or more; at least 2 are needed to hold one out")
    order = np.random.default_rng([seed, 0]).permutation(pairs)
    many = max(round(share * pairs.size), 1)
    return _take(groups, np.sort(order[many:])), _take(groups, np.sort(order[:many]))


def rank_of(scores: np.ndarray, query: Query) -> float:
    """The rank of the hidden node among all nodes that are not given; ties count half.

    >>> rank_of(np.array([0.9, 0.5, 0.5, 0.7]), Query(np.array([0]), hidden=1))
    2.5
    """
    others = np.ones(scores.size, np.bool_)
    others[query.given] = others[query.hidden] = False
    theirs, mine = scores[others], scores[query.hidden]
    return float(1 + (theirs > mine).sum() + (theirs == mine).sum() / 2)


def complete_all(score: Scorer, queries: Sequence[Query]) -> Completed:
    """How high a score ranks the hidden member of each query."""
    ranks = np.array([rank_of(score(query.given), query) for query in queries])
    return Completed(float((1 / ranks).mean()), float((ranks <= HIT).mean()))


def _hide(group: np.ndarray, rng: np.random.Generator) -> Query:
    place = int(rng.integers(group.size))
    return Query(np.delete(group, place), int(group[place]))


def _take(groups: Hyperedges, which: np.ndarray) -> Hyperedges:
    sizes = groups.sizes[which]
    kept = np.zeros(len(groups), np.bool_)
    kept[which] = True
    return Hyperedges(groups.members[np.repeat(kept, groups.sizes)], np.concatenate([[0], np.cumsum(sizes)]))
