"""Readers of groups and of hypergraphs: files of groups in every layout, HIF, a comparison of methods."""

from pathlib import Path
from unittest.mock import patch

import numpy as np
from fuzz.reader import Reader, check_graph, pick, zip_text
from fuzz.tables import parquet

from mhmgnn.baselines.comparison.compare import compare, without_single
from mhmgnn.datasets.group_lines import LAYOUTS, read_group_file
from mhmgnn.datasets.groups import hypergraph
from mhmgnn.errors import DataError
from mhmgnn.evaluation.completion import hold_out
from mhmgnn.graph import Graph

NAMES = ("g.csv", "g.csv.gz", "g.json", "g.json.gz", "g.parquet")
TABLE = b"group,member\nred,ann\nred,bob\nblue,bob\nblue,cy\n"
LINES = b'ann,bob,"cy, jr",dee\nbob,dee\nann,bob\ncy,,ann,bob\n'
HIF = (
    b'{"network-type": "undirected", "incidences": [{"edge": 1, "node": "a"}, {"edge": 1, "node": "b"},'
    b' {"edge": "x", "node": "\\u00fc"}], "nodes": [{"node": "alone"}]}'
)
WEIGHTED = HIF.replace(b'"nodes"', b'"edges": [{"edge": 1, "weight": 2.5}], "nodes"')
ATTRS = HIF.replace(b'"nodes"', b'"edges": [{"edge": 1, "attrs": {"weight": 3}}], "nodes"')
INDICES = b'{"incidences": [{"edge": 0, "node": 0}, {"edge": 0, "node": 1}, {"edge": 1, "node": 1}]}'


def put(folder: Path, name: str, content: bytes) -> Path:
    """A file with this content, packed if its name says so."""
    (folder / name).write_bytes(zip_text(content) if name.endswith(".gz") else content)
    return folder / name


def read_groups(data: bytes, folder: Path) -> None:
    (name, columns), content = pick(data, NAMES, (None, (1, 0), ("a", "b")))
    with patch("mhmgnn.datasets.groups.say"):
        found = hypergraph(put(folder, name, content), columns=columns)
    check_graph(found.graph)
    assert found.truth.members.max() < found.graph.num_nodes


def group_seeds() -> list[bytes]:
    numbers = parquet({"a": [1, 1, 2, 2], "b": [4.0, 5, 5, 6]})
    files = [b"00" + TABLE, b"01" + TABLE, b"10" + TABLE, b"20" + HIF, b"30" + HIF, b"40" + numbers]
    return [*files, b"20" + WEIGHTED]


def read_group_files(data: bytes, folder: Path) -> None:
    """What `compare` does with a file before a method sees its pairs."""
    names = ("g.csv", "g.txt", "g.csv.gz", "g.json", "g.parquet")
    (name, layout, largest), content = pick(data, names, LAYOUTS, (None, 2, 3))
    with patch("mhmgnn.datasets.groups.say"):
        found = read_group_file(put(folder, name, content), layout=layout)
    data_set = hypergraph(without_single(found), largest=largest)
    check_graph(data_set.graph)
    held = hold_out(data_set.truth, data_set.graph.num_nodes, seed=0, counts=True)
    assert all(query.hidden not in query.given for query in held.queries)


def group_file_seeds() -> list[bytes]:
    texts = [b"000" + LINES, b"010" + LINES, b"011" + LINES, b"200" + LINES, b"020" + TABLE, b"000" + TABLE]
    blanks = b"100" + b"1 2 3\n4 5\n\n% no\n1 2\n"
    hif = b'{"incidences": [%s]}' % b", ".join(
        b'{"edge": %d, "node": "%c"}' % (edge, node)
        for edge, nodes in enumerate((b"ab", b"bc"))
        for node in nodes
    )
    table = parquet({"group": [1, 1, 2, 2], "node": ["a", "b", "b", "c"]})
    return [*texts, blanks, b"300" + hif, b"400" + table]


def read_comparison(data: bytes, folder: Path) -> None:
    """A whole comparison, but for the one rival that takes 20 seconds on any graph."""
    (layout, counts), content = pick(data, LAYOUTS, (True, False))
    with patch("mhmgnn.baselines.recovery.bayesian.check_graph_tool", side_effect=DataError("slow")):
        found = compare(put(folder, "g.csv", content), layout=layout, weights=counts)
    for answers in found.answers:
        assert answers.rows, "a row for every method"
        for row in answers.rows:
            figures = [row.figures[column] for column in answers.columns if column in row.figures]
            assert all(0 <= figure <= 1 for figure in figures), row


def read_hif(data: bytes, folder: Path) -> None:
    (name, ids, weights), content = pick(
        data, ("g.json", "g.json.gz"), ("auto", "index", "name"), (None, False)
    )
    graph = Graph.read(put(folder, name, content), ids=ids, weights=weights, quiet=True)
    check_graph(graph)
    again = Graph.read(graph.to_hif(folder / "again.json"), ids=ids, quiet=True)
    assert (again.names is None) == (graph.names is None), "names stay"
    assert graph.names is None or list(graph.names) == list(again.names), "names stay"
    for one, other in ((graph.indptr, again.indptr), (graph.indices, again.indices)):
        np.testing.assert_array_equal(one, other)
    if graph.weights is not None:
        np.testing.assert_array_equal(graph.weights, again.weights)


def hif_seeds() -> list[bytes]:
    found = [b"000" + some for some in (HIF, WEIGHTED, ATTRS, INDICES)]
    return [*found, b"120" + INDICES, b"010" + INDICES, b"001" + WEIGHTED]


READERS = {
    "groups": Reader(read_groups, group_seeds),
    "group-files": Reader(read_group_files, group_file_seeds),
    "comparison": Reader(read_comparison, lambda: [b"00" + LINES, b"11" + LINES, b"20" + TABLE]),
    "hif": Reader(read_hif, hif_seeds),
}
