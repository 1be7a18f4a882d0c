"""A group energy in one graph -> cliques that hold all of its pairs and cost little to say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models import _cover
from mhmgnn.models.groups import MATCHES, GroupReader
from mhmgnn.subgraphs.maximal import MaximalCliques

ROUNDS = 3  # of choosing: each has as further candidates what the sets chosen in the one before really added
SLOTS = (
    5 * 10**6,
    10,
)  # pairs of all maximal cliques together, and more of them for each edge: time and memory


class Cover(NamedTuple):
    """Cliques that hold every pair of a graph."""

    sets: Sets
    alone: np.ndarray  # (c,) int64, the pairs of each that lie in no other
    times: np.ndarray  # (e,) int64, in how many each pair lies
    complete: bool  # whether all maximal cliques were candidates


def choose_cover(graph: Graph, maximal: MaximalCliques, reader: GroupReader | None = None) -> Cover:
    r"""A cover of all pairs by cliques, of small total cost.

    To say a clique costs :math:`\log n - \log p(C)`, p by its energy; without a reader all cost the same. The
    next one is that of least cost for each pair it adds. Candidates are the pairs, the maximal cliques and,
    round by round, what the chosen ones add to those chosen before them: a group may be what is left of a
    clique beside others.
    """
    number = _cover.number_pairs(*graph.rows)
    larger = maximal.sets.take(_fitting(maximal.sets, SLOTS[0] + SLOTS[1] * graph.num_edges))
    complete = maximal.complete and larger.num == int((maximal.sets.sizes > 2).sum())
    sets = Sets.join([all_pairs(graph), larger])
    cost, known = _cost(reader, sets), set(_keys(larger))
    for left in reversed(range(ROUNDS)):
        first, pairs = _cover.pairs_of_sets(*graph.rows, number, *sets)
        chosen, times = _cover.choose(first, pairs, cost, graph.num_edges)
        trimmed = Sets(*_cover.trim(*sets, first, pairs, chosen, graph.num_edges))
        fresh = {key: i for i, key in enumerate(_keys(trimmed)) if key not in known}
        if not left or not fresh:
            break
        known |= fresh.keys()
        added = trimmed.take(np.array([*fresh.values()]))
        sets, cost = Sets.join([sets, added]), np.concatenate([cost, _cost(reader, added)])
    return Cover(sets.take(chosen), _cover.count_alone(first, pairs, chosen, times), times, complete)


def all_pairs(graph: Graph) -> Sets:
    """The pairs of a graph, (u, v) with u < v in rising order."""
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    forth = source < graph.indices
    return Sets.of_rows(np.column_stack([source[forth], graph.indices[forth]]))


def chances(reader: GroupReader, sets: Sets) -> np.ndarray:
    """The probability of each set to be a group by its energy, (s,) float64."""
    found: np.ndarray = np.exp(-np.logaddexp(0, _energies(reader, sets)))
    return found


def _energies(reader: GroupReader, sets: Sets) -> np.ndarray:
    return reader.energies(sets)[:, MATCHES.index("exact")].astype(np.float64)


def _cost(reader: GroupReader | None, sets: Sets) -> np.ndarray:
    if reader is None:
        return np.ones(sets.num)
    cost: np.ndarray = np.logaddexp(0, _energies(reader, sets)) + np.log(reader.graph.num_nodes)
    return cost


def _fitting(sets: Sets, slots: int) -> np.ndarray:
    """Those of three and more nodes; one in so many, where all of them have more than `slots` pairs."""
    larger = np.flatnonzero(sets.sizes > 2)
    total = int((sets.sizes[larger] * (sets.sizes[larger] - 1) // 2).sum())
    return larger[:: max(1, -(-total // slots))]


def _keys(sets: Sets) -> list[bytes]:
    """Each set as bytes."""
    return [part.tobytes() for part in np.split(sets.members, sets.offsets[1:-1])] if sets.num else []
