from itertools import combinations

import numpy as np
import pytest
from conftest import random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_context import Known, core_numbers, node_row, pair_row, set_row

from mhmgnn import DataError, Graph
from mhmgnn.context import Context, _surround, describe, read_sets
from mhmgnn.context.nodes import core_numbers as our_core_numbers
from mhmgnn.context.pairs import overlaps
from mhmgnn.graph.sets import Sets

CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def with_counts(graph: Graph, seed: int = 0) -> Graph:
    upper = np.array(graph.to_scipy().nonzero()).T
    upper = upper[upper[:, 0] < upper[:, 1]]
    counts = np.random.default_rng(seed).integers(1, 9, len(upper))
    return Graph.from_edges(upper, weights=counts, num_nodes=graph.num_nodes)


def drawn_sets(graph: Graph, largest: int, number: int = 200, seed: int = 1) -> Sets:
    """Every node and some pairs and larger sets, sizes mixed; mostly no cliques."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, min(largest, graph.num_nodes) + 1, number)
    return graph.sets([rng.choice(graph.num_nodes, size, replace=False) for size in sizes])


def cliques(graph: Graph, k: int) -> Sets:
    near = Known(graph).near
    rows = [
        c for c in combinations(range(graph.num_nodes), k) if all(b in near[a] for a, b in combinations(c, 2))
    ]
    return graph.sets(rows)


def assert_rows_are_as_defined(context: Context, sets: Sets) -> None:
    known = Known(context.graph)
    for row, members in zip(
        read_sets(context, sets), np.split(sets.members, sets.offsets[1:-1]), strict=True
    ):
        expected = set_row(known, members.tolist())
        assert tuple(expected) == context.set_columns
        np.testing.assert_allclose(row, [*expected.values()], err_msg=str(members), **CLOSE)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    n = draw(st.integers(2, 14))
    every = list(combinations(range(n), 2))
    edges = draw(st.lists(st.sampled_from(every), unique=True, min_size=1))
    counts = draw(st.lists(st.integers(1, 20), min_size=len(edges), max_size=len(edges)))
    return Graph.from_edges(edges, weights=counts if draw(st.booleans()) else False, num_nodes=n)


@pytest.mark.parametrize("counted", [False, True])
def test_nodes_and_pairs_are_as_defined(small, counted):
    context = describe(with_counts(small) if counted else small)
    known = Known(context.graph)
    for u in range(small.num_nodes):
        expected = node_row(known, u)
        assert tuple(expected) == context.node_columns
        np.testing.assert_allclose(context.nodes[u], [*expected.values()], **CLOSE)
    for entry, (u, v) in enumerate(known.count):
        expected = pair_row(known, u, v)
        assert tuple(expected) == context.pair_columns
        np.testing.assert_allclose(context.pairs[entry], [*expected.values()], **CLOSE)


@pytest.mark.parametrize("counted", [False, True])
def test_sets_of_one_to_six_nodes_are_as_defined(small, counted):
    graph = with_counts(small) if counted else small
    assert_rows_are_as_defined(describe(graph), Sets.join([drawn_sets(graph, 6), cliques(graph, 3)]))


@settings(max_examples=60, deadline=None)
@given(graphs(), st.data())
def test_every_column_is_as_defined_wherever_rows_are_walked_or_looked_up_in(graph, data):
    node_sets = st.sets(st.integers(0, graph.num_nodes - 1), min_size=1, max_size=6)
    sets = graph.sets(data.draw(st.lists(node_sets, min_size=1, max_size=8)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_surround, "LONG", data.draw(st.sampled_from([0, 1, 2, 3, 4096])))
        assert_rows_are_as_defined(describe(graph), sets)


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_core_numbers_are_what_is_left_when_weak_nodes_are_taken_away(graph):
    assert dict(enumerate(our_core_numbers(graph).tolist())) == core_numbers(Known(graph).near)


@pytest.mark.parametrize("long", [3, 4096])
def test_large_sets_are_as_defined(monkeypatch, long):
    monkeypatch.setattr(_surround, "LONG", long)
    rng = np.random.default_rng(0)
    graph = with_counts(Graph.from_edges(rng.integers(90, size=(900, 2)), num_nodes=90))
    assert_rows_are_as_defined(describe(graph), drawn_sets(graph, 80, number=6))


def test_the_density_is_of_those_of_lowest_degree_where_many_are_adjacent_to_all():
    rng = np.random.default_rng(0)
    inner = [pair for pair in combinations(range(2, 42), 2) if rng.random() < 0.5]
    outer = [(hub, v) for hub in (0, 1) for v in range(2, 42)]
    leaves = iter(range(42, 10**6))
    pendants = [(v, next(leaves)) for v in range(2, 42) for _ in range(50 * v)]  # no two degrees alike
    graph = Graph.from_edges([*inner, *outer, *pendants])
    context = describe(graph)
    row = dict(zip(context.set_columns, read_sets(context, graph.sets([[0, 1]]))[0].tolist(), strict=True))
    lowest = [pair for pair in inner if max(pair) < 26]
    assert row["density of those adjacent to all"] == pytest.approx(len(lowest) / (24 * 23 / 2))
    assert row["log adjacent to all"] == pytest.approx(np.log(41))


@pytest.mark.parametrize("counted", [False, True])
def test_a_row_does_not_depend_on_node_names_or_on_the_order_of_members(counted):
    rng = np.random.default_rng(2)
    edges, order = rng.integers(60, size=(300, 2)), rng.permutation(60)
    weights = rng.integers(1, 9, 300) if counted else False
    graph = Graph.from_edges(edges, weights=weights, num_nodes=60)
    renamed = Graph.from_edges(order[edges], weights=weights, num_nodes=60)
    sets = drawn_sets(graph, 6)
    backwards = Sets(sets.members.copy(), sets.offsets)
    for low, high in zip(sets.offsets, sets.offsets[1:], strict=False):
        backwards.members[low:high] = order[sets.members[low:high][::-1]]
    np.testing.assert_allclose(
        read_sets(describe(graph), sets), read_sets(describe(renamed), backwards), **CLOSE
    )


@pytest.mark.parametrize("long", [2, 4096])
def test_threads_and_other_sets_do_not_change_a_row(monkeypatch, long):
    monkeypatch.setattr(_surround, "LONG", long)
    graph = with_counts(Graph.from_edges(np.random.default_rng(4).integers(300, size=(2_000, 2))))
    sets = drawn_sets(graph, 6, number=3_000)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("MHMGNN_THREADS", threads)
        context = describe(graph)
        found.append((context.nodes, context.pairs, read_sets(context, sets)))
    for one, three in zip(*found, strict=True):
        np.testing.assert_array_equal(one, three)
    some = np.array([5, 2_000, 17])
    np.testing.assert_array_equal(read_sets(context, sets.take(some)), found[0][2][some])


def test_a_graph_may_lack_edges_and_there_may_be_no_sets():
    context = describe(Graph(np.zeros(4, np.int64), np.empty(0, np.int32)))
    assert_rows_are_as_defined(context, context.graph.sets([[0], [0, 1, 2]]))
    assert read_sets(context, context.graph.sets([])).shape == (0, len(context.set_columns))


def test_sets_of_another_graph_are_refused():
    context = describe(Graph.from_edges([[0, 1]]))
    with pytest.raises(DataError, match=r"a set holds a node outside 0\.\.1, the nodes of this context"):
        read_sets(context, Sets.of_rows(np.array([[0, 7]])))


def test_a_context_knows_how_much_the_nodes_of_pairs_overlap():
    graph = random_graph(3, nodes=14)
    near = graph.to_scipy().toarray() > 0
    owner = np.repeat(np.arange(14), graph.degrees)
    both, either = ((near[owner] & near[graph.indices]), (near[owner] | near[graph.indices]))
    expected = (both.sum(axis=1) + 0.5) / (either.sum(axis=1) - 2 + 1)  # either holds the two themselves
    np.testing.assert_allclose(overlaps(graph), expected)
    np.testing.assert_allclose(describe(graph).overlaps, expected, rtol=1e-6)
