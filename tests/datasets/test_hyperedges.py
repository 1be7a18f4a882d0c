from itertools import combinations

import networkx
import numpy as np
import pytest

from mhmgnn.datasets import Dataset, Hyperedges, describe
from mhmgnn.datasets.hyperedges import project, triangles
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


def test_triangles_are_those_that_networkx_lists(seed):
    random = networkx.gnp_random_graph(30, 0.3, seed=seed)
    cliques = [sorted(clique) for clique in networkx.enumerate_all_cliques(random) if len(clique) == 3]
    found = triangles(Graph.from_edges(np.array(random.edges), num_nodes=30))
    assert sorted(found.tolist()) == sorted(cliques)


def test_a_description_counts_what_is_there(carts):
    text = str(describe(Dataset("shop", Graph.from_edges(project(carts, 5)), carts)))
    assert "5 nodes with 0 features, 9 pairs" in text
    assert "5 (2 of 2, 2 of 3, 1 of 4)" in text
    assert "triangles: 7, of which 1 (14%) are a hyperedge and 5 are part of one" in text


def test_what_is_not_possible_is_refused(carts):
    with pytest.raises(DataError, match=r"match='some' is unknown; it is one of exact, contained"):
        carts.holds(np.array([[0, 1]]), "some")
    with pytest.raises(DataError, match=r"min_together=5 leaves no pair; take 4 or less"):
        project(carts, 5, min_together=5)


def test_hyperedges_cannot_be_changed(carts):
    with pytest.raises(ValueError, match="read-only"):
        carts.members[0] = 5
