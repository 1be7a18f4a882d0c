"""Groups without any choice: every pair, or every clique that no node can join."""

from __future__ import annotations

from itertools import islice

import numpy as np

from mhmgnn.baselines.recovery.recovered import Recovered
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets

MOST = 10**6  # maximal cliques that are listed


def every_pair(graph: Graph) -> Recovered:
    """Every pair of the graph is a group of two."""
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    once = owner < graph.indices
    return Recovered(Sets.of_rows(np.column_stack([owner[once], graph.indices[once]])), complete=True)


def maximal_cliques(graph: Graph, *, most: int = MOST) -> Recovered:
    """Every clique of two nodes and more that lies in no larger one; of more than `most`, the first."""
    import networkx

    pairs = every_pair(graph).sets.members.reshape(-1, 2)
    cliques = networkx.find_cliques(networkx.Graph(pairs.tolist()))
    found = Recovered.of(islice(cliques, most))
    return found._replace(complete=next(cliques, None) is None)
