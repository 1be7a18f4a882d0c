"""A greedy edge clique cover, after Conte, Grossi and Marino (2016): few cliques that hold every pair."""

from __future__ import annotations

from mhmgnn.baselines.recovery.recovered import Recovered
from mhmgnn.graph import Graph
from mhmgnn.subgraphs.clique_cover import greedy_cliques


def greedy_cover(graph: Graph) -> Recovered:
    """Grow a maximal clique from each edge that is not covered yet.

    It grows by the node that covers the most new edges, of several the first.
    """
    return Recovered(greedy_cliques(graph), complete=True)
