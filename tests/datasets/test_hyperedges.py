from itertools import combinations

import numpy as np
import pytest

from mhmgnn.datasets import load
from mhmgnn.datasets.hyperedges import Hyperedges, count_together, project, with_counts
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

CARTS = [{0, 1, 2}, {1, 2, 3, 4}, {0, 4}, {1, 2}, {0, 1, 2}]


@pytest.fixture
def carts() -> Hyperedges:
    return Hyperedges.from_padded(np.array([[*cart, -1, -1][:4] for cart in CARTS]))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_kset_is_held_as_the_definition_says(carts, k):
    ksets = np.array(list(combinations(range(6), k)))
    exact = [any(set(kset) == cart for cart in CARTS) for kset in ksets.tolist()]
    contained = [any(set(kset) <= cart for cart in CARTS) for kset in ksets.tolist()]
    assert carts.holds(ksets).tolist() == exact
    assert carts.holds(ksets, "contained").tolist() == contained


@pytest.mark.parametrize("least", [1, 2, 3])
def test_a_pair_remains_when_enough_hyperedges_hold_it(carts, least):
    kept = [pair for pair in combinations(range(6), 2) if sum(set(pair) <= cart for cart in CARTS) >= least]
    assert project(carts, 6, min_together=least).tolist() == [list(pair) for pair in kept]


@pytest.mark.parametrize("least", [1, 2, 3])
def test_a_pair_is_counted_in_every_hyperedge_that_holds_it(carts, least):
    seen = count_together(carts, 6, min_together=least)
    assert seen.times.tolist() == [sum(set(pair) <= cart for cart in CARTS) for pair in seen.pairs.tolist()]
    graph = Graph.from_edges(seen.pairs, num_nodes=6)
    counted = with_counts(graph, carts)
    assert np.array_equal(
        counted.weights, Graph.from_edges(seen.pairs, weights=seen.times, num_nodes=6).weights
    )
    assert (graph.weights, counted.merged) == (None, graph.merged)


def test_a_pair_that_no_hyperedge_holds_cannot_be_counted(carts):
    with pytest.raises(DataError, match="no hyperedge holds the pair '0', '3'; take those that the graph is"):
        with_counts(Graph.from_edges([(0, 1), (0, 3)], num_nodes=6), carts)


@pytest.mark.parametrize("name", ["cora", "dblp", "steam", "rent"])
def test_the_graphs_of_the_paper_hold_pairs_alone_and_those_of_groups_can_be_counted(name, data_dir):
    data = load(name, data_dir=data_dir)
    for one in (data, data.later):
        if one is not None:
            assert one.graph.weights is None
            if isinstance(one.truth, Hyperedges) and name != "dblp":
                counts = with_counts(one.graph, one.truth).weights
                assert counts.min() >= 1
                assert counts.max() > 1


def test_what_is_not_possible_is_refused(carts):
    with pytest.raises(DataError, match=r"match='some' is unknown; it is one of exact, contained"):
        carts.holds(np.array([[0, 1]]), "some")
    with pytest.raises(DataError, match=r"min_together=5 leaves no pair; take 4 or less"):
        project(carts, 5, min_together=5)


def test_hyperedges_cannot_be_changed(carts):
    with pytest.raises(ValueError, match="read-only"):
        carts.members[0] = 5
