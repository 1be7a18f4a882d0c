"""Groups without any choice: every pair, or every clique that no node can join."""

from __future__ import annotations

import numpy as np

from mhmgnn.baselines.recovery.recovered import Recovered
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.subgraphs import maximal


def every_pair(graph: Graph) -> Recovered:
    """Every pair of the graph is a group of two."""
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    once = owner < graph.indices
    return Recovered(Sets.of_rows(np.column_stack([owner[once], graph.indices[once]])), complete=True)


def maximal_cliques(graph: Graph) -> Recovered:
    """Every clique of two nodes and more that lies in no larger one; not all where they are too many."""
    return Recovered(*maximal.maximal_cliques(graph))
