"""Trivial baselines of recovery: every pair is a group, or every maximal clique is."""

from __future__ import annotations

from mhmgnn.baselines.recovery.recovered import Recovered
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.subgraphs import maximal


def every_pair(graph: Graph) -> Recovered:
    """Every pair of the graph is a group of two."""
    return Recovered(Sets.of_edges(*graph.rows), complete=True)


def maximal_cliques(graph: Graph) -> Recovered:
    """Every maximal clique of two and more nodes is a group; not complete if there are too many."""
    return Recovered(*maximal.maximal_cliques(graph))
