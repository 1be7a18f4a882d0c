import naive
import numpy as np
import pytest
from conftest import random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from mhmgnn.subgraphs import _ksets, _walk, supernode
from mhmgnn.subgraphs.exact import check_k
from mhmgnn.subgraphs.supernode import grow, inside_unions, merge_sets


def sets_of(graph, k):
    return np.array(sorted(sorted(c) for c in naive.connected_sets(graph, k)), np.int64).reshape(-1, k)


@given(seed=st.integers(0, 10**6), k=st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_kernels_equal_the_definition_on_random_graphs(seed, k):
    graph = random_graph(seed, nodes=9, edges=16)
    rows, ksets = _ksets.Rows(*graph.rows), sets_of(graph, k)
    links = _ksets.links_of(rows, ksets)
    everything = [frozenset(c) for c in ksets.tolist()]
    if k > 1:
        assert _ksets.neighbour_counts(rows, ksets).tolist() == [
            len(naive.neighbours(graph, c)) for c in everything
        ]
        assert [_ksets.free_nodes(row) for row in links] == [naive.free_nodes(graph, c) for c in everything]
    assert _ksets.edge_codes(rows, ksets).tolist() == [naive.edge_code(graph, c) for c in ksets.tolist()]


def test_a_proposal_is_a_uniform_neighbour_and_its_trials_count_the_neighbours(small, seed):
    rows, stream = _ksets.Rows(*small.rows), np.array([[seed + 1, 2]], np.uint64)
    kset = sets_of(small, 3)[0]
    state = np.empty((4, 3), np.int64)
    _ksets.load(rows, kset, state)
    truth = naive.neighbours(small, frozenset(kset.tolist()))
    draws = 3000 * len(truth)
    met, inverse = dict.fromkeys(truth, 0), np.empty(draws)
    for i in range(draws):
        u, v, _, trials = _walk.propose(rows, state, stream[0])
        met[frozenset(kset.tolist()) - {int(kset[u])} | {int(v)}] += 1
        inverse[i] = trials / (3 * state[_ksets.DEGREE].sum())
    expected = draws / len(truth)
    chi2 = sum((count - expected) ** 2 / expected for count in met.values())
    assert chi2 < len(truth) + 5 * np.sqrt(2 * len(truth)) + 5
    assert abs(inverse.mean() - 1 / len(truth)) < 4.5 * inverse.std() / np.sqrt(draws) + 1e-12


def test_swapping_keeps_the_state_that_loading_gives(small):
    rows, stream = _ksets.Rows(*small.rows), np.array([1, 2], np.uint64)
    state, fresh = np.empty((4, 4), np.int64), np.empty((4, 4), np.int64)
    _ksets.load(rows, sets_of(small, 4)[0], state)
    for _ in range(50):
        u, v, m, _ = _walk.propose(rows, state, stream)
        _ksets.swap(rows, state, u, v, m)
        _ksets.load(rows, state[_ksets.NODE].copy(), fresh)
        np.testing.assert_array_equal(state, fresh)


def test_exits_are_the_neighbours_outside_the_supernode(small):
    for budget in (1, 4, 9):
        home = grow(small, check_k(small, 3), 3, budget, at_least=3, inside=None).home
        inside = set(map(frozenset, home.ksets.tolist()))
        exits = [len(naive.neighbours(small, c) - inside) for c in map(frozenset, home.ksets.tolist())]
        assert np.diff(home.exits, prepend=0).tolist() == exits


def test_a_supernode_meets_every_component_that_is_large_enough(small):
    component = check_k(small, 3)
    home = grow(small, component, 2, 1, at_least=3, inside=None).home
    large = set(np.flatnonzero(np.bincount(component) >= 3).tolist())
    assert {int(component[kset[0]]) for kset in home.ksets} == large


def test_a_large_budget_swallows_the_graph(small):
    swallowed = grow(small, check_k(small, 3), 3, 10**4, at_least=3, inside=None)
    assert swallowed.exits == 0
    assert set(map(frozenset, swallowed.home.ksets.tolist())) == naive.connected_sets(small, 3)


def test_a_large_supernode_is_scattered_and_still_meets_every_component(monkeypatch, small):
    monkeypatch.setattr(supernode, "LARGE", 20)
    monkeypatch.setattr(supernode, "NEAR", 5)
    component = check_k(small, 3)
    near = grow(small, component, 3, 19, at_least=3, inside=None).home.ksets
    far = grow(small, component, 3, 20, at_least=3, inside=None)
    held = far.home.ksets.tolist()
    assert held[:5] == near[:5].tolist()
    assert len(held) == len(set(map(frozenset, held)))
    wanted = {i for i in np.unique(component) if (component == i).sum() >= 3}
    assert set(component[far.home.ksets[:, 0]]) == wanted
    assert set(map(frozenset, held)) <= naive.connected_sets(small, 3)
    assert far.exits == sum(
        len(naive.neighbours(small, frozenset(kset)) - set(map(frozenset, held))) for kset in held
    )


def test_unions_inside_the_supernode_are_its_edges_weighted_by_multiplicity(small):
    for budget in (3, 10, 10**4):
        grown = grow(small, check_k(small, 3), 2, budget, at_least=3, inside=None)
        held = [frozenset(c) for c in grown.home.ksets.tolist()]
        edges = sorted(sorted(a | b) for i, a in enumerate(held) for b in held[:i] if len(a & b) == 1)
        parts = list(inside_unions(small, grown))
        found = [kset for ksets, _ in parts for kset in ksets.tolist()]
        assert sorted(found) == edges
        for ksets, weights in parts:
            for kset, weight in zip(ksets.tolist(), weights, strict=True):
                free = naive.free_nodes(small, frozenset(kset))
                assert weight == 2 / (free * (free - 1))


def test_a_supernode_ends_where_too_many_edges_would_lie_inside(small):
    component = check_k(small, 3)
    seeds = int((np.bincount(component) >= 3).sum())
    for inside in (0, 3, 12):
        grown = grow(small, component, 2, 10**4, at_least=3, inside=inside)
        held = [frozenset(c) for c in grown.home.ksets.tolist()]
        edges = sum(len(a & b) == 1 for i, a in enumerate(held) for b in held[:i])
        assert edges <= inside or len(held) == seeds


def test_merging_numbers_equal_sets_alike():
    ksets = np.random.default_rng(0).permuted(
        np.random.default_rng(1).choice(6, (200, 1)) + np.arange(3) * 7, axis=1
    )
    merged = merge_sets(np.ascontiguousarray(ksets))
    numbers = {
        frozenset(kset): number for kset, number in zip(ksets.tolist(), merged.number.tolist(), strict=True)
    }
    assert len(numbers) == merged.first.size == len(set(numbers.values()))
    for kset, number in zip(ksets.tolist(), merged.number.tolist(), strict=True):
        assert set(ksets[merged.first[number]].tolist()) == set(kset)


@pytest.mark.parametrize("long", [1, 3, 5])
def test_neighbours_of_sets_around_hubs_are_counted_by_definition(monkeypatch, long):
    graph = random_graph(long, nodes=9, edges=20)
    rows, ksets = _ksets.Rows(*graph.rows), sets_of(graph, 4)[::-1]
    monkeypatch.setattr(_ksets, "LONG", long)
    monkeypatch.setattr(_ksets, "hubs_first", _ksets.hubs_first.py_func)
    counted = _ksets.neighbour_counts.py_func(rows, ksets).tolist()
    assert counted == [len(naive.neighbours(graph, frozenset(c))) for c in ksets.tolist()]
