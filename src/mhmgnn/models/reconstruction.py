"""A group energy in one graph -> the groups that its pairs were made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from mhmgnn.graph.sets import Sets
from mhmgnn.models import _cover
from mhmgnn.models.groups import MATCHES, GroupReader
from mhmgnn.subgraphs.maximal import maximal_cliques
from mhmgnn.subgraphs.rewire import rewire_in_communities

ROUNDS = 3  # of choosing a cover, each with what the sets of the one before really added as further candidates
SLOTS = 10**8  # pairs of all candidates together: memory


class Groups(NamedTuple):
    """Groups that explain the pairs of a graph, most probable first."""

    sets: Sets  # members sorted in each
    probabilities: np.ndarray  # (m,) float64
    complete: bool  # whether every clique that could be a group was looked at


class Cover(NamedTuple):
    """Cliques that hold every pair of a graph."""

    sets: Sets
    alone: np.ndarray  # (c,) int64, the pairs of each that lie in no other
    times: np.ndarray  # (e,) int64, in how many each pair lies
    complete: bool  # whether all maximal cliques were candidates


def reconstruct(
    reader: GroupReader, *, sizes: tuple[int, int] | None = None, probability: float | None = None
) -> Groups:
    """The groups that the pairs of the reader's graph were made of.

    Without a `probability` those are given that make the expected F1 largest, else all of at least so much.
    `sizes`: only groups from the first to the second number of nodes.
    """
    cover = choose_cover(reader)
    repeats = repeat_rate(reader, cover)
    found = weigh(reader, cover, repeats)
    kept = np.argsort(-found.probabilities, kind="stable")
    if probability is None:
        kept = kept[: best_cut(found.probabilities[kept])]
    else:
        kept = kept[found.probabilities[kept] >= probability]
    if sizes is not None:
        kept = kept[(found.sets.sizes[kept] >= sizes[0]) & (found.sets.sizes[kept] <= sizes[1])]
    return Groups(found.sets.take(kept), found.probabilities[kept], found.complete)


def choose_cover(reader: GroupReader) -> Cover:
    r"""A cover of all pairs by cliques, of small total cost.

    A clique costs what it takes to say it, :math:`\log n - \log p(C)`. Candidates are the pairs, the maximal
    cliques and, round by round, what the chosen ones add to those chosen before them.
    """
    graph = reader.graph
    number = _cover.number_pairs(*graph.rows)
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    forth = source < graph.indices
    maximal = maximal_cliques(graph)
    larger = maximal.sets.take(_within(maximal.sets))
    sets = Sets.join([Sets.of_rows(np.column_stack([source[forth], graph.indices[forth]])), larger])
    cost = _cost(reader, sets)
    known = {key.tobytes() for key in np.split(larger.members, larger.offsets[1:-1])}
    for number_of_round in range(ROUNDS):
        first, pairs = _cover.pairs_of_sets(*graph.rows, number, *sets)
        chosen, times = _cover.choose(first, pairs, cost, graph.num_edges)
        if number_of_round == ROUNDS - 1:
            break
        trimmed = Sets(*_cover.trim(*sets, first, pairs, chosen, graph.num_edges))
        parts = np.split(trimmed.members, trimmed.offsets[1:-1])
        fresh = [i for i, key in enumerate(parts) if len(key) and key.tobytes() not in known]
        if not fresh:
            break
        known |= {parts[i].tobytes() for i in fresh}
        added = trimmed.take(np.array(fresh))
        sets, cost = Sets.join([sets, added]), np.concatenate([cost, _cost(reader, added)])
    alone = _cover.count_alone(first, pairs, chosen, times)
    return Cover(sets.take(chosen), alone, times, maximal.complete and larger.num == (maximal.sets.sizes > 2).sum())


def repeat_rate(reader: GroupReader, cover: Cover) -> float:
    r"""The chance that a pair inside a larger group is a group by itself as well.

    A cover that holds pairs :math:`R` times on average looks as if pairs had been met at a rate
    :math:`\mu` by chance, :math:`R = \mu / (1 - e^{-\mu})`: a pair is met with chance :math:`1 - e^{-\mu}`. It
    counts as far as chance has made the cliques: the number of maximal cliques over that of the graph rewired
    within its communities.
    """
    mean = cover.times.mean()
    rate = 0.0
    for _ in range(100):  # a fixed point
        rate = mean * -np.expm1(-rate) if rate else 2 * (mean - 1)
    by_chance = maximal_cliques(rewire_in_communities(reader.graph, np.random.default_rng(0))).sets.num
    share = min(1.0, maximal_cliques(reader.graph).sets.num / by_chance)
    return float(share * -np.expm1(-rate))


def weigh(reader: GroupReader, cover: Cover, repeats: float) -> Groups:
    """Probabilities of the sets of a cover and of all other pairs."""
    size = cover.sets.sizes
    share = np.where(size == 2, 1.0, np.minimum(1.0, (cover.alone - 1) / np.maximum(size - 2, 1)))
    chance = np.where(size == 2, 1.0, (1 - repeats) * share)
    graph = reader.graph
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    forth = source < graph.indices
    pairs = np.column_stack([source[forth], graph.indices[forth]])
    two = np.flatnonzero(size == 2)
    rows = cover.sets.members[cover.sets.offsets[two][:, None] + np.arange(2)]
    n = np.int64(graph.num_nodes)
    other = pairs[~np.isin(pairs @ [n, 1], rows @ [n, 1])]
    sets = Sets.join([cover.sets, Sets.of_rows(other)])
    return Groups(sets, np.concatenate([chance, np.full(len(other), repeats)]), cover.complete)


def best_cut(probabilities: np.ndarray) -> int:
    """How many of the sets, most probable first, have the largest expected F1 if all of them are given."""
    found = np.cumsum(probabilities)
    return int(np.argmax(found / (np.arange(1, found.size + 1) + found[-1]))) + 1


def _cost(reader: GroupReader, sets: Sets) -> np.ndarray:
    energy = reader.energies(sets)[:, MATCHES.index("exact")].astype(np.float64)
    return np.logaddexp(0, energy) + np.log(reader.graph.num_nodes)


def _within(sets: Sets) -> np.ndarray:
    """Those of three and more nodes, as many as fit into `SLOTS`."""
    larger = np.flatnonzero(sets.sizes > 2)
    slots = np.cumsum(sets.sizes[larger] * (sets.sizes[larger] - 1) // 2)
    return larger[slots <= SLOTS]
