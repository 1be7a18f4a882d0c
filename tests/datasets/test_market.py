from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse

from mhmgnn.datasets import Dataset
from mhmgnn.datasets._stock import OCCASIONS, PURPOSES
from mhmgnn.datasets.hyperedges import with_counts
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


def test_words_that_meet_say_what_is_bought_together(market):
    words = market.graph.x.toarray()
    shared = words @ words.T
    near = adjacency(market.graph)
    apart = ~near & ~np.eye(len(near), dtype=bool)
    assert shared[near].mean() > 1.5 * shared[apart].mean()


def test_the_shop_is_like_real_ones(market):
    """In the range of Steam, Rent and DBLP; docs/data.md has their figures."""
    carts, graph = market.truth, market.graph
    sizes = np.bincount(carts.sizes)[2:]
    assert sizes.size == 7  # 2 to 8
    assert (np.diff(sizes) < 0).all()
    assert 2.7 < carts.sizes.mean() < 3.3
    for k, least, most in ((3, 0.003, 0.1), (4, 0.001, 0.05)):
        found = list_cliques(graph, k)
        assert least < carts.holds(found).mean() < most
        assert 0.2 < carts.holds(found, "contained").mean() < 0.8
    assert graph.degrees.max() > 8 * np.median(graph.degrees)  # a long tail
    assert 1.04 < graph.weights.mean() < 1.8
    assert 0.6 < (graph.weights == 1).mean() < 0.97


def test_counts_are_the_carts_that_hold_both(market):
    counted = with_counts(replace(market.graph, weights=None), market.truth)
    np.testing.assert_array_equal(market.graph.weights, counted.weights)


def test_every_product_was_bought(market):
    assert market.graph.degrees.min() >= 1


def test_the_same_seed_gives_the_same_data_and_another_seed_does_not(seed):
    one, same, other = (generate(seed=s, products=80) for s in (seed, seed, seed + 1))
    assert np.array_equal(one.graph.indices, same.graph.indices)
    assert (one.graph.x != same.graph.x).nnz == 0
    assert list(one.graph.names) == list(same.graph.names)
    assert np.array_equal(one.truth.members, same.truth.members)
    assert np.array_equal(one.truth.offsets, same.truth.offsets)
    assert not np.array_equal(one.truth.members, other.truth.members)


def test_the_graph_holds_its_pairs_counts_and_words_and_nothing_else(market):
    graph = market.graph
    pairs = np.argwhere(np.triu(adjacency(graph)))
    counts = graph.to_scipy(counts=True)[*pairs.T]
    again = Graph.from_edges(pairs, weights=counts, features=graph.x, names=graph.names)
    assert vars(graph).keys() == vars(again).keys()
    assert (graph.merged, graph.edge_attr) == (again.merged, None)
    assert np.array_equal(graph.indices, again.indices)
    assert np.array_equal(graph.weights, again.weights)


def test_a_cart_is_a_clique_when_once_together_is_enough(market):
    adjacent, carts = adjacency(market.graph), market.truth
    assert all(adjacent[u, v] for i in range(len(carts)) for u, v in combinations(carts[i], 2))


def test_every_pair_was_in_a_cart_often_enough(seed):
    market = generate(seed=seed, products=80, min_together=3)
    together = (market.truth.incidence(80).T @ market.truth.incidence(80)).toarray()
    np.fill_diagonal(together, 0)
    assert np.array_equal(together >= 3, adjacency(market.graph))


def test_substitutes_never_meet_and_complements_do(market):
    shelf, role = places(market)
    near, same_shelf = adjacency(market.graph), shelf[:, None] == shelf
    purpose = shelf % len(PURPOSES)
    substitutes = (purpose[:, None] == purpose) & (role[:, None] == role)
    assert not near[substitutes].any()
    assert near[same_shelf & ~substitutes].mean() > 20 * near[~same_shelf].mean()


def test_purposes_of_one_occasion_meet_more_often_than_others(market):
    shelf, _ = places(market)
    purpose = shelf % len(PURPOSES)
    number = {purpose.name: i for i, purpose in enumerate(PURPOSES)}
    assert {name for names in OCCASIONS.values() for name in names.split()} == set(number)
    together = np.eye(len(PURPOSES), dtype=bool)
    for names in OCCASIONS.values():
        inside = [number[name] for name in names.split()]
        together[np.ix_(inside, inside)] = True
    near, other = adjacency(market.graph), purpose[:, None] != purpose
    one_trip = together[purpose[:, None], purpose]
    assert near[one_trip & other].mean() > 3 * near[~one_trip].mean() > 0


def test_a_node_number_says_nothing_of_the_shelf(market):
    shelf, _ = places(market)
    assert np.mean(shelf[1:] == shelf[:-1]) < 0.01  # by chance 7 / 2399


def test_a_reader_finds_coffee_beans_beside_the_espresso_machine(market):
    kset = market.graph.ksets([["espresso machine", "coffee grinder", "coffee beans"]])
    assert adjacency(market.graph)[np.ix_(kset[0], kset[0])].sum() == 6


def test_a_name_is_in_the_words_of_its_product(market):
    column = {word: i for i, word in enumerate(vocabulary())}
    words = market.graph.x.toarray()
    for node in range(market.graph.num_nodes):
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
