from collections import Counter

import naive
import numpy as np
import pytest
from conftest import islands, lollipop, random_graph

from mhmgnn import DataError, Graph
from mhmgnn.subgraphs import _fire, as_subgraph, forest_fire

KEY = 2**64 - 5


def edges_of(subgraph):
    """The edges of a subgraph, both ways, as nodes of the graph that came in, in the order of its rows."""
    source = np.repeat(np.arange(subgraph.nodes.size), np.diff(subgraph.indptr))
    return list(zip(subgraph.nodes[source].tolist(), subgraph.nodes[subgraph.indices].tolist(), strict=True))


def induced(graph, nodes):
    near = naive.adjacency(graph)
    return [(u, v) for u in sorted(nodes) for v in sorted(near[u] & set(nodes))]


def test_a_subgraph_holds_all_edges_among_its_nodes(small, seed):
    for subgraph in forest_fire(small, 6, np.arange(20), key=seed):
        assert edges_of(subgraph) == induced(small, subgraph.nodes.tolist())


def test_edges_of_hubs_are_all_found(seed):
    # rows far longer than the subgraph, so that they are searched and not read
    edges = np.random.default_rng(seed).integers([4, 400], size=(3000, 2))
    graph = Graph.from_edges([*edges.tolist(), (0, 1), (2, 3)])
    for subgraph in forest_fire(graph, 12, np.arange(30), key=seed):
        assert edges_of(subgraph) == induced(graph, subgraph.nodes.tolist())


@pytest.mark.parametrize("burning", [0, 0.5, 1])
def test_as_many_distinct_nodes_burn_as_asked_for(small, burning):
    for size in (1, 2, 7, small.num_nodes - 1):
        for subgraph in forest_fire(small, size, np.arange(10), key=KEY, burning=burning):
            assert subgraph.nodes.tolist() == sorted(set(subgraph.nodes.tolist()))
            assert subgraph.nodes.size == size


def test_a_graph_no_larger_than_asked_for_is_its_own_subgraph(small):
    for size in (small.num_nodes, small.num_nodes + 1):
        (subgraph,) = forest_fire(small, size, np.array([3]), key=KEY)
        assert subgraph.nodes.tolist() == list(range(small.num_nodes))
        assert edges_of(subgraph) == edges_of(as_subgraph(small)) == induced(small, range(small.num_nodes))


def test_a_number_fixes_its_subgraph_whatever_the_threads_and_the_other_numbers():
    graph = random_graph(0, nodes=300, edges=900)
    numbers = np.array([7, 0, 10**12, 7, 3, 41])
    together = forest_fire(graph, 30, numbers, key=KEY, threads=1)
    for threads in (1, 2, 5):
        again = forest_fire(graph, 30, numbers, key=KEY, threads=threads)
        alone = [forest_fire(graph, 30, number[None], key=KEY, threads=threads)[0] for number in numbers]
        for first, second, third in zip(together, again, alone, strict=True):
            for part in range(3):
                assert first[part].tobytes() == second[part].tobytes() == third[part].tobytes()
    assert len({subgraph.nodes.tobytes() for subgraph in together}) == 5
    other = forest_fire(graph, 30, numbers, key=KEY - 1)
    assert all((a.nodes != b.nodes).any() for a, b in zip(together, other, strict=True))


def test_no_numbers_give_no_subgraphs():
    assert forest_fire(lollipop(), 3, np.empty(0, np.int64), key=KEY) == []


def test_a_subgraph_cannot_be_written_to(small):
    for size in (4, 100):
        (subgraph,) = forest_fire(small, size, np.array([0]), key=KEY)
        assert [part.flags.writeable for part in subgraph] == [False] * 3
        assert [part.dtype for part in subgraph] == [np.int64, np.int64, np.int32]


def pieces(subgraph):
    label = {node: node for node in subgraph.nodes.tolist()}
    for _ in label:
        for u, v in edges_of(subgraph):
            label[u] = label[v] = min(label[u], label[v])
    return len(set(label.values()))


def test_a_fire_that_never_dies_keeps_the_subgraph_in_one_piece(seed):
    ring = [(node, (node + 1) % 80) for node in range(80)]
    chords = np.random.default_rng(seed).integers(80, size=(320, 2)).tolist()
    graph = Graph.from_edges([*ring, *chords])
    assert {pieces(part) for part in forest_fire(graph, 25, np.arange(30), key=seed, burning=1)} == {1}
    mostly = [pieces(part) for part in forest_fire(graph, 25, np.arange(100), key=seed, burning=0.9)]
    seldom = [pieces(part) for part in forest_fire(graph, 25, np.arange(100), key=seed, burning=0.2)]
    assert np.median(mostly) == 1
    assert np.mean(mostly) < np.mean(seldom)


def test_nodes_without_neighbours_burn_only_when_no_other_is_left():
    graph = islands()  # 17 has no neighbour
    for size in (10, 17):
        for subgraph in forest_fire(graph, size, np.arange(50), key=KEY):
            assert 17 not in subgraph.nodes
    lonely = Graph.from_edges([(500, 900), (900, 20)], num_nodes=50_000)
    for subgraph in forest_fire(lonely, 10, np.arange(5), key=KEY):
        assert {20, 500, 900} < set(subgraph.nodes.tolist())
    edgeless = Graph(np.zeros(41, np.int64), np.empty(0, np.int32))
    assert len(set(forest_fire(edgeless, 10, np.array([1]), key=KEY)[0].nodes.tolist())) == 10


def test_every_node_with_neighbours_can_burn(small):
    met = np.concatenate([part.nodes for part in forest_fire(small, 3, np.arange(500), key=KEY)])
    assert set(met.tolist()) == set(np.flatnonzero(small.degrees).tolist())


def chi_square(counts, expected):
    return float(((np.asarray(counts) - expected) ** 2 / expected).sum())


def test_a_fire_starts_at_a_uniform_node_with_neighbours(small, seed):
    starts = [int(part.nodes[0]) for part in forest_fire(small, 1, np.arange(20_000), key=seed)]
    inside = np.flatnonzero(small.degrees)
    counts = np.bincount(starts, minlength=small.num_nodes)[inside]
    free = inside.size - 1
    assert counts.sum() == 20_000
    assert chi_square(counts, 20_000 / inside.size) < free + 5 * np.sqrt(2 * free)


@pytest.mark.parametrize("degree", [6, 40])  # a row that is listed, and one that is drawn from
def test_the_neighbours_that_burn_are_uniform_among_those_that_have_not(degree, seed):
    row = np.arange(1, degree + 1, dtype=np.int32)
    stream = np.array([seed + 1, 2], np.uint64)
    met = Counter()
    for _ in range(20_000):
        table, nodes = np.full(64, -1, np.int64), np.array([0, 2, 0, 0, 0])
        for position in range(2):  # 0 and 2 have burned
            table[_fire.find(table, nodes, nodes[position])[1]] = position
        assert _fire.spread(row, 2, 2, table, nodes, stream) == 4
        met[tuple(nodes[2:4].tolist())] += 1
    left = degree - 1
    assert all(u != v and 2 not in (u, v) for u, v in met)
    free = left * (left - 1) - 1
    counts = [*met.values(), *[0] * (free + 1 - len(met))]
    assert chi_square(counts, 20_000 / (free + 1)) < free + 5 * np.sqrt(2 * free)


def test_the_neighbours_that_burn_are_geometric_in_number(seed):
    stream = np.array([seed + 1, 2], np.uint64)
    counts = np.array([_fire.geometric(0.7, 1000, stream) for _ in range(50_000)])
    assert abs(counts.mean() - 0.7 / 0.3) < 4.5 * counts.std() / np.sqrt(counts.size)
    share = np.mean(counts == 0)
    assert abs(share - 0.3) < 4.5 * np.sqrt(0.3 * 0.7 / counts.size)


def test_a_node_with_too_few_neighbours_burns_them_all():
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 5)], num_nodes=200)
    for subgraph in forest_fire(star, 5, np.arange(20), key=KEY, burning=1):
        assert subgraph.nodes.tolist() == [0, 1, 2, 3, 4]


def test_a_fire_at_a_hub_takes_the_hub_and_leaves_of_it():
    leaves = 10**5
    star = Graph.from_edges(np.stack([np.zeros(leaves, np.int64), np.arange(1, leaves + 1)], axis=1))
    subgraphs = forest_fire(star, 100, np.arange(50), key=KEY, burning=1)
    assert all(part.nodes[0] == 0 and part.indices.size == 198 for part in subgraphs)
    assert len(set.union(*(set(part.nodes.tolist()) for part in subgraphs))) > 4_000


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 0}, "size is 0; it must be a whole number of at least 1"),
        ({"size": 3, "burning": 1.5}, r"burning is 1\.5; it is a probability"),
        ({"size": 3, "burning": float("nan")}, "burning is nan"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(DataError, match=message):
        forest_fire(lollipop(), numbers=np.arange(2), key=KEY, **settings)
