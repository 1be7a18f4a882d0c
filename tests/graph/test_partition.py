import numpy as np
import pytest

from mhmgnn import DataError, Graph
from mhmgnn.datasets.market import generate
from mhmgnn.graph.partition import induced, regions, split


def test_two_cliques_with_one_edge_between_them_are_cut_there():
    clique = [(i, j) for i in range(6) for j in range(i)]
    graph = Graph.from_edges([*clique, *((i + 6, j + 6) for i, j in clique), (0, 6)])
    part = split(graph, 2)
    assert len(set(part[:6])) == len(set(part[6:])) == 1
    assert part[0] != part[6]


def test_regions_are_parts_of_two_halves_and_hold_every_node():
    graph = generate(products=160).graph
    half = split(graph, 2)
    region = regions(graph, half, 8)
    np.testing.assert_array_equal(region // 8, half)
    assert set(region) == set(range(16))
    sizes = np.bincount(half)
    assert abs(sizes[0] - sizes[1]) < 0.1 * sizes.sum()


def test_the_same_seed_cuts_in_the_same_place_and_another_elsewhere():
    graph = generate(products=160).graph
    cuts = [split(graph, 2, seed=seed) for seed in (0, 0, *range(1, 9))]
    np.testing.assert_array_equal(cuts[0], cuts[1])
    assert any(not np.array_equal(cuts[0] == cuts[0][0], cut == cut[0]) for cut in cuts[2:])


def test_an_induced_graph_has_the_edges_among_its_nodes(small):
    nodes = np.arange(0, small.num_nodes, 2)
    near = small.to_scipy().toarray()
    np.testing.assert_array_equal(induced(small, nodes).to_scipy().toarray(), near[np.ix_(nodes, nodes)])


def test_an_induced_graph_keeps_the_counts_of_its_pairs(seed):
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(
        rng.integers(12, size=(40, 2)), weights=rng.integers(1, 9, size=40), num_nodes=12
    )
    nodes = np.array([1, 2, 5, 6, 7, 9, 11])
    part = induced(graph, nodes).to_scipy(counts=True)
    np.testing.assert_array_equal(part.toarray(), graph.to_scipy(counts=True).toarray()[np.ix_(nodes, nodes)])
    assert induced(Graph.from_edges([(0, 1), (1, 2)]), np.array([0, 1])).weights is None


def test_a_side_with_fewer_nodes_than_regions_has_one_for_each():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    region = regions(graph, np.array([0, 0, 0, 0, 1]), 3)
    assert set(region[:4]) == {0, 1, 2}
    assert region[4] == 3


def test_more_parts_than_nodes_are_refused():
    with pytest.raises(DataError, match="a graph of 3 nodes cannot be cut into 4 parts"):
        split(Graph.from_edges([(0, 1), (1, 2)]), 4)
