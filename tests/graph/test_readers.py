import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

PAIRS = [("b", "a"), ("a", "c"), ("c", "a"), ("c", "c")]


def write(path, text):
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def edges(graph):
    """The edges by label."""
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    return {frozenset(map(graph.label, pair)) for pair in zip(source, graph.indices, strict=True)}


def lines(mark, head=""):
    return head + "".join(f"{u}{mark}{v}\n" for u, v in PAIRS)


@pytest.mark.parametrize(
    "name, text",
    [
        ("e.csv", lines(",")),
        ("e.csv", lines(", ", "source,target\n")),
        ("e.csv.gz", lines(",", "# made by hand\nsource,target\n\n")),
        ("e.tsv", lines("\t", "% note\n")),
        ("e.tsv.gz", lines("\t")),
        ("e.txt", lines("  ")),
        ("e.edges", lines(" ", "from to\n").replace("\n", "\r\n")),
        ("e.cites.gz", lines("\t ")),
        ("e", lines(" ").rstrip("\n")),
    ],
)
def test_every_kind_of_text_holds_the_same_graph(tmp_path, name, text):
    graph = Graph.read(write(tmp_path / name, text))
    assert list(graph.names) == ["b", "a", "c"]
    assert edges(graph) == {frozenset("ba"), frozenset("ac")}
    assert graph.merged == (1, 1)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_parquet_texts_are_names(tmp_path, kind):
    columns = [pa.array(column).cast(kind) for column in zip(*PAIRS, strict=True)]
    pq.write_table(pa.table(columns, names=["u", "v"]), tmp_path / "e.parquet")
    graph = Graph.read(tmp_path / "e.parquet")
    assert list(graph.names) == ["b", "a", "c"]
    assert edges(graph) == {frozenset("ba"), frozenset("ac")}


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.float64(), pa.string()])
def test_parquet_integers_are_indices_where_none_is_missing(tmp_path, kind):
    columns = {"u": pa.array([0, 2]).cast(kind), "v": pa.array([1, 0]).cast(kind)}
    pq.write_table(pa.table(columns), tmp_path / "e.parquet")
    graph = Graph.read(tmp_path / "e.parquet")
    assert graph.names is None
    assert graph.indices.tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize(
    "text, ids, names, first",
    [
        ("0 1\n1 2\n", "auto", None, (0, 1)),
        ("0 1\n1 2\n", "name", ["0", "1", "2"], (0, 1)),
        ("10 2\n2 5\n", "auto", ["2", "5", "10"], (0, 2)),
        ("-1 2\n2 5\n", "auto", ["-1", "2", "5"], (0, 1)),
        ("1000000000000 2\n2 5\n", "auto", ["2", "5", "1000000000000"], (0, 2)),
        ("1 2\n", "auto", ["1", "2"], (0, 1)),
        ("1 2\n", "index", None, (1, 2)),
        ("07 7\n", "auto", ["07", "7"], (0, 1)),
        ("1 0\n2 x\n", "auto", ["1", "0", "2", "x"], (0, 1)),
        ("99999999999999999999 0\n", "auto", ["99999999999999999999", "0"], (0, 1)),
        ("1.0 0\n", "auto", ["1.0", "0"], (0, 1)),
    ],
)
def test_ids_are_indices_where_none_is_missing_and_else_names(tmp_path, text, ids, names, first):
    graph = Graph.read(write(tmp_path / "e.txt", text), ids=ids)
    assert (graph.names and list(graph.names)) == names
    assert graph.to_scipy()[first] == 1


def test_features_by_row_make_whole_numbers_indices(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(12, dtype=np.float32).reshape(6, 2))
    graph = Graph.read(write(tmp_path / "e.txt", "1 4\n"), features=tmp_path / "x.npy")
    assert graph.names is None
    assert graph.num_nodes == 6
    assert graph.x[4].tolist() == [8, 9]
    assert not graph.x.flags.writeable


def test_columns_and_attributes_are_picked_by_name_or_position(tmp_path):
    text = "weight,to,from,kind\n1,a,b,x\n3,b,a,y\n5,a,c,z\n"
    graph = Graph.read(write(tmp_path / "e.csv", text), columns=("from", "to"), edge_attr=("weight",))
    assert list(graph.names) == ["b", "a", "c"]
    assert graph.to_scipy(weight=0).toarray().tolist() == [[0, 2, 0], [2, 0, 5], [0, 5, 0]]
    again = Graph.read(tmp_path / "e.csv", columns=(2, 1), edge_attr=(0,))
    assert np.array_equal(again.edge_attr, graph.edge_attr)


def test_a_header_can_be_stated(tmp_path):
    path = write(tmp_path / "e.csv", "alice,bob\nbob,carol\n")
    assert Graph.read(path).num_edges == 2
    assert Graph.read(path, header=True).num_edges == 1
    path = write(tmp_path / "e.csv", "source,target\nbob,carol\n")
    assert Graph.read(path).num_edges == 1
    assert Graph.read(path, header=False).num_edges == 2


def test_letters_that_could_be_titles_are_nodes_if_they_come_again(tmp_path):
    assert Graph.read(write(tmp_path / "e.txt", "u v\nv w\nw x\n")).num_edges == 3
    assert Graph.read(write(tmp_path / "e.txt", "u v\na b\nb c\n")).num_edges == 2


def test_columns_asked_for_by_name_imply_a_header(tmp_path):
    path = write(tmp_path / "e.csv", "one,other\na,b\nb,c\n")
    assert Graph.read(path).num_edges == 3
    assert list(Graph.read(path, columns=("other", "one")).names) == ["b", "a", "c"]


def test_an_npz_matrix_is_read_and_made_symmetric(tmp_path):
    sparse.save_npz(tmp_path / "a.npz", sparse.coo_array(([1, 1], ([0, 3], [1, 0])), shape=(5, 5)))
    graph = Graph.read(tmp_path / "a.npz")
    assert edges(graph) == {frozenset("01"), frozenset("03")}
    assert graph.num_nodes == 5
    with pytest.raises(DataError, match="is a matrix: columns"):
        Graph.read(tmp_path / "a.npz", edge_attr=("w",))
    sparse.save_npz(tmp_path / "b.npz", sparse.coo_array((2, 3)))
    with pytest.raises(DataError, match=r"b.npz: coo_array of shape \(2, 3\); a square"):
        Graph.read(tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", a=np.array([object()]))
    with pytest.raises(DataError, match=r"c.npz is no matrix written by scipy.sparse.save_npz"):
        Graph.read(tmp_path / "c.npz")


FEATURES = {"c": [5.0, 6.5], "alone": [9.0, 9.0], "a": [1.0, 2.0], "b": [3.0, 4.0]}


def feature_file(folder, kind):
    path = folder / f"x.{kind}"
    if kind == "parquet":
        columns = list(zip(*FEATURES.values(), strict=True))
        pq.write_table(pa.table({"key": list(FEATURES), "f": columns[0], "g": columns[1]}), path)
        return path
    mark = "\t" if "tsv" in kind else ","
    rows = [mark.join([name, *map(str, row)]) + "\n" for name, row in FEATURES.items()]
    return write(path, "".join([f"id{mark}f{mark}g\n" if "headed" in folder.name else "", *rows]))


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet"])
def test_features_are_matched_by_name_and_bring_nodes_without_edges(tmp_path, kind):
    path = write(tmp_path / "e.csv", lines(","))
    for folder in (tmp_path / "plain", tmp_path / "headed"):
        folder.mkdir()
        graph = Graph.read(path, features=feature_file(folder, kind))
        assert list(graph.names) == ["b", "a", "c", "alone"]
        assert graph.x.tolist() == [FEATURES[name] for name in graph.names]
        assert graph.degrees.tolist() == [1, 2, 1, 0]


def test_features_of_numbered_nodes_are_matched_by_number(tmp_path):
    path = write(tmp_path / "e.csv", "0,1\n1,2\n")
    graph = Graph.read(path, features=write(tmp_path / "x.csv", "id,f\n2,20\n0,0\n3,30\n1,10\n"))
    assert graph.names is None
    assert graph.x.ravel().tolist() == [0, 10, 20, 30]
    graph = Graph.read(path, features=write(tmp_path / "x.csv", "id,f\n2,20\n0,0\n33,30\n1,10\n"))
    assert list(graph.names) == ["0", "1", "2", "33"]
    assert graph.x.ravel().tolist() == [0, 10, 20, 30]


def test_tables_of_numbers_alone_are_matched_by_row_unless_stated(tmp_path):
    path = write(tmp_path / "e.csv", "0,1\n1,2\n")
    table = write(tmp_path / "x.csv", "2,5\n1,6\n0,7\n")
    assert Graph.read(path, features=table).x.tolist() == [[2, 5], [1, 6], [0, 7]]
    assert Graph.read(path, features=table, features_by="name").x.tolist() == [[7], [6], [5]]
    titled = write(tmp_path / "y.csv", "f\n1\n2\n3\n")
    assert Graph.read(path, features=titled).x.tolist() == [[1], [2], [3]]


def test_sparse_features_stay_sparse(tmp_path):
    x = sparse.csr_array(np.diag([1.0, 2, 3]))
    sparse.save_npz(tmp_path / "x.npz", x)
    graph = Graph.read(write(tmp_path / "e.csv", "0,1\n1,2\n"), features=tmp_path / "x.npz")
    assert isinstance(graph.x, sparse.csr_array)
    assert graph.x.dtype == np.float32
    assert np.array_equal(graph.x.toarray(), x.toarray())


@pytest.mark.parametrize(
    "name, text, options, message",
    [
        ("e.csv", "# c\na,b\nc\n", {}, "line 3: 1 cells where 2 are expected: 'c'"),
        ("e.csv", "a,b\n,c\n", {}, "line 2: an end of the edge is empty"),
        (
            "e.txt",
            "# c\n0 1\n-1 2\n",
            {"ids": "index"},
            r"line 3: edge \(-1, 2\) holds an id that is no index",
        ),
        ("e.txt", "0 1\n# c\n1 1.5\n", {"ids": "index"}, "line 3: '1.5' is no index"),
        (
            "e.txt",
            "0 1\n0 9\n",
            {"features": [[1], [2]]},
            r"line 2: .* 0\.\.1, one for each row of features; .* ids='name'",
        ),
        ("e.txt", "u v\n0 1\n0 x\n", {"ids": "index"}, "line 3: 'x' is no index, a whole number from 0"),
        ("e.txt", "0 9000000000\n", {"ids": "index"}, "at most 2147483647 fit; .*ids='name'"),
        ("e.txt", "0 1\n", {"ids": "number"}, "ids is 'number'; allowed are"),
        ("e.txt", "a\nb\n", {}, "1 column given; an edge needs two columns"),
        ("e.csv", "a,b\n1,2\n", {"columns": ("a", "a")}, r"columns=\('a', 'a'\) given; an edge needs two"),
        ("e.csv", "a,b\n1,2\n", {"columns": ("a", "z")}, "no column 'z'; it has a, b"),
        ("e.csv", "source,b,w\na,b,x\n", {"edge_attr": ("w",)}, "line 2, column 'w': 'x' is not a number"),
        ("e.csv", "source,b,w\na,b,nan\n", {"edge_attr": ("w",)}, "line 2, column 'w': nan given"),
        ("e.csv", "a,a\n", {}, "all 1 listed are self-loops"),
        ("e.csv", "a,b\nb,c\n", {"features": [[1], [2]]}, "features: 2 rows for 3 nodes"),
        ("e.csv", "a,b\n", {"features": "none.csv"}, "there is no file none.csv"),
    ],
)
def test_a_bad_edge_file_is_refused_with_the_place(tmp_path, name, text, options, message):
    with pytest.raises(DataError, match=message):
        Graph.read(write(tmp_path / name, text), **options)


@pytest.mark.parametrize(
    "text, by, message",
    [
        ("id,f,g\na,1,2\n# c\nb,1,x\n", "auto", "x.csv, line 4, column 'g': 'x' is not a number"),
        ("id,f,g\na,1,2\nb,1,nan\n", "auto", "x.csv, line 3, column 'g': nan given; every cell must be"),
        ("id,f,g\na,1,2\nb,1,-inf\n", "auto", "line 3, column 'g': -inf"),
        ("id,f\na,1\nb,\n", "auto", "line 3, column 'f': '' is not a number"),
        ("id,f\na,1\n", "auto", "features: 1 nodes have no row, 'b' first"),
        ("id,f\na,1\nb,2\nb,3\n", "auto", "the name 'b' is given to 2 rows of .*x.csv"),
        ("1,2\n3,4\n5,6\n", "auto", "features: 3 rows for 2 nodes"),
        ("a,1\nb,2\n", "row", "line 1, column '0': 'a' is not a number"),
        ("a,1\nb,2\n", "colour", "features_by is 'colour'; allowed are 'auto', 'name' and 'row'"),
    ],
)
def test_a_bad_feature_table_is_refused_with_the_place(tmp_path, text, by, message):
    edge_file = write(tmp_path / "e.csv", "a,b\n")
    with pytest.raises(DataError, match=message):
        Graph.read(edge_file, features=write(tmp_path / "x.csv", text), features_by=by)


def test_bad_feature_arrays_and_columns_are_refused(tmp_path):
    edge_file = write(tmp_path / "e.csv", "a,b\n")
    np.save(tmp_path / "o.npy", np.array([[object()]]), allow_pickle=True)
    np.save(tmp_path / "n.npy", np.array([[1], [np.nan]], np.float32))
    (tmp_path / "b.npy").write_bytes(b"no array")
    pq.write_table(pa.table({"id": ["a", "b"], "f": ["1", "2"]}), tmp_path / "t.parquet")
    pq.write_table(pa.table({"id": ["a", "b"], "f": [1, None]}), tmp_path / "u.parquet")
    for name, message in (
        ("o.npy", "o.npy is no array of numbers written by numpy.save"),
        ("b.npy", "b.npy is no array of numbers written by numpy.save"),
        ("n.npy", "n.npy, row 1, column 0: nan given"),
        ("t.parquet", "t.parquet: column 'f' holds string; it must hold numbers"),
        ("u.parquet", "u.parquet, row 1, column 'f': 'empty' given"),
    ):
        with pytest.raises(DataError, match=message):
            Graph.read(edge_file, features=tmp_path / name)
    with pytest.raises(DataError, match="holds no names to match by"):
        Graph.read(edge_file, features=tmp_path / "n.npy", features_by="name")


def test_cora_has_the_counts_that_its_publishers_state(data_dir):
    graph = Graph.read(data_dir / "cora" / "cora.cites")
    assert (graph.num_nodes, graph.num_edges) == (2708, 5278)
    assert sum(graph.merged) == 5429 - 5278
