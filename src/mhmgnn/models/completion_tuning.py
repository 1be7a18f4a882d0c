"""A graph -> how completion weighs walks and direct ties, tried on groups taken out of the graph."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models.completion import Completer, Tuning, usual_tuning
from mhmgnn.models.cover import choose_covers, edges_of, less_one, times_held
from mhmgnn.subgraphs.excerpt import excerpt
from mhmgnn.subgraphs.maximal import maximal_cliques

EDGES = 50_000  # of the part of a larger graph that is tried
TRIALS, QUERIES = 3, 600  # times that a fifth of the groups is taken out; groups that are completed each time
HELD_OUT = 0.2
WEIGHTS = 0.25, 0.5, 0.75, 0.9  # of direct ties, beside the usual one
NEARLY = 0.5  # standard errors by which another weight may be worse than the best and is taken
GAIN = 1.1  # from pairs alone: how many times as good as walks the best weight must be
SURE = 2.0  # standard errors of this gain


def tune(graph: Graph) -> Tuning:
    """The usual tuning with the weight of direct ties that completes groups of the graph best.

    The true groups are unknown. `take_apart` finds groups that make the graph; a fifth of them is taken out,
    and a hidden member of each is looked for. With counts, of weights that are about as good as the best the
    largest is taken. From pairs alone a cover of few groups hides how often pairs meet again: only members
    who met a given node in another group are looked for, and ties have weight only where that gains much:
    then the smallest of these weights.
    """
    usual = usual_tuning(graph)
    counted = graph.weights is not None
    if counted and not usual.direct:
        return usual
    rng = np.random.default_rng(0)
    part = excerpt(graph, EDGES, rng)
    groups = take_apart(part)
    weights = np.array([usual.direct, *WEIGHTS])
    found = np.concatenate([_try(part, groups, usual, weights, rng) for _ in range(TRIALS)])  # (q, weights)
    if not len(found):
        return usual
    means = found.mean(axis=0)
    best = int(np.argmax(means))
    behind = found[:, [best]] - found
    gains, errors = behind.mean(axis=0), behind.std(axis=0) / np.sqrt(len(found))
    if not counted and (means[best] < GAIN * means[0] or gains[0] < SURE * errors[0]):
        return usual
    alike = weights[gains <= NEARLY * errors]
    return usual._replace(direct=float(alike.max() if counted else alike.min()))


def take_apart(graph: Graph) -> Sets:
    """Groups that together make the pairs of a graph and most of its counts, as often as they are needed."""
    return Sets.join([cover.sets for cover in choose_covers(graph, maximal_cliques(graph))])


def _try(
    graph: Graph, groups: Sets, usual: Tuning, weights: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Reciprocal ranks of hidden members, with each weight of direct ties, (queries, weights)."""
    counted = graph.weights is not None
    edges, counts = edges_of(graph)
    counts = counts if counted else times_held(graph, groups)
    out = groups.take(rng.permutation(groups.num)[: max(round(HELD_OUT * groups.num), 1)])
    left = less_one(graph, counts, out)
    kept = left > 0
    if not kept.any():
        return np.zeros((0, weights.size))
    rest = Graph.from_edges(edges[kept], weights=left[kept] if counted else False, num_nodes=graph.num_nodes)
    completer = Completer(rest, usual._replace(direct=1.0))  # for both parts; they are weighed here
    asked = islice(_questions(out, rest, rng), QUERIES)
    found = [_reciprocal_ranks(completer, *question, weights) for question in asked]
    return np.array(found).reshape(-1, weights.size)


def _questions(out: Sets, rest: Graph, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, int]]:
    """Given nodes and a hidden one of each group taken out.

    From pairs alone, of each group as often as a member met a given node elsewhere too.
    """
    for low, high in pairwise(out.offsets.tolist()):
        group = out.members[low:high]
        if rest.weights is not None:
            at = int(rng.integers(group.size))
            yield np.delete(group, at), int(group[at])
            continue
        for at, hidden in enumerate(group.tolist()):
            given = np.delete(group, at)
            if np.isin(given, rest.indices[rest.indptr[hidden] : rest.indptr[hidden + 1]]).any():
                yield given, hidden


def _reciprocal_ranks(
    completer: Completer, given: np.ndarray, hidden: int, weights: np.ndarray
) -> np.ndarray:
    """1 over the rank of the hidden node with each weight, (weights,); 0 if no walk reached it."""
    nodes, walked, tied = completer.parts(given)
    others = ~np.isin(nodes, given)
    at = np.flatnonzero(nodes[others] == hidden)
    if not at.size:
        return np.zeros(weights.size)
    scores = (1 - weights[:, None]) * walked[others] + weights[:, None] * tied[others]
    mine = scores[:, at]
    rank = 0.5 + (scores > mine).sum(axis=1) + (scores == mine).sum(axis=1) / 2
    return np.asarray(1 / rank)
