"""A greedy edge clique cover against its definition."""

import naive
import numpy as np
from conftest import random_graph

from mhmgnn.subgraphs.clique_cover import greedy_cliques


def test_cliques_grow_by_the_node_that_covers_most_new_edges(seed):
    for nodes, edges in ((12, 30), (25, 150), (30, 300)):
        graph = random_graph(seed, nodes=nodes, edges=edges)
        found = greedy_cliques(graph)
        cliques = [part.tolist() for part in np.split(found.members, found.offsets[1:-1])]
        assert cliques == naive.greedy_cover(graph)
