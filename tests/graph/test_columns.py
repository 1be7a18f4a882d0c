"""Counts in files: which column holds them, what is said of it, what is refused."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.counts import COUNT_TITLES

LOG = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40).filter(
    lambda log: any(u != v for u, v in log)
)
ANY = st.floats(2**-10, 2**20, width=32)


def seen(graph):
    """The count of each pair, in both directions."""
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    ends = zip(source.tolist(), graph.indices.tolist(), strict=True)
    return dict(zip(ends, graph.weights.tolist(), strict=True))


def named(graph):
    """The count of each pair by its names."""
    return {frozenset(map(graph.label, pair)): count for pair, count in seen(graph).items()}


def write(folder, text, name="e.csv"):
    (folder / name).write_text(text)
    return folder / name


@settings(deadline=None, max_examples=25)
@given(log=LOG, counts=st.data(), ending=st.sampled_from(["csv", "tsv", "parquet", "txt"]))
def test_a_file_gives_back_the_counts_that_were_written(tmp_path_factory, log, counts, ending):
    values = counts.draw(st.lists(ANY, min_size=len(log), max_size=len(log)))
    graph = Graph.from_edges(log, weights=values, num_nodes=6)
    source = np.repeat(np.arange(6), graph.degrees)
    up = source < graph.indices
    columns = [[f"n{v}" for v in source[up]], [f"n{v}" for v in graph.indices[up]], graph.weights[up]]
    path = tmp_path_factory.mktemp("counts") / f"e.{ending}"
    if ending == "parquet":
        pq.write_table(pa.table(columns, names=["a", "b", "Times"]), path)
    else:
        mark = {"csv": ",", "tsv": "\t", "txt": " "}[ending]
        lines = [mark.join(map(str, row)) for row in zip(*columns, strict=True)]
        path.write_text("\n".join([mark.join(["source", "target", "Times"]), *lines]))
    written = {frozenset((f"n{u}", f"n{v}")): count for (u, v), count in seen(graph).items()}
    assert named(Graph.read(path, quiet=True)) == written


@pytest.mark.parametrize("title", [*sorted(COUNT_TITLES), "Count", " WEIGHT "])
def test_a_usual_title_is_that_of_counts_wherever_it_stands(tmp_path, capsys, title):
    path = write(tmp_path, f"source,target,date,{title}\na,b,2020,3\nb,a,2021,2\nb,c,2022,1\n")
    assert named(Graph.read(path)) == {frozenset("ab"): 5, frozenset("bc"): 1}
    said = capsys.readouterr().err.splitlines()
    assert said == [f"counts: column {title.strip()!r}, 1 to 5, mean 3", "columns not used: date"]


def test_other_titles_are_named_and_not_counted(tmp_path, capsys):
    path = write(tmp_path, "source,target,price,value\na,b,3,1\nb,c,2,1\n")
    assert Graph.read(path).weights is None
    advice = "if one of them says how often a pair was seen, name it with weights (--weights)"
    assert capsys.readouterr().err == f"columns not used: price, value; {advice}\n"
    assert named(Graph.read(path, weights="price")) == {frozenset("ab"): 3, frozenset("bc"): 2}
    assert capsys.readouterr().err == "counts: column 'price', 2 to 3, mean 2.5\ncolumns not used: value\n"
    assert named(Graph.read(path, weights=3, quiet=True)) == {frozenset("ab"): 1, frozenset("bc"): 1}
    assert capsys.readouterr().err == ""


def test_without_titles_the_third_column_counts_if_it_begins_with_a_number(tmp_path, capsys):
    path = write(tmp_path, "a b 3 1000\nb c 1 1001\n", "e.txt")
    assert named(Graph.read(path)) == {frozenset("ab"): 3, frozenset("bc"): 1}
    assert "counts: column 2 (from 0), 1 to 3, mean 2\n" in capsys.readouterr().err
    assert Graph.read(path, weights=False).weights is None
    assert capsys.readouterr().err == "columns not used: 2, 3 (from 0)\n"
    assert Graph.read(write(tmp_path, "a b 1x\nb c 2\n", "e.txt")).weights is None
    assert Graph.read(path, columns=(2, 1), ids="name").weights is None


def test_a_log_in_a_file_is_counted_and_said_so(tmp_path, capsys):
    path = write(tmp_path, "a b\nb a\nb c\na b\n", "e.txt")
    assert named(Graph.read(path)) == {frozenset("ab"): 3, frozenset("bc"): 1}
    assert capsys.readouterr().err == "counts: lines that repeat a pair, 1 to 3, mean 2\n"
    assert Graph.read(path, weights=False).weights is None
    assert Graph.read(write(tmp_path, "a b\nb a\n", "e.txt")).weights is None
    assert capsys.readouterr().err == ""


def test_a_column_kept_as_an_attribute_is_counted_only_if_asked_for(tmp_path):
    path = write(tmp_path, "source,target,n\na,b,-3\nb,c,1\n")
    assert Graph.read(path, edge_attr=["n"]).weights is None
    path = write(tmp_path, "source,target,n\na,b,3\nb,c,1\n")
    both = Graph.read(path, edge_attr=["n"], weights="n")
    assert both.weights.tolist() == both.edge_attr.ravel().tolist() == [3, 3, 1, 1]


@pytest.mark.parametrize(
    "text, options, message",
    [
        (
            "# c\nsource,target,n\na,b,1\nb,c,0\n",
            {},
            "line 4, column 'n': 0.0 given; a count must be above 0",
        ),
        ("a,b,1\nb,c,-2\n", {}, r"line 2, column '2': -2\.0 given"),
        ("a,b,1\nb,c,inf\n", {}, "line 2, column '2': inf given"),
        ("a,b,1\nb,c,nan\n", {}, r"line 2, column '2': nan given; .*--weights none"),
        ("a,b,1\nb,c,1e99\n", {}, r"line 2, column '2': 1e\+99 given"),
        ("a,b,1\nb,c,\n", {}, "line 2, column '2': '' is not a number"),
        ("a,b,1\nb,c\n", {}, "line 2: 2 cells where 3 are expected"),
        ("source,target,count\na,b,1\nb,c,many\n", {}, "'many' is not a number; .*--weights none"),
        ("source,target,kind\na,b,x\n", {"weights": "kind"}, "line 2, column 'kind': 'x' is not a number"),
        ("source,target\na,b\n", {"weights": "count"}, "no column 'count'; it has source, target"),
        ("source,target\na,b\n", {"weights": "target"}, "weights='target' is an end of the edge"),
        ("a,b\n", {"weights": True}, "weights is True; name the column of counts, or say False"),
    ],
)
def test_a_file_with_a_wrong_count_is_refused_with_the_line(tmp_path, text, options, message):
    with pytest.raises(DataError, match=message):
        Graph.read(write(tmp_path, text), **options)


def test_counts_of_parquet_are_numbers_in_a_titled_column(tmp_path):
    path = tmp_path / "e.parquet"
    for column, message in (
        (pa.array([1, None]), "row 1, column 'n': nothing given"),
        (pa.array([1, 0]), "row 1, column 'n': 0 given"),
        (pa.array(["1", "2"]), "column 'n' holds string; counts must be numbers"),
    ):
        pq.write_table(pa.table({"u": ["a", "b"], "v": ["b", "c"], "n": column}), path)
        with pytest.raises(DataError, match=message):
            Graph.read(path)
        assert Graph.read(path, weights=False, quiet=True).num_edges == 2
