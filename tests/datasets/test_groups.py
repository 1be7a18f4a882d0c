import gzip
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from mhmgnn.datasets import Dataset, Hyperedges
from mhmgnn.datasets.groups import MOST_PAIRS, hypergraph, read_groups
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.io.tables import TableWriter

GROUPS = {
    "red": ["zoe", "ann", "bo"],
    "blue": ["bo", "cy", "ann", "bo"],
    "green": ["di"],
    "grey": ["ann", "zoe"],
    "all": ["zoe", "ann", "bo", "cy", "élan"],
}
ROWS = [(group, member) for group, members in GROUPS.items() for member in members]


def write(path: Path, rows: list[tuple[str, str]] = ROWS, titles: tuple[str, str] | None = None) -> Path:
    """A file of groups, of the kind that its ending says."""
    if path.name == "groups.parquet":
        with TableWriter(path) as writer:
            writer.write(pa.table(dict(zip(titles or ("a", "b"), zip(*rows, strict=True), strict=True))))
        return path
    if ".json" in path.suffixes:
        text = json.dumps({"incidences": [{"edge": edge, "node": node} for edge, node in rows]})
    else:
        mark = "," if ".csv" in path.suffixes else "\t"
        text = "".join(f"{mark.join(row)}\n" for row in ([titles] if titles else []) + rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def by_name(dataset: Dataset[Hyperedges]) -> list[frozenset[str]]:
    label = dataset.graph.label
    return [frozenset(map(label, dataset.truth[i])) for i in range(len(dataset.truth))]


def edges(graph: Graph) -> set[frozenset[str]]:
    first, second = graph.to_scipy().nonzero()
    return {frozenset((graph.label(u), graph.label(v))) for u, v in zip(first, second, strict=True)}


def assert_same_graph(one: Graph, other: Graph) -> None:
    """Nothing that training sees differs."""
    assert np.array_equal(one.indptr, other.indptr)
    assert np.array_equal(one.indices, other.indices)
    assert list(one.names) == list(other.names)
    assert (one.merged, one.edge_attr, one.x) == (other.merged, other.edge_attr, other.x)
    assert np.array_equal(one.weights, other.weights)


@pytest.mark.parametrize("least", [1, 2, 3])
def test_members_are_adjacent_who_are_together_often_enough(least):
    found = hypergraph(GROUPS, min_together=least)
    sets = [set(members) for members in GROUPS.values()]
    names = sorted(set.union(*sets))
    assert edges(found.graph) == {
        frozenset(pair) for pair in combinations(names, 2) if sum(set(pair) <= one for one in sets) >= least
    }
    assert by_name(found) == sets
    assert list(found.graph.names) == names


@pytest.mark.parametrize(
    "file",
    ["groups.csv", "groups.tsv", "groups.csv.gz", "groups.txt", "groups.parquet", "g.json", "g.json.gz"],
)
def test_every_kind_of_file_gives_the_same_as_memory(tmp_path, file):
    found, same = hypergraph(write(tmp_path / file)), hypergraph(GROUPS)
    assert_same_graph(found.graph, same.graph)
    assert by_name(found) == by_name(same)


@pytest.mark.parametrize("titles", [("group", "member"), ("Group_ID", "Member_ID"), ("edge", "node")])
def test_usual_titles_are_no_group(tmp_path, titles):
    assert by_name(hypergraph(write(tmp_path / "g.csv", titles=titles))) == by_name(hypergraph(GROUPS))


@pytest.mark.parametrize("file", ["groups.csv", "groups.parquet"])
def test_columns_can_be_named_or_counted(tmp_path, file):
    swapped = [(member, group) for group, member in ROWS]
    path = write(tmp_path / file, swapped, ("who", "where"))
    assert by_name(hypergraph(path, columns=("where", "who"))) == by_name(hypergraph(GROUPS))
    plain = write(tmp_path / file, swapped)
    assert by_name(hypergraph(plain, columns=(1, 0))) == by_name(hypergraph(GROUPS))


def test_the_graph_does_not_tell_one_group_of_three_from_three_pairs():
    three, pairs = [["a", "b", "c"]], [["b", "c"], ["a", "c"], ["a", "b"]]
    assert_same_graph(hypergraph(three).graph, hypergraph(pairs).graph)
    often = hypergraph([*three * 5, *pairs], weights=False).graph
    assert_same_graph(hypergraph(three, weights=False).graph, often)
    assert_same_graph(hypergraph(three * 6).graph, hypergraph([*three * 5, *pairs]).graph)


@pytest.mark.parametrize("options", [{}, {"min_together": 2}, {"largest": 3}])
def test_a_pair_counts_the_groups_that_hold_both(options):
    graph = hypergraph(GROUPS, **options).graph
    sets = [set(members) for members in GROUPS.values() if len(set(members)) <= options.get("largest", 9)]
    times = graph.to_scipy(counts=True).tocoo()
    for u, v, count in zip(times.row, times.col, times.data, strict=True):
        assert count == sum({graph.label(u), graph.label(v)} <= one for one in sets)
    assert hypergraph(GROUPS, weights=False, **options).graph.weights is None


def test_weights_of_hif_edges_are_named_and_not_used(tmp_path, capsys):
    hif = {
        "incidences": [{"edge": 1, "node": "a"}, {"edge": 1, "node": "b"}],
        "edges": [{"edge": 1, "weight": 7}],
    }
    (tmp_path / "small.json").write_text(json.dumps(hif))
    assert hypergraph(tmp_path / "small.json").graph.weights.tolist() == [1, 1]
    assert "weights of edges are not used; each edge is one group, seen once" in capsys.readouterr().err


def test_the_order_of_groups_and_members_does_not_reach_the_graph(seed):
    order = np.random.default_rng(seed).permutation(len(ROWS))
    mixed: dict[str, list[str]] = {}
    for i in order:
        mixed.setdefault(ROWS[i][0], []).append(ROWS[i][1])
    assert_same_graph(hypergraph(mixed).graph, hypergraph(GROUPS).graph)


def test_whole_numbers_are_named_in_their_order():
    found = hypergraph([[10, 2], [2, 1, 30]], features=np.eye(4))
    assert list(found.graph.names) == ["1", "2", "10", "30"]
    assert list(hypergraph([["10", "2"], ["2", "x"]]).graph.names) == ["10", "2", "x"]


def test_features_are_matched_by_name_and_may_name_more(tmp_path):
    names = ["zoe", "bo", "moe", "ann", "cy", "élan", "di"]
    path = tmp_path / "x.csv"
    path.write_text("".join(f"{name},{len(name)},{i}\n" for i, name in enumerate(names)))
    found = hypergraph(GROUPS, features=path)
    assert list(found.graph.names) == sorted(names)
    assert found.graph.x.tolist() == [[len(name), names.index(name)] for name in sorted(names)]
    assert by_name(found) == by_name(hypergraph(GROUPS))
    assert edges(found.graph) == edges(hypergraph(GROUPS).graph)


def test_a_matrix_has_a_row_for_each_name_in_order():
    words = sparse.random_array((6, 4), density=0.5, rng=np.random.default_rng(0))
    assert np.allclose(hypergraph(GROUPS, features=words).graph.x.toarray(), words.toarray())
    with pytest.raises(DataError, match="features: 5 rows for 6 members; there must be one row for each"):
        hypergraph(GROUPS, features=np.ones((5, 2)))


def test_a_member_without_features_is_named(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("zoe,1\nann,2\nbo,3\ncy,4\n")
    with pytest.raises(DataError, match="features: 2 members have no row, 'di' first"):
        hypergraph(GROUPS, features=path)


def test_groups_that_are_too_large_are_left_out_but_their_members_stay():
    found = hypergraph(GROUPS, largest=3)
    assert by_name(found) == [set(members) for members in GROUPS.values() if len(set(members)) <= 3]
    assert list(found.graph.names) == list(hypergraph(GROUPS).graph.names)
    assert found.graph.degrees[found.graph.names.find(["élan", "di"])].tolist() == [0, 0]
    assert (read_groups(GROUPS).hyperedges.sizes > 3).sum() == 1
    assert_same_graph(hypergraph(read_groups(GROUPS), largest=3).graph, found.graph)


def test_groups_that_would_fill_the_memory_are_refused_with_a_size_that_fits():
    huge = [range(10**5), range(30), range(20), range(10**5)]
    message = (
        rf"up to 100000 members make up to 4,999,950,000 pairs, more than {MOST_PAIRS:,}; largest=30 leaves"
    )
    with pytest.raises(DataError, match=f"{message} out the 2 largest of 4 groups"):
        hypergraph(huge)
    assert hypergraph(huge, largest=30).graph.num_edges == 30 * 29 // 2


@pytest.mark.parametrize("kind", [{}, {"network-type": "undirected"}, {"network-type": "asc"}])
def test_hif_keeps_nodes_alone_and_drops_empty_edges(tmp_path, kind):
    hif = kind | {
        "incidences": [{"edge": 1, "node": "a", "weight": 2.5}, {"edge": 1, "node": "b", "attrs": {}}],
        "nodes": [{"node": "c"}, {"node": "a", "attrs": {"age": 3}}],
        "edges": [{"edge": 1}, {"edge": "empty"}],
        "metadata": {"name": "small"},
    }
    (tmp_path / "small.json").write_text(json.dumps(hif))
    found = hypergraph(tmp_path / "small.json")
    assert list(found.graph.names) == ["a", "b", "c"]
    assert by_name(found) == [{"a", "b"}]


@pytest.mark.parametrize(
    "text, message",
    [
        ('{"incidences": [', "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[]", 'must be a JSON object with a list of "incidences"'),
        ('{"incidences": [["a", "b"]]}', "each must be an object with 'edge'"),
        ('{"incidences": [{"edge": 1}]}', "each must be an object with 'node'"),
        ('{"incidences": [{"edge": 1, "node": 2.5}]}', "a node is 2.5; it must be a text or an integer"),
        ('{"incidences": [{"edge": 1, "node": 2}, {"edge": 1, "node": "2"}]}', "a node is 2 in one place"),
        ('{"incidences": []}', "there are no groups"),
        ('{"incidences": [], "network-type": "directed"}', "'directed'.*must be undirected or asc"),
        ('{"incidences": [], "network-type": []}', "unknown.*must be undirected or asc"),
    ],
)
def test_what_is_no_hif_is_refused(tmp_path, text, message):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        hypergraph(path)


@pytest.mark.parametrize(
    "text, message",
    [
        ("red,ann\nred,\n", "line 2: column '1' is empty; a row needs a group and a member"),
        ("red\nblue\n", "1 column given; two are needed"),
        ("red,ann\nred,bo,cy\n", "line 2: 3 cells where 2 are expected"),
        ("group,member\n", "has titles and no rows below them"),
    ],
)
def test_a_faulty_table_is_refused_with_the_line(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        hypergraph(path)


@pytest.mark.parametrize(
    "groups, options, message",
    [
        ("nowhere.csv", {}, "there is no file nowhere.csv"),
        ({"red": "ann"}, {}, "group 0 is 'ann'; give a dict or a list of groups"),
        ([1, 2], {}, "group 0 is 1; give a dict or a list of groups"),
        ([["a", None]], {}, "a member is None; it must be a text or an integer"),
        ([["a", True]], {}, "a member is True; it must be a text or an integer"),
        ([["a", ""]], {}, "a member is an empty text"),
        ([[1, "1"]], {}, "a member is 1 in one place and '1' in another"),
        ([[], []], {}, "there are no groups"),
        ([["a"], ["b"]], {}, "no group has two members"),
        (GROUPS, {"min_together": 0}, "min_together is 0; it must be a whole number of at least 1"),
        (GROUPS, {"min_together": 9}, "min_together=9 leaves no pair; take 3 or less"),
        (GROUPS, {"largest": 1}, "largest is 1; it must be a whole number of at least 2"),
        (GROUPS, {"columns": ("a", "b")}, "given for what is no table"),
    ],
)
def test_what_makes_no_graph_is_refused(groups, options, message):
    with pytest.raises(DataError, match=message):
        hypergraph(groups, **options)


def test_numbers_of_groups_and_members_may_be_held_as_floats(tmp_path):
    with TableWriter(tmp_path / "g.parquet") as writer:
        writer.write(
            pa.table({"order": [1.0, 1.0, 2.0], "item": pa.array(["a", "b", "a"]).dictionary_encode()})
        )
    assert by_name(hypergraph(tmp_path / "g.parquet")) == [{"a", "b"}, {"a"}]
    with TableWriter(tmp_path / "g.parquet") as writer:
        writer.write(pa.table({"order": [1.5, 1.0], "item": ["a", "b"]}))
    with pytest.raises(DataError, match="column 'order' holds double; it must hold texts or integers"):
        hypergraph(tmp_path / "g.parquet")


def test_half_a_character_is_no_name(tmp_path):
    (tmp_path / "g.json").write_text(
        '{"incidences": [{"edge": 1, "node": "\\ud800"}, {"edge": 1, "node": "b"}]}'
    )
    with pytest.raises(DataError, match=r"a node is '\\ud800'; it must be a text that utf-8 can write"):
        read_groups(tmp_path / "g.json")
