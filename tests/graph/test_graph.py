import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=60)
IMPORTS_PYG = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
SHOP = [("beans", "grinder"), ("grinder", "espresso"), ("tea", "beans")]


def neighbours(graph):
    """The rows as a dict of sets, the attributes as a dict of edges."""
    cut = np.split(graph.indices, graph.indptr[1:-1])
    return {v: set(row.tolist()) for v, row in enumerate(cut)}


def naive(edges, num_nodes):
    rows = {v: set() for v in range(num_nodes)}
    for u, v in edges:
        if u != v:
            rows[u].add(v)
            rows[v].add(u)
    return rows


def attributes(graph):
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    pairs = zip(source.tolist(), graph.indices.tolist(), strict=True)
    return dict(zip(pairs, graph.edge_attr[:, 0].tolist(), strict=True))


def same(one, other):
    assert np.array_equal(one.indptr, other.indptr)
    assert np.array_equal(one.indices, other.indices)
    assert (one.edge_attr is None) == (other.edge_attr is None)
    assert one.edge_attr is None or np.array_equal(one.edge_attr, other.edge_attr)
    assert type(one.x) is type(other.x)
    assert one.x is None or np.array_equal(one.x, other.x)
    assert (one.names and list(one.names)) == (other.names and list(other.names))


@settings(deadline=None)
@given(EDGES.filter(lambda edges: any(u != v for u, v in edges)))
def test_rows_are_the_neighbours_of_each_node_and_what_was_merged_is_counted(edges):
    graph = Graph.from_edges(edges, num_nodes=12)
    rows = naive(edges, 12)
    assert neighbours(graph) == rows
    assert all((np.diff(row) > 0).all() for row in np.split(graph.indices, graph.indptr[1:-1]))
    loops = sum(u == v for u, v in edges)
    assert graph.merged == (loops, len(edges) - loops - sum(map(len, rows.values())) // 2)
    assert graph.num_edges == sum(map(len, rows.values())) // 2


@settings(deadline=None)
@given(EDGES.filter(lambda edges: any(u != v for u, v in edges)), st.permutations(range(10)))
def test_renaming_nodes_renames_the_rows_and_nothing_else(edges, order):
    renamed = Graph.from_edges([(order[u], order[v]) for u, v in edges], num_nodes=10)
    rows = neighbours(Graph.from_edges(edges, num_nodes=10))
    assert neighbours(renamed) == {order[v]: {order[u] for u in row} for v, row in rows.items()}


@settings(deadline=None)
@given(EDGES.filter(lambda edges: any(u != v for u, v in edges)), st.randoms())
def test_an_edge_has_the_mean_attribute_of_its_listings_both_ways(edges, random):
    values = [random.random() for _ in edges]
    graph = Graph.from_edges(edges, edge_attr=values)
    for (u, v), value in attributes(graph).items():
        listed = [w for edge, w in zip(edges, values, strict=True) if set(edge) == {u, v}]
        assert value == pytest.approx(sum(listed) / len(listed), rel=1e-6)


def test_texts_name_nodes_in_order_of_appearance():
    graph = Graph.from_edges(SHOP)
    assert list(graph.names) == ["beans", "grinder", "espresso", "tea"]
    assert neighbours(graph) == {0: {1, 3}, 1: {0, 2}, 2: {1}, 3: {0}}


def test_given_names_are_looked_up_and_may_be_mixed_with_indices():
    names = ["tea", "espresso", "grinder", "beans", "cup"]
    by_name = Graph.from_edges(SHOP, names=names)
    same(by_name, Graph.from_edges([(3, 2), (2, 1), (0, 3)], names=names))
    same(by_name, Graph.from_edges([("beans", 2), (2, "espresso"), (0, 3)], names=names))
    assert by_name.num_nodes == 5
    assert by_name.label(4) == "cup"
    assert Graph.from_edges([(0, 1)]).label(1) == "1"


def test_whole_floats_and_any_integer_type_are_indices():
    for kind in (np.uint8, np.int16, np.uint64, np.float32):
        same(Graph.from_edges(np.array([[0, 1], [1, 2]], kind)), Graph.from_edges([[0, 1], [1, 2]]))


def test_arrays_cannot_be_written_to_and_are_not_the_callers():
    x = np.ones((3, 2), np.float32)
    graph = Graph.from_edges([(0, 1), (1, 2)], features=x, edge_attr=[1, 2])
    x[0, 0] = 5
    assert graph.x[0, 0] == 1
    for array in (graph.indptr, graph.indices, graph.x, graph.edge_attr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    held = Graph.from_edges([(0, 1), (1, 2)], features=sparse.csr_array(x)).x
    with pytest.raises(ValueError, match="read-only"):
        held.data[0] = 0


@pytest.mark.parametrize(
    "edges, options, message",
    [
        ([], {}, "there is no edge, none is listed"),
        (np.zeros((0, 2)), {}, "there is no edge"),
        ([(1, 1)], {}, "all 1 listed are self-loops"),
        ([(0, 1), (0, -1)], {}, r"edge 1 holds node -1; allowed are 0\.\.1"),
        ([(0, 1.5)], {}, "edge 0 holds 1.5; a node index is a whole number"),
        ([(0, 1), (float("nan"), 1)], {}, "edge 1 holds nan"),
        ([(0, 1), (0, 3)], {"num_nodes": 3}, r"edge 1 holds node 3; allowed are 0\.\.2"),
        ([(0, 2**40)], {}, "at most 2147483647 fit"),
        ([(0, 2**70)], {}, "edge 0 holds 1180591620717411303424"),
        ([(0, 1, 2)], {}, r"edge 0 has 3 nodes, \[0, 1, 2\]; it must have 2"),
        (np.zeros((2, 5), int), {}, r"shape \(2, 5\); allowed is \(m, 2\); transpose it"),
        ([(0, None)], {}, "edge 0 holds None; a node is an integer index or a text name"),
        ([(0, True)], {}, "edge 0 holds True"),
        (["ab", "cd"], {}, "edge 0 is 'ab'; write a list of edges"),
        ([("a", "b"), ("a", 1)], {}, "edge 1 holds an index, others hold names"),
        ([("a", "z")], {"names": ["a", "b"]}, "edge 0 holds 'z', which no node is called"),
        ([(0, 1)], {"names": ["a", "a"]}, "the name 'a' is given to 2 nodes"),
        ([(0, 5)], {"names": ["4", "5"]}, "write '5' as text to mean the name"),
        ([("1", "4")], {"names": ["4", "5"]}, "to mean node number 1, write it as an integer"),
        ([(0, 1)], {"features": [[1.0]]}, r"edge 0 holds node 1; allowed are 0\.\.0"),
        (
            [(0, 1)],
            {"features": np.ones((3, 1)), "num_nodes": 2},
            "do not agree: 2 in num_nodes, 3 in features",
        ),
        ([("a", "b")], {"num_nodes": 3}, "do not agree: 3 in num_nodes, 2 in names"),
        ([(0, 1)], {"features": [[1], [np.nan]]}, "features, row 1, column 0: nan given"),
        ([(0, 1)], {"features": [[1, 1e300], [1, 2]]}, "features, row 0, column 1: 1e\\+300 given"),
        ([(0, 1)], {"features": sparse.csr_array([[0, 0], [0, np.inf]])}, "features, row 1, column 1: inf"),
        ([(0, 1)], {"features": [["1", "2"], ["3", "x"]]}, "features, row 1, column 1: 'x' given"),
        ([(0, 1)], {"features": [1, 2]}, r"features: the shape is \(2,\); .*values\[:, None\]"),
        ([(0, 1)], {"features": np.ones((2, 2), complex)}, "the type is complex128"),
        ([(0, 1)], {"edge_attr": [1, 2]}, "edge_attr: 2 rows for 1 edges"),
        ([(0, 1)], {"edge_attr": [np.inf]}, "edge_attr, row 0, column 0: inf"),
    ],
)
def test_bad_edges_are_refused_with_what_and_where(edges, options, message):
    with pytest.raises(DataError, match=message):
        Graph.from_edges(edges, **options)


def test_ksets_are_sorted_indices_whatever_they_are_written_as():
    graph = Graph.from_edges(SHOP)
    expected = [[0, 2], [1, 3]]
    written = [[("espresso", "beans"), ("grinder", "tea")], [[2, 0], [3, 1]], [{"tea", 1}, {0, 2}][::-1]]
    for sets in (*written, np.array([[2, 0], [3, 1]]), np.array([["espresso", "beans"], ["grinder", "tea"]])):
        found = graph.ksets(sets)
        assert found.tolist() == expected
        assert found.dtype == np.int64
    assert graph.ksets([], k=3).shape == (0, 3)


def test_a_table_of_ksets_holds_names_if_the_graph_has_them_and_else_indices():
    numbers = pa.table({"a": [10, 30], "b": [20, 10]})
    assert Graph.from_edges([("10", "20"), ("20", "30")]).ksets(numbers).tolist() == [[0, 1], [0, 2]]
    texts = pa.table({"a": ["1", "2"], "b": ["0", "1"]})
    assert Graph.from_edges([(0, 1), (1, 2)]).ksets(texts, k=2).tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize(
    "sets, k, message",
    [
        ([[0, 1], [0, 1, 2]], None, r"k-set 1 has 3 nodes, \[0, 1, 2\]; it must have 2"),
        ([[0, 1]], 3, "k-set 0 has 2 nodes"),
        (np.zeros((4, 2), int), 3, r"shape \(4, 2\); allowed is \(m, 3\)"),
        ([0, 1], 2, "k-set 0 is 0; write a list of k-sets"),
        ([[0, 1], [2, 2]], None, "k-set 1 holds node 'espresso' twice"),
        ([["tea", "milk"]], None, "k-set 0 holds 'milk', which no node is called"),
        ([[0, 9]], None, r"k-set 0 holds node 9; allowed are 0\.\.3; nodes have names: write '9'"),
        ([[0, 1.5]], None, "k-set 0 holds 1.5"),
        ([[0, None]], None, "k-set 0 holds None"),
        ([], None, "say k"),
        (pa.table({"a": ["tea", None], "b": ["beans", "tea"]}), 2, "k-set 1 has an empty cell"),
        (pa.table({"a": ["tea"]}), 2, "has 1 columns"),
    ],
)
def test_bad_ksets_are_refused_with_their_row(sets, k, message):
    with pytest.raises(DataError, match=message):
        Graph.from_edges(SHOP).ksets(sets, k=k)


def test_a_name_means_nothing_where_nodes_have_none():
    with pytest.raises(DataError, match="k-set 0 holds the name 'tea'; this graph's nodes have no names"):
        Graph.from_edges([(0, 1)]).ksets([["tea", "beans"]])
    with pytest.raises(DataError, match="the nodes have no names, so the table must hold indices"):
        Graph.from_edges([(0, 1)]).ksets(pa.table({"a": ["tea"], "b": ["cup"]}))


def test_a_node_that_is_not_there_has_no_label():
    with pytest.raises(DataError, match=r"there is no node -1; nodes are 0\.\.1"):
        Graph.from_edges([(0, 1)]).label(-1)


def rich(seed=0, *, features="dense", names=True):
    rng = np.random.default_rng(seed)
    x = (rng.random((20, 6)) * (rng.random((20, 6)) < 0.3)).astype(np.float32)
    return Graph.from_edges(
        rng.integers(18, size=(60, 2)),
        features={"dense": x, "sparse": sparse.csr_array(x), "none": None}[features],
        names=[f"Knoten {i} ü" for i in range(20)] if names else None,
        edge_attr=rng.random((60, 2)),
        num_nodes=20,
    )


def test_a_symmetric_matrix_comes_back_from_scipy_with_nothing_merged():
    graph = rich()
    back = Graph.from_scipy(graph.to_scipy(weight=1), edge_attr=True, features=graph.x, names=graph.names)
    same(back, Graph(graph.indptr, graph.indices, graph.x, graph.edge_attr[:, 1:], graph.names))
    assert back.merged == (0, 0)
    assert np.array_equal(graph.to_scipy().sum(axis=1), graph.degrees)


def test_an_asymmetric_matrix_is_made_symmetric_and_stored_zeros_are_no_edges():
    stored = sparse.coo_array(([1.0, 2.0, 4.0, 0.0, 3.0], ([0, 1, 0, 2, 2], [1, 0, 2, 1, 2])), shape=(3, 3))
    graph = Graph.from_scipy(stored, edge_attr=True)
    assert neighbours(graph) == {0: {1, 2}, 1: {0}, 2: {0}}
    assert attributes(graph) == {(0, 1): 1.5, (1, 0): 1.5, (0, 2): 4.0, (2, 0): 4.0}
    assert graph.merged == (1, 0)


@pytest.mark.parametrize("matrix", [sparse.csr_array((2, 3)), np.eye(3), "matrix"])
def test_what_is_no_square_sparse_matrix_is_refused(matrix):
    with pytest.raises(DataError, match="a square SciPy sparse matrix is needed"):
        Graph.from_scipy(matrix)


@IMPORTS_PYG
@pytest.mark.parametrize("features", ["dense", "sparse", "none"])
def test_a_graph_comes_back_from_pyg(features):
    graph = rich(features=features)
    data = graph.to_pyg()
    assert data.is_undirected()
    back = Graph.from_pyg(data, names=graph.names)
    dense = graph.x.toarray() if features == "sparse" else graph.x
    same(back, Graph(graph.indptr, graph.indices, dense, graph.edge_attr, graph.names))
    assert back.merged == (0, 0)


@IMPORTS_PYG
def test_pyg_data_may_lack_everything_but_edges_and_may_hold_sparse_features():
    import torch
    from torch_geometric.data import Data

    edge_index = torch.tensor([[0, 1, 1, 1, 2], [1, 0, 2, 2, 2]])
    graph = Graph.from_pyg(Data(edge_index=edge_index, edge_attr=torch.arange(5.0)))
    assert neighbours(graph) == {0: {1}, 1: {0, 2}, 2: {1}}
    assert graph.merged == (1, 1)
    held = Graph.from_pyg(Data(x=torch.eye(3).to_sparse(), edge_index=edge_index))
    assert np.array_equal(held.x.toarray(), np.eye(3))
    with pytest.raises(DataError, match=r"edge 0 of the PyG data is \(0, 7\), outside 0\.\.1"):
        Graph.from_pyg(Data(edge_index=torch.tensor([[0], [7]]), num_nodes=2))
    with pytest.raises(DataError, match="no edge_index"):
        Graph.from_pyg(Data(num_nodes=2))
    with pytest.raises(DataError, match="2 names for 3 nodes"):
        Graph.from_pyg(Data(edge_index=edge_index), names=["a", "b"])


def test_networkx_nodes_that_are_numbers_in_a_row_keep_them_and_others_become_names():
    numbered = nx.Graph([(2, 1), (1, 0)])
    graph = Graph.from_networkx(numbered, features=np.array([[0.0], [1], [2]]))
    assert neighbours(graph) == {0: {1}, 1: {0, 2}, 2: {1}}
    assert graph.names is None
    named = nx.MultiDiGraph()
    named.add_node(("x", 1), f=[1, 2])
    named.add_node(7, f=[3, 4])
    named.add_edge(7, ("x", 1), w=1.0)
    named.add_edge(("x", 1), 7, w=2.0)
    graph = Graph.from_networkx(named, features="f", edge_attr=["w"])
    assert list(graph.names) == ["('x', 1)", "7"]
    assert graph.x.tolist() == [[1, 2], [3, 4]]
    assert attributes(graph) == {(0, 1): 1.5, (1, 0): 1.5}
    assert graph.merged.repeated == 1
    with pytest.raises(DataError, match="has no attribute 'weight'; every edge needs it"):
        Graph.from_networkx(named, edge_attr=["weight"])
    with pytest.raises(DataError, match="the name '7' is given to 2 nodes"):
        Graph.from_networkx(nx.Graph([(7, "7")]))
