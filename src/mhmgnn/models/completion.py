r"""Given nodes -> the nodes that would join them in a new group, ranked by random walks with restart.

.. math:: \text{score}(v) = (1 - t) \frac{1}{|U|} \sum_{u \in U} \log (P_u(v) + 10^{-3}) + t \, d(v)

:math:`P_u` is the personalised PageRank of u: at each node the walk ends with probability `restart`, or steps
to a neighbour in proportion to counts. A mean of logs favours nodes that all given nodes reach. `restart`
follows from the graph: where it has more triangles than its degrees explain, close neighbours matter and
walks are short; where it has no more, popularity matters and walks are long.

:math:`d` says how v is tied to the given nodes directly. With counts it is the log of
:math:`\sum_u B_u(v) + 10^{-2}` (0 in place of negative sums), where
:math:`B_u(v) = q_{uv} - \sum_z q_{uz} q_{zv}`, with :math:`q_{uv} = w_{uv} / (s_u + \bar s)`, is the part of
the count of u and v that third nodes do not explain. From pairs alone it is the mean over u of
:math:`\log (J_{uv} + 10^{-2})`, where :math:`J_{uv}` is the overlap of u and v, 0 if they are not adjacent.
`completion_tuning.tune` says which weight t, `direct`, suits a graph; from pairs alone it is 0 for most.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from mhmgnn.context.pairs import NO_COUNTS, overlaps
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.models import _push
from mhmgnn.subgraphs.cliques import count_cliques
from mhmgnn.subgraphs.exact import is_connected
from mhmgnn.subgraphs.excerpt import excerpt
from mhmgnn.subgraphs.rewire import rewire

FLOORS = 1e-3, 1e-2  # added to P, and to B or J: smaller values hardly count
READ = 40_000  # row entries that all walks of a query read together, about; half as many more with counts
LEAST_READ = 5_000  # row entries of one walk, however many nodes are given
SLOPE, NEAREST, FARTHEST = 3.0, 0.8, 0.15  # restart per unit of excess clustering; its upper and lower bound
EDGES = 200_000  # clustering is measured on at most this many edges of the graph
PROBED = 2_048  # scores that say which of many may be among the highest
LEAST_POWER = 0.2  # overlap with a smaller power changes too little to be worth its cost


class Candidate(NamedTuple):
    """A node that completes a set, the energy of the completed set, and the score that ranks it."""

    name: str
    node: int
    energy: float  # nan where the model has none for the set
    score: float


class Tuning(NamedTuple):
    """How walks and direct ties are weighed in one graph."""

    restart: float  # the probability that a walk ends at a node: the larger, the shorter are walks
    direct: float  # t, the weight of direct ties; walks have the rest


class Completer:
    """Ranks the nodes of one graph by how likely they are to join given nodes in a new group.

    `overlap` says how much the nodes of each CSR entry overlap, (2e,); it is asked only if the answer counts.
    """

    def __init__(
        self,
        graph: Graph,
        tuning: Tuning | None = None,
        overlap: Callable[[Graph], np.ndarray] = overlaps,
    ) -> None:
        self.graph = graph
        self.tuning = usual_tuning(graph) if tuning is None else tuning
        overlap = cache(overlap)
        self._weights, self._strengths = step_weights(graph, overlap)
        pairs_alone = graph.weights is None and self.tuning.direct > 0
        self._ties = np.log1p(overlap(graph) / FLOORS[1]).astype(np.float32) if pairs_alone else NO_COUNTS
        self._scratch = threading.local()  # of each thread

    def scores(self, given: np.ndarray) -> np.ndarray:
        """A score for each node, (n,), high for likely members; -inf for `given`, (u,), themselves.

        Nodes that no walk reached come last: first those without an edge, then the others by strength.
        """
        strengths = self._strengths
        last = np.where(strengths > 0, strengths / (1 + strengths.max(initial=0.0)) - 1, 0.0)
        found: np.ndarray = self._floor + last - 1
        nodes, scores = self._reached(given)
        found[nodes] = scores
        found[given] = -np.inf
        return found

    def best(self, given: np.ndarray, top: int, exclude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The best `top` that are not given nor excluded, best first, and their scores."""
        out = np.concatenate([given, exclude])
        nodes, scores = self._reached(given)
        if nodes.size < top + out.size:  # too few were reached: rank all nodes
            scores = self.scores(given)
            nodes = np.arange(scores.size)
        some = _highest(scores, min(top + out.size, nodes.size))
        some = some[~np.isin(nodes[some], out)]
        order = some[np.lexsort((nodes[some], -scores[some]))][:top]
        return nodes[order], scores[order]

    def _reached(self, given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nodes that walks reached, (m,) int64, unordered, and their scores, (m,)."""
        direct = self.tuning.direct
        nodes, walked, tied = self.parts(given)
        return nodes, (1 - direct) * walked + direct * tied

    def parts(self, given: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The nodes that walks reached, (m,) int64, and both parts of their scores, (m,) each."""
        places, totals, sums = self._arrays()
        known, most = 0, max(READ // given.size, LEAST_READ)
        rows, weights, stay = self.graph.rows, self._weights, self.tuning.restart
        for node in given.tolist():
            known, count = _push.push(*rows, weights, self._strengths, node, 1 - stay, most, places, known)
            _push.gather(places, count, stay, FLOORS[0], totals)
        counted, tuned = self.graph.weights is not None, self.tuning.direct > 0
        if tuned and counted and weights.size:
            known = _push.unexplained(*rows, weights, self._smoothed, given, READ // 2, places, known, sums)
        elif tuned:
            known = _push.add_entries(*rows, self._ties, given, places, known, sums)
        met = slice(1, known + 1)
        nodes = places.node[met].astype(np.int64)
        walked = totals[met] / given.size + np.log(FLOORS[0])
        if counted:
            tied = np.log(np.maximum(sums[met], 0.0) + FLOORS[1])
        else:
            tied = sums[met] / given.size + np.log(FLOORS[1])
        _push.leave(places, known)
        totals[met] = sums[met] = 0
        return nodes, walked, tied

    @property
    def _floor(self) -> float:
        """The score of a node that no walk reached."""
        direct = self.tuning.direct
        return float((1 - direct) * np.log(FLOORS[0]) + direct * np.log(FLOORS[1]))

    @cached_property
    def _smoothed(self) -> np.ndarray:
        """The strengths plus their mean, (n,): nodes that were seldom seen say less."""
        return self._strengths + max(float(self._strengths.mean()), 1.0)

    def _arrays(self) -> _Scratch:
        if not hasattr(self._scratch, "arrays"):
            n = self.graph.num_nodes
            places = _push.Places.empty(self.graph.degrees)
            self._scratch.arrays = _Scratch(places, np.zeros(n + 1), np.zeros(n + 1))
        arrays: _Scratch = self._scratch.arrays
        return arrays


class _Scratch(NamedTuple):
    """Arrays of one thread; sums stand where their nodes have their places, and are zero between queries."""

    places: _push.Places
    totals: np.ndarray  # (n + 1,) of logs, of walks
    sums: np.ndarray  # (n + 1,) of direct ties


def _highest(scores: np.ndarray, enough: int) -> np.ndarray:
    """The indices of the `enough` highest scores, unordered.

    Of many scores only those are compared that are as high as the `enough` highest of the first ones.
    """
    first = max(PROBED, 4 * enough)
    some = np.arange(scores.size)
    if scores.size > 2 * first:
        some = np.flatnonzero(scores >= np.partition(scores[:first], first - enough)[first - enough])
    return some[np.argpartition(-scores[some], enough - 1)[:enough]]


def usual_tuning(graph: Graph) -> Tuning:
    """What the graph says at a glance: its clustering, and how much its counts repeat."""
    repeats = repeated(graph)
    return Tuning(restart_of(graph), repeats / (1 + repeats) / 2)


def restart_of(graph: Graph) -> float:
    """The restart probability: it rises with clustering beyond that of the rewired graph."""
    rng = np.random.default_rng(0)
    some = excerpt(graph, EDGES, rng)
    seen, by_chance = clustering(some), clustering(rewire(some, rng))
    return float(np.clip(SLOPE * (seen - by_chance) / max(1 - by_chance, 0.01), FARTHEST, NEAREST))


def repeated(graph: Graph) -> float:
    """The share of the counts that is beyond the first of each pair, from 0 to 1; 0 from pairs alone.

    >>> repeated(Graph.from_edges([[0, 1], [1, 2]], weights=[3, 1]))
    0.5
    """
    total = 0.0 if graph.weights is None else float(graph.weights.sum(dtype=np.float64))
    return max(0.0, 1 - 2 * graph.num_edges / total) if total else 0.0


def step_weights(graph: Graph, overlap: Callable[[Graph], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    r"""The weight of each CSR entry for a walk, (2e,), empty if all are equal; and their sums per node, (n,).

    Weights are counts. A graph without counts is weighted by overlap, :math:`J^{1 - 2 G}`, where J is the
    overlap that planted worlds use and G the Gini coefficient of the degrees; for G of one half and more all
    weights are equal, as popularity predicts better there.
    """
    if graph.weights is not None:
        return graph.weights, np.asarray(graph.strengths, np.float64)
    power = 1 - 2 * gini(graph.degrees[graph.degrees > 0])
    if power < LEAST_POWER:
        return NO_COUNTS, graph.degrees.astype(np.float64)
    weights = overlap(graph).astype(np.float64) ** power
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    return weights.astype(np.float32), np.bincount(owner, weights, graph.num_nodes)


def gini(values: np.ndarray) -> float:
    """The Gini coefficient of non-negative values: 0 if all are equal, near 1 if one holds nearly everything.

    >>> gini(np.array([1, 1, 1])), gini(np.array([0, 0, 0, 1]))
    (0.0, 0.75)
    """
    if not values.size:
        return 0.0
    rank = np.arange(1, values.size + 1)
    ordered = np.sort(values).astype(np.float64)
    return float((2 * rank - values.size - 1) @ ordered / (values.size * ordered.sum()))


def clustering(graph: Graph) -> float:
    """Global clustering coefficient: the share of pairs of neighbours of a node that are adjacent."""
    degrees = graph.degrees.astype(np.float64)
    return 6 * count_cliques(graph, 3) / max(float((degrees * (degrees - 1)).sum()), 1.0)


def given_nodes(graph: Graph, nodes: Sequence[Any]) -> np.ndarray:
    """Node indices of names or indices, (u,) int64, each once; what is unknown or repeated is an error."""
    if isinstance(nodes, str) or not len(nodes):
        raise DataError(f"{nodes!r} is no list of nodes; give one node or more, such as ['a', 'b']")
    found = node_indices(graph, nodes)
    distinct, times = np.unique(found, return_counts=True)
    if (times > 1).any():
        raise DataError(f"node {graph.label(int(distinct[times > 1][0]))!r} is given twice; give each once")
    return found


def node_indices(graph: Graph, nodes: Sequence[Any]) -> np.ndarray:
    """Node indices of names or indices, (m,) int64; what is unknown is an error."""
    return np.array([graph.ksets([[node]], k=1)[0, 0] for node in nodes], np.int64)


def candidates(graph: Graph, nodes: np.ndarray, energies: np.ndarray, scores: np.ndarray) -> list[Candidate]:
    """Nodes, (m,), with their names, energies and scores."""
    rows = zip(nodes.tolist(), energies.tolist(), scores.tolist(), strict=True)
    return [Candidate(graph.label(node), node, energy, score) for node, energy, score in rows]


def complete_by_energy(
    graph: Graph,
    given: np.ndarray,
    k: int,
    energies: Callable[[np.ndarray], np.ndarray],
    *,
    top: int,
    exclude: np.ndarray,
) -> list[Candidate]:
    """The nodes that complete k - 1 given nodes, (k-1,), to a connected k-set, lowest energy first; exact."""
    if given.size != k - 1:
        raise DataError(f"{given.size} nodes are given; by an energy of noise, of k = {k}, give {k - 1}")
    near = np.setdiff1d(completions(graph, given), exclude)
    found = energies(with_each(given, near))
    best = np.lexsort((near, found))[:top]
    return candidates(graph, near[best], found[best], -found[best])


def completions(graph: Graph, nodes: np.ndarray) -> np.ndarray:
    """The nodes that complete `nodes`, (k-1,), to a connected k-set, (m,) int64."""
    rows = [graph.indices[graph.indptr[node] : graph.indptr[node + 1]] for node in nodes]
    near = np.setdiff1d(np.concatenate(rows), nodes).astype(np.int64)
    return np.asarray(near[is_connected(graph, with_each(nodes, near))])


def with_each(nodes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The k-sets of `nodes`, (k-1,), with each of `others`, (m, k), rows sorted."""
    return np.sort(np.column_stack([np.tile(nodes, (others.size, 1)), others]), axis=1)
