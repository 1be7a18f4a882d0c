"""A group energy in one graph -> a cover of its edges by cliques of low description cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models import _cover
from mhmgnn.models.groups import MATCHES, GroupReader
from mhmgnn.runtime.console import Tell, silence, within
from mhmgnn.subgraphs.maximal import MaximalCliques

ROUNDS = 3  # of set cover; after each, chosen sets reduced to what they added become candidates too
SLOTS = 5 * 10**6, 10  # pairs of all maximal cliques together, and more for each edge: time and memory
SCORING = 0.8  # of the time of a cover, about
IDLE = 0.5  # less than 1, as groups that share some nodes share more: the same people meet again
RAREST = 1e-3  # probability that sets hold a pair by chance, at least


class Cover(NamedTuple):
    """Cliques that together hold every edge of a graph."""

    sets: Sets
    alone: np.ndarray  # (c,) int64, how many edges of each lie in no other clique of the cover
    times: np.ndarray  # (e,) int64, how many cliques of the cover hold each edge
    complete: bool  # whether all maximal cliques were candidates

    @property
    def met(self) -> float:
        """The probability that random sets, which overlap as those of the cover, hold a given pair."""
        return meet_by_chance(self.times)


def choose_cover(
    graph: Graph, maximal: MaximalCliques, reader: GroupReader | None = None, *, tell: Tell = silence
) -> Cover:
    r"""A cover of all edges by cliques of small total cost, by greedy weighted set cover.

    A clique costs :math:`\log n - \log p(C)`, its description length under the group energy; without a reader
    every clique costs the same. Candidates are the edges, the maximal cliques and, from the second round on,
    the chosen cliques reduced to the nodes of edges that they were the first to cover: a group can be the
    part of a maximal clique that other groups leave over. From then on a node whose pairs in a clique are
    all covered already costs :math:`-\frac{1}{2} \log met` more (`Cover.met`): it is there by chance.
    Otherwise a maximal clique would be taken for one missing pair of it.
    """
    number = _cover.number_pairs(*graph.rows)
    larger = maximal.sets.take(_fitting(maximal.sets, SLOTS[0] + SLOTS[1] * graph.num_edges))
    complete = maximal.complete and larger.num == int((maximal.sets.sizes > 2).sum())
    sets = Sets.join([Sets.of_edges(*graph.rows), larger])
    cost, known = _cost(reader, sets, within(tell, 0.0, SCORING, "scoring")), set(_keys(larger))
    idle_cost = 0.0
    for left in reversed(range(ROUNDS)):
        tell(1 - (1 - SCORING) * (left + 1) / ROUNDS, "covering")
        first, pairs = _cover.pairs_of_sets(*graph.rows, number, *sets)
        chosen, times = _cover.choose(first, pairs, sets.offsets, cost, idle_cost, graph.num_edges)
        trimmed = Sets(*_cover.trim(*sets, first, pairs, chosen, graph.num_edges))
        fresh = {key: i for i, key in enumerate(_keys(trimmed)) if key not in known}
        if not left or (reader is None and not fresh):
            break
        known |= fresh.keys()
        if reader is not None and not idle_cost:
            idle_cost = -IDLE * np.log(max(meet_by_chance(times), RAREST))
        added = trimmed.take(np.array([*fresh.values()], np.int64))
        sets, cost = Sets.join([sets, added]), np.concatenate([cost, _cost(reader, added, silence)])
    return Cover(sets.take(chosen), _cover.count_alone(first, pairs, chosen, times), times, complete)


def meet_by_chance(times: np.ndarray) -> float:
    r"""The probability that random sets hold a given pair, if they overlap as those that hold pairs `times`.

    If random sets hold each pair a Poisson number of times with mean :math:`\mu`, the pairs held at all are
    held :math:`R = \mu / (1 - e^{-\mu})` times on average. The probability is :math:`1 - e^{-\mu}` for the
    R that is given.
    """
    from scipy.special import lambertw

    mean = float(times.mean())
    rate = mean + lambertw(-mean * np.exp(-mean)).real if mean > 1 else 0.0
    return float(-np.expm1(-rate))


def chances(reader: GroupReader, sets: Sets, tell: Tell = silence) -> np.ndarray:
    """The probability by the group energy that each set is a group, (s,) float64."""
    found: np.ndarray = np.exp(-np.logaddexp(0, _energies(reader, sets, tell)))
    return found


def _energies(reader: GroupReader, sets: Sets, tell: Tell) -> np.ndarray:
    return reader.energies(sets, tell)[:, MATCHES.index("exact")].astype(np.float64)


def _cost(reader: GroupReader | None, sets: Sets, tell: Tell) -> np.ndarray:
    if reader is None:
        return np.ones(sets.num)
    cost: np.ndarray = np.logaddexp(0, _energies(reader, sets, tell)) + np.log(reader.graph.num_nodes)
    return cost


def _fitting(sets: Sets, slots: int) -> np.ndarray:
    """The numbers of the sets of three and more nodes, thinned evenly if they hold above `slots` pairs."""
    larger = np.flatnonzero(sets.sizes > 2)
    total = int((sets.sizes[larger] * (sets.sizes[larger] - 1) // 2).sum())
    return larger[:: max(1, -(-total // slots))]


def _keys(sets: Sets) -> list[bytes]:
    """Each set as bytes, to compare sets by hash."""
    return [part.tobytes() for part in np.split(sets.members, sets.offsets[1:-1])] if sets.num else []
