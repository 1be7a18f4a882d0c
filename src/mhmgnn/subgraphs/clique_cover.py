"""A graph -> few cliques that together hold every edge, grown one after another."""

from __future__ import annotations

from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.subgraphs import _clique_cover


def greedy_cliques(graph: Graph) -> Sets:
    """A greedy edge clique cover, after Conte, Grossi and Marino (2016): maximal cliques, members sorted.

    A clique grows from each edge that is not covered yet, by the node that covers the most new edges, of
    several the first.

    >>> greedy_cliques(Graph.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]])).members.tolist()
    [0, 1, 2, 2, 3]
    """
    return Sets(*_clique_cover.grow_cliques(*graph.rows))
