"""A graph with counts -> how completion weighs walks and direct counts, tried on groups taken out of it."""

from __future__ import annotations

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models.completion import Completer, Tuning, usual_tuning
from mhmgnn.models.cover import choose_covers, edges_of, less_one
from mhmgnn.subgraphs.excerpt import excerpt
from mhmgnn.subgraphs.maximal import maximal_cliques

EDGES = 50_000  # of the part of a larger graph that is tried
TRIALS, QUERIES = 3, 600  # times that a fifth of the groups is taken out; groups that are completed each time
HELD_OUT = 0.2
WEIGHTS = 0.25, 0.5, 0.75, 0.9  # of direct counts, beside the usual one
NEARLY = 0.5  # standard errors by which a larger weight may be worse than the best and is taken


def tune(graph: Graph) -> Tuning:
    """The usual tuning with the weight of direct counts that completes groups of the graph best.

    The true groups are unknown. `take_apart` finds groups that make the counts; a fifth of them is taken out
    of the counts, and a hidden member of each is looked for. Without counts this cannot be tried, as the
    pairs of a group would all be gone with it.
    """
    usual = usual_tuning(graph)
    if not usual.direct:
        return usual
    rng = np.random.default_rng(0)
    part = excerpt(graph, EDGES, rng)
    groups = take_apart(part)
    weights = np.array([usual.direct, *WEIGHTS])
    found = np.concatenate([_try(part, groups, usual, weights, rng) for _ in range(TRIALS)])  # (q, weights)
    if not len(found):
        return usual
    best = found[:, [int(np.argmax(found.mean(axis=0)))]]
    behind = best - found
    alike = behind.mean(axis=0) <= NEARLY * behind.std(axis=0) / np.sqrt(len(found))
    return usual._replace(direct=float(weights[alike].max()))


def take_apart(graph: Graph) -> Sets:
    """Groups that together make most of the counts of a graph, as often as they are needed."""
    return Sets.join([cover.sets for cover in choose_covers(graph, maximal_cliques(graph))])


def _try(
    graph: Graph, groups: Sets, usual: Tuning, weights: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Reciprocal ranks of hidden members, with each weight of direct counts, (queries, weights)."""
    edges, counts = edges_of(graph)
    out = groups.take(rng.permutation(groups.num)[: max(round(HELD_OUT * groups.num), 1)])
    left = less_one(graph, counts, out)
    kept = left > 0
    if not kept.any():
        return np.zeros((0, weights.size))
    rest = Graph.from_edges(edges[kept], weights=left[kept], num_nodes=graph.num_nodes)
    completer = Completer(rest, usual)
    asked = out.take(np.arange(min(out.num, QUERIES)))
    found = []
    for low, high in zip(asked.offsets[:-1], asked.offsets[1:], strict=True):
        group = asked.members[low:high]
        at = int(rng.integers(group.size))
        found.append(_reciprocal_ranks(completer, np.delete(group, at), int(group[at]), weights))
    return np.array(found)


def _reciprocal_ranks(
    completer: Completer, given: np.ndarray, hidden: int, weights: np.ndarray
) -> np.ndarray:
    """1 over the rank of the hidden node with each weight, (weights,); 0 if no walk reached it."""
    nodes, walked, counted = completer.parts(given)
    others = ~np.isin(nodes, given)
    at = np.flatnonzero(nodes[others] == hidden)
    if not at.size:
        return np.zeros(weights.size)
    scores = (1 - weights[:, None]) * walked[others] + weights[:, None] * counted[others]
    mine = scores[:, at]
    rank = 0.5 + (scores > mine).sum(axis=1) + (scores == mine).sum(axis=1) / 2
    return np.asarray(1 / rank)
