"""Further pairs join a graph: by names, with counts, with features of new nodes."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.features import FeatureTable
from mhmgnn.graph.join import join
from mhmgnn.graph.names import Names

KNOWN = [["beans", "grinder"], ["grinder", "espresso"], ["espresso", "grinder"]]
PAIRS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] != pair[1]), min_size=1
)


def counts(graph):
    """The count of each pair, by labels."""
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    ends = zip(owner.tolist(), graph.indices.tolist(), strict=True)
    weights = np.ones(graph.indices.size) if graph.weights is None else graph.weights
    pairs = [frozenset(map(graph.label, pair)) for pair in ends]
    return dict(zip(pairs, weights.tolist(), strict=True))


def as_names(pairs):
    return [[f"n{min(pair)}", f"n{max(pair)}"] for pair in pairs]


@settings(deadline=None, max_examples=30)
@given(PAIRS, PAIRS)
def test_counts_of_both_add_up_by_name(known, further):
    times = Counter(map(frozenset, as_names(known)))
    graph = Graph.from_edges(as_names(known), weights=np.ones(len(known)))
    joined = join(graph, Graph.from_edges(as_names(further), weights=np.ones(len(further))))
    assert counts(joined.graph) == times + Counter(map(frozenset, as_names(further)))
    assert joined.pairs + joined.again == len(set(map(frozenset, further)))
    assert joined.graph.num_nodes == graph.num_nodes + joined.nodes


def test_known_nodes_keep_their_places_and_new_ones_come_behind():
    graph = Graph.from_edges(KNOWN)
    joined = join(graph, Graph.from_edges([["tea", "espresso"], ["cup", "tea"]]))
    assert list(joined.graph.names) == ["beans", "grinder", "espresso", "tea", "cup"]
    assert (joined.nodes, joined.pairs, joined.again) == (2, 2, 0)


def test_a_graph_without_counts_takes_the_pairs_alone():
    graph = Graph.from_edges(KNOWN, weights=False)
    joined = join(graph, Graph.from_edges([["beans", "grinder"]], weights=[5]))
    assert joined.graph.weights is None
    assert not joined.changes


def test_pairs_without_counts_were_seen_once():
    joined = join(Graph.from_edges(KNOWN), Graph.from_edges([["grinder", "espresso"]], weights=False))
    assert counts(joined.graph)[frozenset(["espresso", "grinder"])] == 3
    assert joined.changes


def test_indices_beyond_those_known_are_new_nodes():
    joined = join(Graph.from_edges([[0, 1]], weights=[2]), Graph.from_edges([[0, 3]]))
    assert (joined.graph.num_nodes, joined.nodes) == (4, 2)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_new_nodes_get_their_features_by_name(kind):
    graph = Graph.from_edges([["a", "b"]], features=kind(np.eye(2, dtype=np.float32)))
    table = FeatureTable(np.array([[9, 9], [7, 8]], np.float32), Names.of(["b", "c"]))
    x = join(graph, Graph.from_edges([["c", "b"]]), table).graph.x
    assert np.asarray(x.todense() if sparse.issparse(x) else x).tolist() == [[1, 0], [0, 1], [7, 8]]


@pytest.mark.parametrize(
    ("table", "line"),
    [
        (None, "node 'c' is new, and nodes have features; give 2 features of each"),
        (FeatureTable(np.ones((1, 3), np.float32), Names.of(["c"])), "3 columns; those known have 2"),
        (FeatureTable(np.ones((1, 2), np.float32), Names.of(["d"])), "'c' is new, and the features have no"),
        (FeatureTable(np.ones((3, 2), np.float32), None), "3 rows without names; let their first column"),
    ],
)
def test_new_nodes_without_features_are_an_error(table, line):
    graph = Graph.from_edges([["a", "b"]], features=np.eye(2))
    with pytest.raises(DataError, match=line):
        join(graph, Graph.from_edges([["c", "b"]]), table)


def test_what_cannot_be_matched_is_an_error():
    named, numbered = Graph.from_edges(KNOWN), Graph.from_edges([[0, 1]])
    with pytest.raises(DataError, match="called by names, those of the further pairs by indices"):
        join(named, numbered)
    with pytest.raises(DataError, match="called by indices, those of the further pairs by names"):
        join(numbered, named)
    with pytest.raises(DataError, match="the nodes of the graph have none; leave them out"):
        join(named, named, FeatureTable(np.ones((3, 1), np.float32), None))
    with pytest.raises(DataError, match="attributes, which further pairs lack"):
        join(Graph.from_edges([[0, 1]], edge_attr=[1.0]), numbered)
