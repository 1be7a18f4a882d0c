"""How often each pair was seen, through every door of a graph."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

IMPORTS_PYG = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
LOG = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40).filter(
    lambda log: any(u != v for u, v in log)
)
WHOLE, ANY = st.integers(1, 10**6), st.floats(2**-10, 2**20, width=32)


def seen(graph):
    """The count of each pair, in both directions."""
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    ends = zip(source.tolist(), graph.indices.tolist(), strict=True)
    return dict(zip(ends, graph.weights.tolist(), strict=True))


def named(graph):
    """The count of each pair by its names."""
    return {frozenset(map(graph.label, pair)): count for pair, count in seen(graph).items()}


def naive(log, counts=None):
    """The definition: each line adds its count to its pair; None where a list is one written both ways."""
    lines = [(*edge, count) for edge, count in zip(log, counts or [1] * len(log), strict=True)]
    lines = [line for line in lines if line[0] != line[1]]
    mirror = [(v, u, count) for u, v, count in lines]
    both_ways = len({line[:2] for line in lines}) == len(lines) and sorted(mirror) == sorted(lines)
    total: Counter[frozenset[int]] = Counter()
    for u, v, count in lines:
        total[frozenset((u, v))] += count if not both_ways or u < v else 0
    if counts is None and max(total.values()) == 1:
        return None
    return {(u, v): total[frozenset((u, v))] for one in total for u, v in (tuple(one), tuple(one)[::-1])}


def counted(graph):
    return None if graph.weights is None else seen(graph)


@settings(deadline=None)
@given(LOG, st.randoms())
def test_a_log_of_events_counts_each_pair_whatever_the_order_of_its_lines(log, random):
    graph = Graph.from_edges(log, num_nodes=6)
    assert counted(graph) == naive(log)
    random.shuffle(log)
    assert counted(Graph.from_edges(log, num_nodes=6)) == naive(log)
    assert Graph.from_edges(log, num_nodes=6, weights=False).weights is None
    assert graph.merged == Graph.from_edges(log, num_nodes=6, weights=False).merged


@settings(deadline=None)
@given(LOG, st.data())
def test_counts_of_the_lines_of_a_pair_add_up(log, data):
    counts = data.draw(st.lists(WHOLE, min_size=len(log), max_size=len(log)))
    assert seen(Graph.from_edges(log, weights=counts, num_nodes=6)) == naive(log, counts)


@settings(deadline=None)
@given(LOG, st.data())
def test_sums_do_not_depend_on_the_order_of_lines_to_the_last_bit(log, data):
    counts = data.draw(st.lists(ANY, min_size=len(log), max_size=len(log)))
    graph = Graph.from_edges(log, weights=counts, num_nodes=6)
    order = data.draw(st.permutations(range(len(log))))
    other = Graph.from_edges([log[i] for i in order], weights=[counts[i] for i in order], num_nodes=6)
    assert graph.weights.tobytes() == other.weights.tobytes()
    assert seen(graph) == pytest.approx(naive(log, counts), rel=1e-6)


@settings(deadline=None)
@given(LOG, st.data())
def test_a_list_that_holds_every_pair_once_each_way_is_the_list_of_one_direction(log, data):
    pairs = sorted({(min(edge), max(edge)) for edge in log if edge[0] != edge[1]})
    counts = data.draw(st.lists(ANY, min_size=len(pairs), max_size=len(pairs)))
    order = data.draw(st.permutations(range(2 * len(pairs))))
    both = [*pairs, *((v, u) for u, v in pairs)]
    doubled = [*counts, *counts]
    assert Graph.from_edges([both[i] for i in order]).weights is None
    written = Graph.from_edges([both[i] for i in order], weights=[doubled[i] for i in order])
    assert np.array_equal(written.weights, Graph.from_edges(pairs, weights=counts).weights)


def test_other_counts_in_the_other_direction_are_other_events():
    assert seen(Graph.from_edges([(0, 1), (1, 0)], weights=[3, 1])) == {(0, 1): 4, (1, 0): 4}
    assert seen(Graph.from_edges([(0, 1), (0, 1)], weights=[3, 3])) == {(0, 1): 6, (1, 0): 6}
    assert seen(Graph.from_edges([(1, 0), (1, 0)], weights=[3, 3])) == {(0, 1): 6, (1, 0): 6}


def test_a_list_without_repeats_has_no_counts_and_counts_that_are_given_stay_though_all_are_one():
    assert Graph.from_edges([(0, 1), (1, 2)]).weights is None
    graph = Graph.from_edges([(0, 1), (1, 2)], weights=[1, 1])
    assert seen(graph) == {(0, 1): 1, (1, 0): 1, (1, 2): 1, (2, 1): 1}
    assert repr(graph) == "Graph(3 nodes, 2 edges, counts all 1)"


def test_attributes_are_averaged_where_counts_add_up():
    graph = Graph.from_edges([(0, 1), (1, 0), (1, 2)], weights=[2, 5, 1], edge_attr=[1, 3, 9])
    assert graph.edge_attr.ravel().tolist() == [2, 2, 9, 9]
    assert graph.weights.tolist() == [7, 7, 1, 1]


def test_strengths_add_up_the_counts_of_a_node_and_are_degrees_without_counts():
    edges = [(0, 1), (1, 2)]
    assert Graph.from_edges(edges, weights=[2, 5], num_nodes=4).strengths.tolist() == [2, 7, 5, 0]
    assert Graph.from_edges(edges, num_nodes=4).strengths.tolist() == [1, 2, 1, 0]


def test_counts_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        Graph.from_edges([(0, 1)], weights=[2]).weights[0] = 5


@pytest.mark.parametrize(
    "weights, message",
    [
        ([1, 0], "weights, entry 1: 0 given; a count must be above 0 and finite"),
        ([1, -2.5], r"weights, entry 1: -2\.5 given"),
        ([np.nan, 1], "weights, entry 0: nan given"),
        (
            [1, np.inf],
            r"weights, entry 1: inf given; .*weights=False \(--weights none\) takes the pairs alone",
        ),
        ([1, 1e39], r"weights, entry 1: 1e\+39 given"),
        ([1, 1e-50], "weights, entry 1: 1e-50 given"),
        ([1, None], "weights, entry 1: nothing given"),
        ([1, "many"], "weights, entry 1: 'many' given"),
        ([1], r"weights: the shape is \(1,\); it must be \(2,\), one count for each edge"),
        (3, r"weights: the shape is \(\)"),
        (True, r"weights: the shape is \(\)"),
    ],
)
def test_what_is_no_count_is_refused_with_its_place(weights, message):
    with pytest.raises(DataError, match=message):
        Graph.from_edges([(0, 1), (1, 2)], weights=weights)


def test_counts_that_add_up_beyond_float32_are_refused():
    with pytest.raises(DataError, match=r"counts of the pair \(0, 1\) add up to more than float32 holds"):
        Graph.from_edges([(1, 0), (1, 0)], weights=[3e38, 3e38])


def test_large_whole_counts_are_added_exactly_before_they_are_rounded():
    graph = Graph.from_edges([(0, 1)] * 3, weights=[2**60, 2**60, 2**61])
    assert graph.weights.tolist() == [2**62] * 2


def test_a_matrix_holds_counts_unless_all_are_one(tmp_path, capsys):
    graph = Graph.from_edges([(0, 1), (1, 2)], weights=[2.5, 7])
    matrix = graph.to_scipy(counts=True)
    assert seen(Graph.from_scipy(matrix)) == seen(graph)
    assert seen(Graph.from_scipy(sparse.triu(matrix))) == seen(graph)
    assert Graph.from_scipy(graph.to_scipy()).weights is None
    assert Graph.from_scipy(sparse.triu(graph.to_scipy())).weights is None
    assert Graph.from_scipy(matrix, weights=False).weights is None
    sparse.save_npz(tmp_path / "a.npz", matrix)
    assert seen(Graph.read(tmp_path / "a.npz")) == seen(graph)
    assert capsys.readouterr().err == "counts: the values of the matrix, 2.5 to 7, mean 4.75\n"
    assert Graph.read(tmp_path / "a.npz", weights=False).weights is None
    with pytest.raises(DataError, match=r"is a matrix: .* a column of weights"):
        Graph.read(tmp_path / "a.npz", weights=0)


def test_a_matrix_that_is_not_symmetric_adds_both_directions_and_entries_that_repeat():
    flows = sparse.coo_array(([3, 1, 2, 2], ([0, 1, 1, 1], [1, 0, 2, 2])), shape=(3, 3))
    assert seen(Graph.from_scipy(flows)) == {(0, 1): 4, (1, 0): 4, (1, 2): 4, (2, 1): 4}
    ones = sparse.coo_array(([1] * 4, ([0, 1, 0, 1], [1, 0, 1, 0])), shape=(2, 2))
    assert seen(Graph.from_scipy(ones)) == {(0, 1): 2, (1, 0): 2}
    with pytest.raises(DataError, match="the matrix, entry 0: -1 given"):
        Graph.from_scipy(sparse.coo_array(([-1], ([0], [1])), shape=(2, 2)))
    signed = Graph.from_scipy(
        sparse.coo_array(([-1], ([0], [1])), shape=(2, 2)), weights=False, edge_attr=True
    )
    assert signed.edge_attr.ravel().tolist() == [-1, -1]


def test_networkx_weights_are_counts():
    given = nx.MultiGraph()
    given.add_edge("a", "b", weight=2, times=1)
    given.add_edge("a", "b", weight=3, times=1)
    given.add_edge("b", "c", weight=1, times=9)
    assert named(Graph.from_networkx(given)) == {frozenset("ab"): 5, frozenset("bc"): 1}
    assert named(Graph.from_networkx(given, weights="times")) == {frozenset("ab"): 2, frozenset("bc"): 9}
    assert Graph.from_networkx(given, weights=False).weights is None
    assert Graph.from_networkx(nx.path_graph(3)).weights is None
    simple = nx.Graph(given)
    assert named(Graph.from_networkx(simple.to_directed())) == named(Graph.from_networkx(simple))
    assert Graph.from_networkx(simple, edge_attr=["weight"]).weights is None
    given.add_edge("c", "a")
    with pytest.raises(DataError, match=r"edge \('a', 'c'\) has no attribute 'weight'; every edge needs it"):
        Graph.from_networkx(given)


@IMPORTS_PYG
def test_counts_come_back_from_pyg():
    import torch
    from torch_geometric.data import Data

    graph = Graph.from_edges([(0, 1), (1, 2), (0, 1)], weights=[2, 5, 1])
    data = graph.to_pyg()
    assert data.edge_weight.tolist() == graph.weights.tolist()
    assert seen(Graph.from_pyg(data)) == seen(graph)
    assert Graph.from_pyg(data, weights=False).weights is None
    assert "edge_weight" not in Graph.from_edges([(0, 1)]).to_pyg()
    edge_index = torch.tensor([[0, 1], [1, 2]])
    column = Graph.from_pyg(Data(edge_index=edge_index, edge_weight=torch.tensor([[2.0], [3.0]])))
    assert column.weights.tolist() == [2, 2, 3, 3]
    with pytest.raises(DataError, match=r"edge_weight of the PyG data, entry 1: 0\.0 given"):
        Graph.from_pyg(Data(edge_index=edge_index, edge_weight=torch.tensor([2.0, 0.0])))
    with pytest.raises(
        DataError, match=r"edge_weight of the PyG data: the shape is \(3,\); it must be \(2,\)"
    ):
        Graph.from_pyg(Data(edge_index=edge_index, edge_weight=torch.ones(3)))


def test_a_saved_graph_keeps_its_counts_and_can_be_read_without(tmp_path, capsys):
    graph = Graph.from_edges([(0, 1), (1, 2)], weights=[2, 7])
    graph.save(tmp_path / "g")
    assert seen(Graph.read(tmp_path / "g")) == seen(graph)
    assert capsys.readouterr().err == "counts: as saved, 2 to 7, mean 4.5\n"
    assert Graph.read(tmp_path / "g", weights=False).weights is None
    with pytest.raises(DataError, match="is a saved graph"):
        Graph.read(tmp_path / "g", weights="n")
    Graph.from_edges([(0, 1), (1, 2)]).save(tmp_path / "g")
    assert Graph.load(tmp_path / "g").weights is None
    assert not (tmp_path / "g" / "weights.npy").exists()
