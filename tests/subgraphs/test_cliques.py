from collections import Counter
from itertools import combinations
from math import comb

import igraph
import naive
import numpy as np
import pytest
from conftest import hub, lollipop, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from mhmgnn import DataError, Graph
from mhmgnn.subgraphs.cliques import count_cliques, draw_cliques, draw_ranks, list_cliques


def cliques(graph: Graph, k: int) -> set[frozenset[int]]:
    """Every k nodes that are all adjacent, by the definition."""
    near = naive.adjacency(graph)
    sets = combinations(range(graph.num_nodes), k)
    return {frozenset(c) for c in sets if all(v in near[u] for u, v in combinations(c, 2))}


def as_sets(ksets: np.ndarray) -> Counter[frozenset[int]]:
    return Counter(map(frozenset, ksets.tolist()))


def complete(n: int) -> Graph:
    return Graph.from_edges(list(combinations(range(n), 2)))


def overlapping(seed: int, carts: int = 60, nodes: int = 90, largest: int = 25) -> igraph.Graph:
    """Cliques of very different sizes thrown over each other, as in a graph of products bought together."""
    rng = np.random.default_rng(seed)
    sets = [rng.choice(nodes, rng.integers(2, largest), replace=False) for _ in range(carts)]
    edges = [pair for nodes_of in sets for pair in combinations(nodes_of.tolist(), 2)]
    return igraph.Graph(n=nodes, edges=edges).simplify()


def ours(source: igraph.Graph) -> Graph:
    return Graph.from_edges(source.get_edgelist(), num_nodes=source.vcount())


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_every_clique_is_listed_once(small, k):
    found = list_cliques(small, k)
    assert as_sets(found) == Counter(cliques(small, k))
    assert found.shape == (count_cliques(small, k), k)
    assert (np.diff(found) > 0).all()


@given(seed=st.integers(0, 10**6), k=st.integers(2, 7), edges=st.integers(8, 60))
@settings(max_examples=60, deadline=None)
def test_listing_equals_the_definition_on_random_graphs(seed, k, edges):
    graph = random_graph(seed, nodes=10, edges=edges)
    assert as_sets(list_cliques(graph, k)) == Counter(cliques(graph, k))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_list_is_that_of_igraph_where_a_mask_is_longer_than_a_word(k):
    """Two rings of 70, every node of one adjacent to every node of the other."""
    source = igraph.Graph.Full_Bipartite(70, 70) | (igraph.Graph.Ring(70) + igraph.Graph.Ring(70))
    assert max(source.coreness()) == 72
    assert as_sets(list_cliques(ours(source), k)) == Counter(map(frozenset, source.cliques(k, k)))


@pytest.mark.parametrize("k", [3, 4, 5, 6, 8])
def test_counts_are_those_of_igraph_where_cliques_overlap(k, seed):
    source = overlapping(seed, carts=25, largest=18)
    assert count_cliques(ours(source), k) == len(source.cliques(k, k))


@pytest.mark.parametrize("k", [2, 5, 8, 16])
def test_a_clique_of_200_nodes_holds_as_many_as_the_formula_says(k):
    if comb(200, k) < 2**61:
        assert count_cliques(complete(200), k) == comb(200, k)
    else:
        with pytest.raises(DataError, match="take another k"):
            count_cliques(complete(200), k)


def test_more_cliques_than_the_limit_are_refused():
    assert len(list_cliques(complete(9), 4, limit=126)) == 126
    with pytest.raises(DataError, match="has 126 4-cliques, more than 125; raise `limit`"):
        list_cliques(complete(9), 4, limit=125)


@pytest.mark.parametrize("k", [1, 17, 2.5, True, "3"])
def test_a_k_out_of_range_is_refused(small, k):
    with pytest.raises(DataError, match="whole number from 2 to 16"):
        count_cliques(small, k)


@pytest.mark.parametrize("nodes", [0, 1, 4])
def test_a_graph_without_edges_has_no_cliques(nodes):
    graph = Graph(np.zeros(nodes + 1, np.int64), np.empty(0, np.int32))
    assert count_cliques(graph, 2) == 0
    assert list_cliques(graph, 3).shape == (0, 3)
    assert draw_cliques(graph, 3, 5, np.random.default_rng(0))[0].shape == (0, 3)


def test_threads_do_not_change_the_list():
    graph = ours(overlapping(1, carts=20))
    np.testing.assert_array_equal(list_cliques(graph, 4, threads=1), list_cliques(graph, 4, threads=3))


def test_drawn_cliques_are_distinct_and_of_the_graph(seed):
    graph = ours(overlapping(2, carts=12))
    listed = as_sets(list_cliques(graph, 4))
    for most in (1, 100, len(listed) // 2 + 1, len(listed) - 1):
        drawn, total = draw_cliques(graph, 4, most, np.random.default_rng(seed))
        assert total == len(listed)
        assert len(as_sets(drawn)) == len(drawn) == most
        assert set(as_sets(drawn)) <= set(listed)
        assert (np.diff(drawn) > 0).all()


def test_all_come_where_there_are_no_more_than_asked_for(small):
    drawn, total = draw_cliques(small, 3, 10**6, np.random.default_rng(0))
    assert total == len(drawn)
    assert as_sets(drawn) == as_sets(list_cliques(small, 3))


@pytest.mark.parametrize("graph", [lollipop(), hub(), random_graph(7, nodes=9, edges=40)])
@pytest.mark.parametrize("most", [1, 2])
def test_every_clique_is_drawn_equally_often(graph, most, seed):
    truth, rng, times = cliques(graph, 3), np.random.default_rng(seed), 1_500
    met = Counter(c for _ in range(times) for c in as_sets(draw_cliques(graph, 3, most, rng, threads=1)[0]))
    share = min(most / len(truth), 1)
    spread = np.sqrt(times * share * (1 - share))
    assert all(abs(met[c] - times * share) <= 4.5 * spread for c in truth)


def test_of_cliques_too_many_to_list_each_kind_comes_with_its_share(seed):
    """Two cliques of 60 and 80 nodes: the share of the 6-cliques in the larger is known."""
    edges = [*combinations(range(60), 2), *combinations(range(60, 140), 2), (0, 60)]
    drawn, total = draw_cliques(Graph.from_edges(edges), 6, 20_000, np.random.default_rng(seed))
    assert total == comb(60, 6) + comb(80, 6)
    share = comb(80, 6) / total
    z = ((drawn[:, 0] >= 60).mean() - share) / np.sqrt(share * (1 - share) / len(drawn))
    assert abs(z) < 4
    holds_70 = (drawn == 70).any(axis=1).mean()
    z = (holds_70 - comb(79, 5) / total) / np.sqrt(holds_70 * (1 - holds_70) / len(drawn))
    assert abs(z) < 4


def test_a_seed_fixes_the_draw_whatever_the_threads():
    graph = ours(overlapping(3))
    draws = [draw_cliques(graph, 5, 50, np.random.default_rng(7), threads=t)[0] for t in (1, 3)]
    np.testing.assert_array_equal(*draws)
    other = draw_cliques(graph, 5, 50, np.random.default_rng(8))[0]
    assert as_sets(draws[0]) != as_sets(other)


@pytest.mark.parametrize(("total", "most"), [(10, 3), (10, 5), (10, 8), (10, 9)])
def test_every_rank_is_drawn_equally_often(total, most, seed):
    rng, times = np.random.default_rng(seed), 4_000
    met = np.zeros(total)
    for _ in range(times):
        ranks = draw_ranks(total, most, rng)
        assert (np.diff(ranks) > 0).all()
        assert ranks.size == most
        met[ranks] += 1
    share = most / total
    assert (np.abs(met - times * share) < 4.5 * np.sqrt(times * share * (1 - share))).all()
