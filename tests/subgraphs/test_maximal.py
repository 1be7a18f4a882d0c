"""Maximal cliques and graphs of chance, against their definitions."""

import naive
import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import Graph
from mhmgnn.graph.partition import communities
from mhmgnn.subgraphs.maximal import maximal_cliques
from mhmgnn.subgraphs.rewire import rewire_in_communities


def found(graph: Graph, **more) -> list[frozenset[int]]:
    sets = maximal_cliques(graph, **more).sets
    return [frozenset(part.tolist()) for part in np.split(sets.members, sets.offsets[1:-1])]


@pytest.mark.parametrize("edges", [8, 30, 60, 120])
def test_maximal_cliques_are_those_that_no_node_could_join(seed, edges):
    graph = random_graph(seed, nodes=16, edges=edges)
    cliques = found(graph)
    assert len(cliques) == len(set(cliques))
    assert set(cliques) == naive.maximal_cliques(graph)
    assert maximal_cliques(graph).complete


def test_maximal_cliques_of_the_small_graphs(small):
    assert set(found(small)) == naive.maximal_cliques(small)


def test_maximal_cliques_do_not_depend_on_threads():
    graph = random_graph(1, nodes=80, edges=1200)
    one, three = (maximal_cliques(graph, threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(one.sets.members, three.sets.members)
    np.testing.assert_array_equal(one.sets.offsets, three.sets.offsets)


def test_a_clique_of_200_nodes_is_one_maximal_clique():
    cliques = maximal_cliques(Graph.from_edges([(u, v) for u in range(200) for v in range(u)]))
    assert cliques.complete
    assert cliques.sets.sizes.tolist() == [200]


def test_more_maximal_cliques_than_can_be_met_are_not_all_met():
    apart = [(u, v) for u in range(150) for v in range(u) if u // 3 != v // 3]  # 3^50 maximal cliques
    cliques = maximal_cliques(Graph.from_edges(apart))
    assert not cliques.complete
    assert 0 < cliques.sets.num < 4 * 10**6


def test_rewiring_keeps_degrees_and_how_often_communities_meet(seed):
    rng = np.random.default_rng(seed)
    blocks = np.repeat(np.arange(4), 15)
    pairs = [
        (u, v)
        for u in range(60)
        for v in range(u)
        if rng.random() < (0.5 if blocks[u] == blocks[v] else 0.03)
    ]
    graph = Graph.from_edges(pairs, num_nodes=60)
    other = rewire_in_communities(graph, np.random.default_rng(seed))
    again = rewire_in_communities(graph, np.random.default_rng(seed))
    np.testing.assert_array_equal(graph.degrees, other.degrees)
    np.testing.assert_array_equal(other.indices, again.indices)
    block = communities(graph, seed=int(np.random.default_rng(seed).integers(2**31)))
    meetings = [
        np.bincount(block[np.repeat(np.arange(60), g.degrees)] * 60 + block[g.indices], minlength=3600)
        for g in (graph, other)
    ]
    np.testing.assert_array_equal(*meetings)
    changed = set(pairs) - {(u, v) for u in range(60) for v in naive.adjacency(other)[u]}
    assert len(changed) > 0.2 * len(pairs)
    assert all(u not in naive.adjacency(other)[u] for u in range(60))
