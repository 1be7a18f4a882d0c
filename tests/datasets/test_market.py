from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mhmgnn.datasets import Dataset
from mhmgnn.datasets.market import SHELF, generate, shelf_names, vocabulary
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.subgraphs.cliques import list_cliques


@pytest.fixture
def market(seed) -> Dataset:
    return generate(seed=seed)


def adjacency(graph: Graph) -> np.ndarray:
    """(n, n) bool."""
    ones = np.ones(graph.indices.size, dtype=bool)
    return sparse.csr_array((ones, graph.indices, graph.indptr), shape=2 * (graph.num_nodes,)).toarray()


def places(market: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Shelf and role of each node, from its name."""
    place = {name: i for i, name in enumerate(shelf_names(market.graph.num_nodes))}
    of_node = np.array([place[market.graph.label(node)] for node in range(market.graph.num_nodes)])
    return of_node // SHELF, of_node % SHELF // 2


def probe(market: Dataset, features: np.ndarray, found: np.ndarray, match: str) -> float:
    """Balanced accuracy of a linear probe, trained inside one half and tested inside the other, both ways."""
    adjacent = adjacency(market.graph).astype(float)
    _, vectors = np.linalg.eigh(np.diag(adjacent.sum(axis=0)) - adjacent)
    half = vectors[:, 1] > np.median(vectors[:, 1])  # two regions with few edges between them
    inside, outside = half[found].all(axis=1), (~half[found]).all(axis=1)
    label, scores = market.truth.holds(found, match), []
    for train, test in ((inside, outside), (outside, inside)):
        linear = LogisticRegression(C=0.01, class_weight="balanced", max_iter=2000)
        fitted = make_pipeline(StandardScaler(), linear).fit(features[train], label[train])
        scores.append(balanced_accuracy_score(label[test], fitted.predict(features[test])))
    return float(np.mean(scores))


@pytest.mark.parametrize("match", ["exact", "contained"])
def test_words_that_meet_tell_a_cart_and_their_sum_does_not(market, match):
    found, words = list_cliques(market.graph, 3), market.graph.x.toarray()
    summed = words[found].sum(axis=1)
    shared = np.column_stack(
        [(words[found[:, i]] * words[found[:, j]]).sum(axis=1) for i, j in ((0, 1), (0, 2), (1, 2))]
    )
    by_two_and_three = np.column_stack([(summed == 2).sum(axis=1), (summed == 3).sum(axis=1)])
    assert probe(market, summed, found, match) < 0.6
    assert probe(market, np.column_stack([np.sort(shared, axis=1), by_two_and_three]), found, match) > 0.75


def test_the_same_seed_gives_the_same_data_and_another_seed_does_not(seed):
    one, same, other = (generate(seed=s, products=80) for s in (seed, seed, seed + 1))
    assert np.array_equal(one.graph.indices, same.graph.indices)
    assert (one.graph.x != same.graph.x).nnz == 0
    assert list(one.graph.names) == list(same.graph.names)
    assert np.array_equal(one.truth.members, same.truth.members)
    assert np.array_equal(one.truth.offsets, same.truth.offsets)
    assert not np.array_equal(one.truth.members, other.truth.members)


def test_the_graph_holds_its_pairs_and_words_and_nothing_else(market):
    graph = market.graph
    pairs = np.argwhere(np.triu(adjacency(graph)))
    again = Graph.from_edges(pairs, features=graph.x, names=graph.names)
    assert vars(graph).keys() == vars(again).keys()
    assert (graph.merged, graph.edge_attr) == (again.merged, None)
    assert np.array_equal(graph.indices, again.indices)


def test_a_cart_is_a_clique_when_once_together_is_enough(market):
    adjacent, carts = adjacency(market.graph), market.truth
    assert all(adjacent[u, v] for i in range(len(carts)) for u, v in combinations(carts[i], 2))


def test_every_pair_was_in_a_cart_often_enough(seed):
    market = generate(seed=seed, products=80, min_together=3)
    together = (market.truth.incidence(80).T @ market.truth.incidence(80)).toarray()
    np.fill_diagonal(together, 0)
    assert np.array_equal(together >= 3, adjacency(market.graph))


def test_a_cart_of_three_or_four_has_one_shelf_and_distinct_roles(market):
    shelf, role = places(market)
    large = [market.truth[i] for i in np.flatnonzero(market.truth.sizes > 2)]
    assert {len(cart) for cart in large} == {3, 4}
    assert all(len(set(shelf[cart])) == 1 and len(set(role[cart])) == len(cart) for cart in large)


def test_substitutes_are_bought_together_less_than_complements(market):
    shelf, role = places(market)
    together = (market.truth.incidence(600).T @ market.truth.incidence(600)).toarray()
    same_shelf, same_role = shelf[:, None] == shelf, role[:, None] == role
    substitutes = together[same_shelf & same_role & ~np.eye(600, dtype=bool)]
    assert 0 < substitutes.mean() < 0.05 * together[same_shelf & ~same_role].mean()


def test_a_node_number_says_nothing_of_the_shelf(market):
    shelf, _ = places(market)
    assert np.mean(shelf[1:] == shelf[:-1]) < 0.05  # by chance 7 / 599


def test_each_role_is_in_carts_as_often_as_in_other_triangles(market):
    found = list_cliques(market.graph, 3)
    is_cart = market.truth.holds(found)
    _, role = places(market)
    in_carts = np.bincount(role[found[is_cart]].ravel()) / is_cart.sum()
    in_others = np.bincount(role[found[~is_cart]].ravel()) / (~is_cart).sum()
    assert np.abs(in_carts - in_others).max() < 0.1  # of 0.75 for each role


def test_a_reader_finds_coffee_beans_beside_the_espresso_machine(market):
    kset = market.graph.ksets([["espresso machine", "coffee grinder", "coffee beans"]])
    assert adjacency(market.graph)[np.ix_(kset[0], kset[0])].sum() == 6


def test_a_name_is_in_the_words_of_its_product(market):
    column = {word: i for i, word in enumerate(vocabulary())}
    words = market.graph.x.toarray()
    for node in range(600):
        assert words[node, [column[word] for word in market.graph.label(node).split()]].all()


def test_names_stay_distinct_in_the_largest_shop():
    assert len(set(shelf_names(4000))) == 4000


@pytest.mark.parametrize(
    "options, message",
    [
        ({"products": 500}, "products=500 does not fill shelves of 8; take 496 or 504"),
        ({"products": 8}, "products=8 is out of range; take a multiple of 8, 16 to 4000"),
        ({"products": 4008}, "products=4008 is out of range"),
        ({"products": 80.0}, "products=80.0 is not a whole number"),
        ({"carts": 0}, "carts=0 leaves nothing to learn from"),
        ({"seed": -1}, "seed=-1 is negative"),
        ({"min_together": 0}, "min_together=0 would join all products"),
        ({"min_together": 10**6}, "min_together=1000000 leaves no pair; take"),
    ],
)
def test_an_option_out_of_range_is_refused(options, message):
    with pytest.raises(DataError, match=message):
        generate(**options)


@pytest.mark.parametrize("carts", [1, 2, 7])
def test_the_smallest_shop_opens(carts):
    assert len(generate(products=16, carts=carts).truth) == carts
