"""Random connected sets that are no cliques: checked against the definition, set by set."""

from itertools import combinations

import naive
import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import Graph
from mhmgnn.graph.csr import pairs_missing
from mhmgnn.graph.sets import Sets
from mhmgnn.subgraphs.cliques import list_cliques
from mhmgnn.subgraphs.loose import loose_sets, near_cliques


def missing(graph: Graph, kset) -> int:
    near = naive.adjacency(graph)
    return sum(v not in near[u] for u, v in combinations(kset, 2))


@pytest.mark.parametrize("j", [2, 3])
def test_a_clique_gets_a_node_that_is_adjacent_to_all_of_it_but_one(j, seed):
    graph = random_graph(seed, nodes=12, edges=40)
    cliques = list_cliques(graph, j)
    found = near_cliques(graph, np.repeat(cliques, 5, axis=0), np.random.default_rng(seed))
    near = naive.adjacency(graph)
    possible = {
        frozenset({*clique, v})
        for clique in cliques.tolist()
        for v in set(near) - set(clique)
        if len(near[v] & set(clique)) == j - 1
    }
    assert {frozenset(row) for row in found.tolist()} <= possible
    assert all(missing(graph, row) == 1 for row in found.tolist())
    assert (np.diff(found) > 0).all()
    many = near_cliques(graph, np.repeat(cliques, 200, axis=0), np.random.default_rng(seed))
    assert {frozenset(row) for row in many.tolist()} == possible


def test_a_complete_graph_has_no_near_cliques_and_no_loose_sets():
    graph = Graph.from_edges(list(combinations(range(6), 2)))
    assert not len(near_cliques(graph, list_cliques(graph, 3), np.random.default_rng(0)))
    assert not len(loose_sets(graph, 4, 50, np.random.default_rng(0)))


@pytest.mark.parametrize("k", [3, 4, 5])
def test_loose_sets_are_the_connected_sets_that_are_no_cliques(k, seed):
    graph = random_graph(seed, nodes=9, edges=14)
    found = {frozenset(row) for row in loose_sets(graph, k, 20_000, np.random.default_rng(seed)).tolist()}
    assert found == {kset for kset in naive.connected_sets(graph, k) if missing(graph, kset)}


def test_a_component_that_is_too_small_ends_the_search():
    assert not len(loose_sets(Graph.from_edges([(0, 1), (2, 3)]), 3, 20, np.random.default_rng(0)))


def test_missing_pairs_are_counted_in_sets_of_any_size(seed):
    graph = random_graph(seed)
    rng = np.random.default_rng(seed)
    asked = [np.sort(rng.choice(12, rng.integers(1, 8), replace=False)) for _ in range(50)]
    sets = Sets(np.concatenate(asked), np.cumsum([0, *map(len, asked)]))
    expected = [missing(graph, kset.tolist()) for kset in asked]
    assert pairs_missing(*graph.rows, *sets).tolist() == expected
