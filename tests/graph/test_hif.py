import json

import numpy as np
import pytest

from mhmgnn import DataError, Graph
from mhmgnn.datasets import hypergraph

PAIRS = [("tea", "cup"), ("tea", "pot"), ("cup", "pot"), ("élan", "tea")]
COUNTS = [12, 1, 2.5, 3]


def assert_same(one: Graph, other: Graph) -> None:
    for part in ("indptr", "indices", "weights"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    assert (one.names is None) == (other.names is None)
    assert one.names is None or list(one.names) == list(other.names)


@pytest.fixture(params=["named", "numbered", "with a node alone", "pairs alone", "numbers as names"])
def graph(request) -> Graph:
    ids = [(3, 1), (0, 3), (1, 2)]
    return {
        "named": Graph.from_edges(PAIRS, weights=COUNTS),
        "numbered": Graph.from_edges(ids, weights=[1, 1, 1]),
        "with a node alone": Graph.from_edges(ids, weights=[4, 5, 6], names=["d", "c", "b", "a", "alone"]),
        "pairs alone": Graph.from_edges(ids, weights=False, num_nodes=6),
        "numbers as names": Graph.from_edges(ids, names=["0", "1", "2", "3"]),
    }[request.param]


@pytest.mark.parametrize("name", ["pairs.json", "pairs.json.gz"])
def test_a_graph_comes_back_from_hif_with_names_counts_and_nodes_alone(graph, name, tmp_path):
    assert_same(Graph.read(graph.to_hif(tmp_path / name), quiet=True), graph)


def test_xgi_reads_the_pairs_and_their_counts_and_what_it_writes_comes_back(tmp_path):
    xgi = pytest.importorskip("xgi")
    graph = Graph.from_edges(PAIRS, weights=COUNTS)
    read = xgi.read_hif(graph.to_hif(tmp_path / "pairs.json"))
    members, weights = read.edges.members(dtype=dict), read.edges.attrs("weight").asdict()
    seen = {frozenset(members[edge]): weights[edge] for edge in members}
    assert seen == {frozenset(pair): count for pair, count in zip(PAIRS, COUNTS, strict=True)}
    xgi.write_hif(read, str(tmp_path / "again.json"))
    again = Graph.read(tmp_path / "again.json", quiet=True)
    assert again.num_edges == 4
    assert {again.weights[0]} <= set(COUNTS)
    assert sorted(again.weights) == sorted(graph.weights)


def test_ids_of_hif_are_names_or_indices_as_asked(tmp_path):
    path = Graph.from_edges([(0, 1), (1, 2)]).to_hif(tmp_path / "a.json")
    assert list(Graph.read(path, ids="name").names) == ["0", "1", "2"]
    assert Graph.read(path, weights=False).weights is None
    named = Graph.from_edges(PAIRS).to_hif(tmp_path / "b.json")
    with pytest.raises(DataError, match="ids='index' needs whole numbers from 0 with none missing"):
        Graph.read(named, ids="index")


def test_edges_that_repeat_a_pair_add_up_and_one_node_is_a_self_loop(tmp_path):
    incidences = [
        {"edge": i, "node": node} for i, pair in enumerate(["ab", "ba", "bc", "c"]) for node in pair
    ]
    path = tmp_path / "loops.json"
    path.write_text(json.dumps({"incidences": incidences}))
    graph = Graph.read(path, quiet=True)
    assert graph.merged == (1, 1)
    assert graph.to_scipy(counts=True).toarray().tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]


def test_features_are_matched_to_the_names_of_hif(tmp_path):
    path = Graph.from_edges(PAIRS).to_hif(tmp_path / "pairs.json")
    (tmp_path / "words.csv").write_text("name,x\ncup,2\ntea,1\npot,3\nélan,4\nmore,5\n")
    graph = Graph.read(path, features=tmp_path / "words.csv")
    assert dict(zip(graph.names, graph.x[:, 0], strict=True)) == dict(
        zip(["tea", "cup", "pot", "élan", "more"], [1, 2, 3, 4, 5], strict=True)
    )


def test_groups_in_hif_are_no_pairs_and_the_message_says_where_they_go(tmp_path):
    incidences = [{"edge": "cart 7", "node": node} for node in "abc"]
    path = tmp_path / "carts.json"
    path.write_text(json.dumps({"incidences": incidences}))
    with pytest.raises(DataError, match=r"edge 'cart 7' has 3 nodes.*mhmgnn.datasets.hypergraph"):
        Graph.read(path)
    assert hypergraph(path).graph.num_edges == 3


def test_what_hif_cannot_hold_is_refused(tmp_path):
    graph = Graph.from_edges(PAIRS)
    with pytest.raises(DataError, match=r"HIF ends in \.json"):
        graph.to_hif(tmp_path / "pairs.csv")
    path = graph.to_hif(tmp_path / "pairs.json")
    with pytest.raises(DataError, match="columns, edge_attr, header and a column of weights are not for it"):
        Graph.read(path, header=True)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0, 1], "weights of edges, entry 0: 0 given; a count must be above 0"),
        ([1, [2, 3]], r"weights of edges: .*inhomogeneous.*; it must be one count for each edge"),
        ([1, {}], "weights of edges, entry 1: {} given; a count must be above 0"),
        ([1, 10**400], "weights of edges, entry 1: 1000.* given; a count must be above 0"),
        ([[1, 2], [3, 4]], r"the shape is \(2, 2\); it must be \(2,\), one count for each edge"),
    ],
    ids=["zero", "a list", "an object", "too large", "lists"],
)
def test_a_weight_that_is_no_count_is_refused(tmp_path, weights, message):
    incidences = [{"edge": edge, "node": node} for edge, pair in enumerate(("ab", "bc")) for node in pair]
    edges = [{"edge": edge, "weight": weight} for edge, weight in enumerate(weights)]
    (tmp_path / "pairs.json").write_text(json.dumps({"incidences": incidences, "edges": edges}))
    with pytest.raises(DataError, match=message):
        Graph.read(tmp_path / "pairs.json")
