"""A group energy in one graph -> a cover of its edges by cliques of low description cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models import _cover
from mhmgnn.models.groups import MATCHES, GroupReader
from mhmgnn.runtime.console import Tell, silence, within
from mhmgnn.subgraphs.clique_cover import greedy_cliques
from mhmgnn.subgraphs.maximal import MaximalCliques, maximal_cliques

ROUNDS = 3  # of set cover; after each, chosen sets reduced to what they added become candidates too
SLOTS = 6 * 10**7, 20  # pairs of all maximal cliques together, and more for each edge: time and memory
COVERS = 8  # of the same edges, at most: what is left of large counts stays unexplained
SCORING = 0.8  # of the time of a cover, about
TRUST = 0.3  # weight of energies in the cost: they are learned in worlds, which are like the graph at best
IDLE = 0.5, 3.0  # weights of both reasons for which a node of a clique is there by chance
RAREST = 1e-3  # least probability in these


class Cover(NamedTuple):
    """Cliques that together hold every edge of a graph."""

    sets: Sets
    alone: np.ndarray  # (c,) int64, how many edges of each lie in no other clique of the cover
    times: np.ndarray  # (e,) int64, how many cliques of the cover hold each edge
    met: float  # probability that random sets, which overlap as cliques do that cover the graph, hold a pair
    complete: bool  # whether all maximal cliques were candidates


def choose_cover(
    graph: Graph, maximal: MaximalCliques, reader: GroupReader | None = None, *, tell: Tell = silence
) -> Cover:
    r"""A cover of all edges by cliques of small total cost, by greedy weighted set cover.

    A clique costs :math:`\log n - 0.3 \log p(C)`, with p by the group energy; without a reader every clique
    costs the same. Candidates are the edges, the maximal cliques (where these are too many, some of them and
    those of a greedy cover) and, from the second round on, the chosen cliques reduced to the nodes of edges
    that they were the first to cover: a group can be the part of a maximal clique that other groups leave
    over. From then on a node whose pairs in a clique are all covered already costs `_idle_cost` more.
    """
    number = _cover.number_pairs(*graph.rows)
    larger, complete = _candidates(graph, maximal)
    sets = Sets.join([Sets.of_edges(*graph.rows), larger])
    cost, known = _cost(reader, sets, within(tell, 0.0, SCORING, "scoring")), set(_keys(larger))
    idle_cost, met = 0.0, 0.0
    for left in reversed(range(ROUNDS)):
        tell(1 - (1 - SCORING) * (left + 1) / ROUNDS, "covering")
        first, pairs = _cover.pairs_of_sets(*graph.rows, number, *sets)
        chosen, times = _cover.choose(first, pairs, sets.offsets, cost, idle_cost, graph.num_edges)
        if left == ROUNDS - 1:
            met = meet_by_chance(times)
            share = float(np.sum(sets.sizes[chosen] > 2)) / max(larger.num, 1)
            idle_cost = 0.0 if reader is None else _idle_cost(met, share)
        trimmed = Sets(*_cover.trim(*sets, first, pairs, chosen, graph.num_edges))
        fresh = {key: i for i, key in enumerate(_keys(trimmed)) if key not in known}
        if not left or (reader is None and not fresh):
            break
        known |= fresh.keys()
        added = trimmed.take(np.array([*fresh.values()], np.int64))
        sets, cost = Sets.join([sets, added]), np.concatenate([cost, _cost(reader, added, silence)])
    return Cover(sets.take(chosen), _cover.count_alone(first, pairs, chosen, times), times, met, complete)


def choose_covers(
    graph: Graph, maximal: MaximalCliques, reader: GroupReader | None = None, *, tell: Tell = silence
) -> list[Cover]:
    """A cover of all edges and, if they have counts, covers of those whose counts are not explained by it.

    Each clique of a cover explains one of the counts of its edges. Then the edges that have counts left are
    covered, and so on, `COVERS` times at most. `Cover.times` is over the edges that a cover was chosen for.
    """
    if graph.weights is None:
        return [choose_cover(graph, maximal, reader, tell=tell)]
    covers = [choose_cover(graph, maximal, reader, tell=within(tell, 0.0, 1 / COVERS))]
    edges, left = edges_of(graph)
    left = left / min(1.0, left.min(initial=1.0))
    while len(covers) < COVERS:
        left = less_one(graph, left, covers[-1].sets)
        if not (left > 0).any():
            break
        rest = Graph.from_edges(edges[left > 0], num_nodes=graph.num_nodes, weights=False)
        part = within(tell, len(covers) / COVERS, (len(covers) + 1) / COVERS)
        covers.append(choose_cover(rest, maximal_cliques(rest), reader, tell=part))
    return covers


def edges_of(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """The edges (u, v), u < v, (e, 2), ascending, and their counts, (e,) float64, all 1 without counts."""
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    forth = source < graph.indices
    counts = np.ones(graph.num_edges) if graph.weights is None else graph.weights[forth].astype(np.float64)
    return np.column_stack([source, graph.indices])[forth], counts


def less_one(graph: Graph, counts: np.ndarray, groups: Sets) -> np.ndarray:
    """The counts of all edges, (e,), less one for each group that holds the edge; 0 at least."""
    less: np.ndarray = np.maximum(counts - times_held(graph, groups), 0.0)
    return less


def times_held(graph: Graph, groups: Sets) -> np.ndarray:
    """How many groups hold each edge, (e,) int64; groups are cliques."""
    number = _cover.number_pairs(*graph.rows)
    _, pairs = _cover.pairs_of_sets(*graph.rows, number, *groups)
    return np.bincount(pairs, minlength=graph.num_edges)


def _idle_cost(met: float, share: float) -> float:
    r"""What a node costs whose pairs in a clique are all covered by other cliques.

    .. math:: \min \left( -\tfrac12 \log met, \; -3 \log share \right)

    If the clique is a group, other groups hold these pairs too: by chance with probability `met`. `share` is
    the share of maximal cliques that a cover needs, about the share that are groups: where nearly all are,
    groups share pairs for other reasons, as the same people meet again. Without this cost a maximal clique
    would be taken for one pair of it that is left over.
    """
    chances = np.maximum([met, share], RAREST)
    return float(np.min(-np.array(IDLE) * np.log(np.minimum(chances, 1.0))))


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
    cost: np.ndarray = TRUST * np.logaddexp(0, _energies(reader, sets, tell)) + np.log(reader.graph.num_nodes)
    return cost


def _candidates(graph: Graph, maximal: MaximalCliques) -> tuple[Sets, bool]:
    """Cliques of three and more nodes, and whether they are all maximal ones.

    Where these are too many, some are left out; then the cliques of a greedy cover are added, so that every
    edge has good candidates.
    """
    kept = _fitting(maximal.sets, SLOTS[0] + SLOTS[1] * graph.num_edges)
    larger = maximal.sets.take(kept)
    if maximal.complete and kept.size == int((maximal.sets.sizes > 2).sum()):
        return larger, True
    known, grown = set(_keys(larger)), greedy_cliques(graph)
    fresh = [i for i, key in enumerate(_keys(grown)) if grown.sizes[i] > 2 and key not in known]
    return Sets.join([larger, grown.take(np.array(fresh, np.int64))]), False


def _fitting(sets: Sets, slots: int) -> np.ndarray:
    """The numbers of the sets of three and more nodes, thinned evenly if they hold above `slots` pairs."""
    larger = np.flatnonzero(sets.sizes > 2)
    total = int((sets.sizes[larger] * (sets.sizes[larger] - 1) // 2).sum())
    return larger[:: max(1, -(-total // slots))]


def _keys(sets: Sets) -> list[bytes]:
    """Each set as bytes, to compare sets by hash."""
    return [part.tobytes() for part in np.split(sets.members, sets.offsets[1:-1])] if sets.num else []
