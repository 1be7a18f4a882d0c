from itertools import combinations

import naive
import numpy as np
import pytest
from conftest import SMALL, islands, lollipop, random_graph

from mhmgnn import DataError, Graph
from mhmgnn.models.completion import completions, with_each
from mhmgnn.models.search import lowest


def random_energies(graph, k, seed=0):
    """An energy for each connected k-set, and the function that knows no others."""
    ksets = sorted(map(sorted, naive.connected_sets(graph, k)))
    energy = dict(zip(map(tuple, ksets), np.random.default_rng(seed).normal(size=len(ksets)), strict=True))
    return energy, lambda asked: np.array([energy[tuple(kset)] for kset in asked.tolist()], np.float32)


def sums(of_node):
    """An energy that is the sum of a number for each node, so that going down leads to the bottom."""
    return lambda ksets: of_node[ksets].sum(axis=1).astype(np.float32)


def listed(ranked):
    return list(map(tuple, ranked.ksets.tolist()))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_completions_match_the_definition(small, k):
    near = naive.adjacency(small)
    for start in combinations(range(small.num_nodes), k - 1):
        others = sorted(set(near) - set(start))
        expected = [v for v in others if naive.is_connected(near, frozenset((*start, v)))]
        assert completions(small, np.array(start)).tolist() == expected


def test_a_set_with_each_of_others_is_sorted_row_by_row():
    found = with_each(np.array([7, 3]), np.array([9, 1, 5]))
    assert found.tolist() == [[3, 7, 9], [1, 3, 7], [3, 5, 7]]
    assert with_each(np.array([7, 3]), np.array([], np.int64)).shape == (0, 3)


WISHES = [{}, {"require": [4]}, {"require": [3, 4]}, {"exclude": [4, 6]}, {"require": [1], "exclude": [3]}]


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("cliques", [False, True], ids=["all", "cliques"])
@pytest.mark.parametrize("wish", WISHES, ids=str)
@pytest.mark.parametrize("limit", [10**6, 1], ids=["exact", "descent"])
def test_the_lowest_are_those_of_brute_force(k, cliques, wish, limit):
    graph = lollipop()
    energy, score = random_energies(graph, k)
    near = naive.adjacency(graph)
    asked = {
        kset: value
        for kset, value in energy.items()
        if set(kset) >= set(wish.get("require", ()))
        and set(kset).isdisjoint(wish.get("exclude", ()))
        and (not cliques or all(b in near[a] for a, b in combinations(kset, 2)))
    }
    found = lowest(graph, k, score, 3, cliques=cliques, limit=limit, **wish)
    assert listed(found) == sorted(asked, key=asked.get)[:3]
    assert found.energies.tolist() == score(found.ksets).tolist()
    assert found.exact == (limit > 1 or len(naive.connected_sets(graph, k)) <= limit)


def test_the_exact_search_does_not_depend_on_chunks(monkeypatch):
    graph = random_graph(3)
    _, score = random_energies(graph, 3)
    whole = lowest(graph, 3, score, 9)
    monkeypatch.setattr("mhmgnn.models.search.CHUNK", 2)
    assert listed(lowest(graph, 3, score, 9)) == listed(whole)


def test_sets_of_equal_energy_come_in_the_order_of_their_nodes(small):
    found = lowest(small, 3, lambda ksets: np.zeros(len(ksets), np.float32), 10**6)
    assert listed(found) == sorted(tuple(sorted(kset)) for kset in naive.connected_sets(small, 3))


@pytest.mark.parametrize("name", SMALL)
def test_descent_comes_to_every_set_that_it_can_reach_and_to_none_twice(monkeypatch, name):
    monkeypatch.setattr("mhmgnn.models.search.STARTS", 40)
    graph = SMALL[name]()  # one of them has a component of three nodes, whose only set has no neighbour
    energy, score = random_energies(graph, 3)
    found = lowest(graph, 3, score, 10**3, limit=1)
    assert not found.exact
    assert listed(found) == sorted(energy, key=energy.get)


def test_where_no_set_has_a_neighbour_there_is_nothing_to_descend():
    triangles = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    assert listed(lowest(triangles, 3, sums(np.arange(6)), 5, limit=1)) == [(0, 1, 2), (3, 4, 5)]


def ladder(rungs):
    """Two long rails with rungs between them."""
    rails = [(node, node + 2) for node in range(2 * rungs - 2)]
    return Graph.from_edges([*rails, *((2 * rung, 2 * rung + 1) for rung in range(rungs))])


def test_descent_finds_the_lowest_set_far_from_where_it_starts(monkeypatch):
    monkeypatch.setattr("mhmgnn.models.search.STARTS", 2)
    graph, target = ladder(60), 90
    height = np.abs(np.arange(120) - target) + np.arange(120) / 1000
    found = lowest(graph, 3, sums(height), 4, limit=1)
    assert not found.exact
    np.testing.assert_array_equal(found.ksets, lowest(graph, 3, sums(height), 4).ksets)


def test_the_same_seed_finds_the_same_sets(monkeypatch, seed):
    monkeypatch.setattr("mhmgnn.models.search.STALE", 1)
    graph, height = ladder(60), np.random.default_rng(seed).normal(size=120)
    first, again = (lowest(graph, 4, sums(height), 20, limit=1, seed=seed) for _ in range(2))
    assert listed(first) == listed(again)


def test_required_nodes_may_come_twice_and_in_any_order():
    graph = lollipop()
    _, score = random_energies(graph, 3)
    for limit in (10**6, 1):
        found = lowest(graph, 3, score, 5, require=[4, 3, 4, 4], limit=limit)
        assert listed(found) == listed(lowest(graph, 3, score, 5, require=[3, 4]))


def test_growth_from_required_nodes_goes_around_excluded_ones():
    star = Graph.from_edges([*((0, leaf) for leaf in range(1, 400)), (399, 400)])
    found = lowest(star, 3, sums(np.arange(401)), 5, require=[0], exclude=range(1, 399), limit=1)
    assert (found.exact, listed(found)) == (False, [(0, 399, 400)])


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"require": [1, 2], "exclude": [2]}, "node '2' is both required and excluded"),
        ({"require": [1, 2, 3, 4]}, "4 nodes are required in sets of 3"),
        ({"require": [0, 8]}, "no k-set of the kind asked for"),
        ({"require": [6], "cliques": True}, "no k-set of the kind asked for"),
        ({"require": [0, 8], "limit": 1}, "not connected among themselves"),
        ({"require": [7], "exclude": [5, 8], "limit": 1}, "reach fewer than 3 nodes that are not excluded"),
        ({"require": [6], "cliques": True, "limit": 1}, "the search met no k-set of the kind asked for"),
    ],
    ids=str,
)
def test_a_wish_that_cannot_be_met_is_refused(wish, message):
    with pytest.raises(DataError, match=message):
        lowest(lollipop(), 3, sums(np.arange(9)), 5, **wish)


def test_a_component_that_is_too_small_for_the_required_nodes_is_refused():
    for limit in (10**6, 1):
        with pytest.raises(DataError, match="no k-set of the kind asked for"):
            lowest(islands(), 3, sums(np.arange(18)), 5, require=[15], limit=limit)
