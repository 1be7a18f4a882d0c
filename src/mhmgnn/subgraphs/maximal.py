"""The maximal cliques of a graph."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.runtime import threads as cores
from mhmgnn.subgraphs import _cliques, _maximal

STEPS = 10**6, 8  # limit of the search, and its increase per edge: there may be 3^(n / 3) maximal cliques
PIECES = 64  # of the work, each with its share of the steps; their number does not depend on threads


class MaximalCliques(NamedTuple):
    """Maximal cliques of two and more nodes."""

    sets: Sets  # members sorted in each
    complete: bool  # whether these are all


def maximal_cliques(graph: Graph, *, threads: int | None = None) -> MaximalCliques:
    """Maximal cliques of two and more nodes: all, or those found within a bounded number of steps.

    They and their order do not depend on the number of threads. A clique of 200 nodes takes 200 steps.

    >>> maximal_cliques(Graph.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]])).sets.members.tolist()
    [0, 1, 2, 2, 3]
    """
    start, later = _cliques.later_rows(*graph.rows, _cliques.degeneracy_rank(*graph.rows))
    first, earlier = _maximal.earlier_rows(start, later)
    threads = threads or cores.available()
    steps = (STEPS[0] + STEPS[1] * graph.num_edges) // PIECES

    def walk(stretch: tuple[int, int]) -> MaximalCliques:
        members, offsets, complete = _maximal.maximal_of_roots(start, later, first, earlier, *stretch, steps)
        return MaximalCliques(Sets(members, offsets), complete)

    bounds = np.unique(np.linspace(0, graph.num_nodes, PIECES + 1).astype(np.int64)).tolist()
    found = [*cores.side_by_side(walk, pairwise(bounds), threads)]
    return MaximalCliques(Sets.join([part.sets for part in found]), all(part.complete for part in found))
