from collections import Counter
from itertools import permutations

import naive
import numpy as np
import pytest
from conftest import lollipop, random_graph

from mhmgnn import DataError, Graph
from mhmgnn.subgraphs import as_subgraph, forest_fire
from mhmgnn.training.noise import shuffled, with_added_edges

KEY = 2**64 - 5


def edge_set(rows):
    near = naive.adjacency(Graph(rows.indptr, rows.indices))
    return {(u, v) for u in near for v in near[u]}


def edgeless(n):
    return Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32))


def nearly_complete(n, missing):
    edges = [(i, j) for i in range(n) for j in range(i)][missing:]
    return Graph.from_edges(edges, num_nodes=n) if edges else edgeless(n)


def test_shuffled_nodes_are_a_permutation_of_the_subgraph():
    sizes = np.array([5, 0, 1, 40])
    for size, orders in zip(sizes, shuffled(sizes, np.arange(4), key=KEY, noises=3), strict=True):
        assert orders.shape == (3, size)
        assert all(sorted(order) == list(range(size)) for order in orders.tolist())


def test_a_permutation_is_fixed_by_its_number_and_noise_alone():
    sizes, numbers = np.array([30, 20, 30, 30]), np.array([4, 9, 10**12, 0])
    together = shuffled(sizes, numbers, key=KEY, noises=3)
    for i, orders in enumerate(together):
        (alone,) = shuffled(sizes[i : i + 1], numbers[i : i + 1], key=KEY, noises=2)
        np.testing.assert_array_equal(alone, orders[:2])
    distinct = {order.tobytes() for orders in together for order in orders}
    assert len(distinct) == 12
    other = shuffled(sizes, numbers, key=KEY - 1, noises=3)
    assert not distinct & {order.tobytes() for orders in other for order in orders}


def test_permutations_are_uniform_and_those_of_two_noises_independent(seed):
    draws = 36_000
    orders = np.stack(shuffled(np.full(draws, 3), np.arange(draws), key=seed, noises=2))
    both = Counter(map(tuple, orders.reshape(draws, 6).tolist()))
    pairs = [first + second for first in permutations(range(3)) for second in permutations(range(3))]
    counts = np.array([both[pair] for pair in pairs])
    assert counts.sum() == draws
    assert ((counts - draws / 36) ** 2 / (draws / 36)).sum() < 35 + 5 * np.sqrt(70)


def test_no_subgraphs_need_no_permutations():
    assert shuffled(np.empty(0, np.int64), np.empty(0, np.int64), key=KEY) == []


def test_no_noise_is_refused():
    with pytest.raises(DataError, match="noises is 0; it must be a whole number of at least 1"):
        shuffled(np.array([3]), np.array([0]), key=KEY, noises=0)


def graphs_of_all_densities():
    yield as_subgraph(lollipop())
    yield as_subgraph(random_graph(1, nodes=60, edges=90))
    yield as_subgraph(random_graph(2, nodes=20, edges=400))
    yield as_subgraph(edgeless(50))
    yield from forest_fire(random_graph(3, nodes=500, edges=1500), 40, np.arange(3), key=KEY)


def test_noise_has_an_edge_more_for_each_node_and_all_that_were_there():
    for subgraph in graphs_of_all_densities():
        noise = with_added_edges(subgraph, 5, key=KEY)
        before, after, n = edge_set(subgraph), edge_set(noise), subgraph.nodes.size
        assert before <= after
        assert len(after) == noise.indices.size == min(len(before) + 2 * n, n * (n - 1))
        assert after == {(v, u) for u, v in after}
        assert all(u != v for u, v in after)
        assert all(0 <= u < n for edge in after for u in edge)
        np.testing.assert_array_equal(noise.nodes, subgraph.nodes)


def test_rows_of_noise_are_sorted_and_cannot_be_written_to():
    for subgraph in graphs_of_all_densities():
        noise = with_added_edges(subgraph, 5, key=KEY)
        for low, high in zip(noise.indptr, noise.indptr[1:], strict=False):
            assert (np.diff(noise.indices[low:high]) > 0).all()
        assert [part.flags.writeable for part in noise] == [False] * 3
        assert [part.dtype for part in noise] == [np.int64, np.int64, np.int32]


@pytest.mark.parametrize("n", [0, 1, 2, 6])
def test_a_nearly_complete_graph_is_completed(n):
    for missing in (0, 3):
        noise = with_added_edges(as_subgraph(nearly_complete(n, missing)), 0, key=KEY)
        assert edge_set(noise) == {(i, j) for i in range(n) for j in range(n) if i != j}


@pytest.mark.parametrize(
    "graph",
    [
        Graph.from_edges([(i, i + 1) for i in range(7)]),
        nearly_complete(7, 9),
    ],
    ids=["drawn", "listed"],
)
def test_added_edges_are_uniform_among_the_missing_ones(graph, seed):
    subgraph, draws = as_subgraph(graph), 8_000
    before = edge_set(subgraph)
    met = Counter()
    for number in range(draws):
        met.update(edge_set(with_added_edges(subgraph, number, key=seed)) - before)
    n = subgraph.nodes.size
    missing = [(u, v) for u in range(n) for v in range(u) if (u, v) not in before]
    chance = n / len(missing)
    z = np.array([met[edge] - draws * chance for edge in missing]) / np.sqrt(draws * chance * (1 - chance))
    assert set(met) == {*missing, *((v, u) for u, v in missing)}
    assert abs(z).max() < 4.5


def test_added_edges_are_fixed_by_number_and_noise():
    subgraph = as_subgraph(random_graph(1, nodes=60, edges=90))
    every = [(number, noise) for number in (0, 1, 10**12) for noise in range(3)]
    first = [with_added_edges(subgraph, *which, key=KEY).indices.tobytes() for which in every]
    again = [with_added_edges(subgraph, *which, key=KEY).indices.tobytes() for which in reversed(every)]
    assert first == again[::-1]
    assert len(set(first)) == len(every)
    assert first[0] != with_added_edges(subgraph, 0, key=KEY - 1).indices.tobytes()
