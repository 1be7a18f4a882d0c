"""Local pushes against their definition: the same walks, with a dict in place of arrays of places."""

import naive
import numpy as np
import pytest
from conftest import random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from mhmgnn import Graph
from mhmgnn.models import _push
from mhmgnn.models.completion import _highest


def pushed(graph: Graph, places: _push.Places, known: int, start: int, onward: float, most: int):
    """The weight of each node met, in order, and how many places are taken then."""
    weights = np.empty(0, np.float32) if graph.weights is None else graph.weights
    known, count = _push.push(*graph.rows, weights, graph.strengths, start, onward, most, places, known)
    met = places.met[:count].copy()
    found = dict(
        zip(places.node[met].tolist(), (places.passed[met] + places.waiting[met]).tolist(), strict=True)
    )
    total = np.zeros(graph.num_nodes + 1)
    _push.gather(places, count, 1.0, 0.1, total)
    expected = np.log1p(np.array([*found.values()]) / 0.1)
    np.testing.assert_allclose(total[met], expected)
    return found, known


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize(("onward", "most"), [(0.6, 10**6), (0.9, 60), (0.9, 200)])
def test_pushes_are_as_defined_whatever_was_met_before_them(counted, onward, most):
    graph = random_graph(5, nodes=80, edges=160)
    if counted:
        pairs = [(u, v) for u, near in naive.adjacency(graph).items() for v in near if u < v]
        graph = Graph.from_edges(pairs, weights=np.arange(1, len(pairs) + 1), num_nodes=80)
    counts = [1.0] * graph.indices.size if graph.weights is None else graph.weights.tolist()
    places, known, met = _push.Places.empty(graph.degrees), 0, set()
    for start in (3, 17, 3, 60):
        found, known = pushed(graph, places, known, start, onward, most)
        expected = naive.push(graph, counts, start, onward, most, graph.strengths.tolist())
        assert found == expected
        assert list(found) == list(expected)
        met |= found.keys()
        assert set(places.node[1 : known + 1].tolist()) == met
        assert known == len(met)
        assert not any(array.any() for array in (places.passed, places.waiting, places.state))
    _push.leave(places, known)
    assert not places.of[:, _push.PLACE].any()


def test_a_node_without_neighbours_keeps_all_its_mass():
    graph = Graph.from_edges([(0, 1)], num_nodes=3)
    assert pushed(graph, _push.Places.empty(graph.degrees), 0, 2, 0.5, 100) == ({2: 1.0}, 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 20_000), st.integers(1, 30), st.integers(1, 10**6), st.integers(0, 99))
def test_the_highest_scores_are_those_of_a_sort_also_where_many_are_equal(size, enough, kinds, seed):
    scores = np.random.default_rng(seed).integers(kinds, size=size).astype(np.float64)
    enough = min(enough, size)
    found = _highest(scores, enough)
    assert np.unique(found).size == enough
    np.testing.assert_array_equal(np.sort(scores[found]), np.sort(scores)[size - enough :])
