import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mhmgnn.datasets import collections
from mhmgnn.datasets.collections import RAW, collection
from mhmgnn.errors import DataError

TRIANGLE_AND_PATHS = {  # three graphs, of 3, 3 and 2 nodes
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n1, 2\n2, 1\n4, 5\n5, 4\n6, 6\n5, 6\n6, 5\n7, 8\n8, 7\n",
    "graph_indicator": "1\n1\n1\n2\n2\n2\n3\n3\n",
    "graph_labels": "7\n-1\n7\n",
    "node_labels": "3\n1\n3\n9\n1\n1\n1\n3\n",
    "node_attributes": "".join(f" {i}.500000, -{i}.25\n" for i in range(8)),
}
EDGES = [[[0, 1], [0, 2], [1, 2]], [[0, 1], [1, 2]], [[0, 1]]]


def write_raw(folder: Path, parts: dict[str, str], raw: str = "ENZYMES") -> Path:
    (folder / "tu").mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / "tu" / f"{raw}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for part, text in parts.items():
            archive.writestr(f"{raw}//{raw}_{part}.txt", text)
        archive.writestr(f"{raw}//README.txt", "not numbers")
    return folder


@pytest.mark.parametrize(
    "name, graphs, nodes, edges, features, classes",
    [
        ("proteins", 1113, 43471, 81044, 32, [663, 450]),
        ("enzymes", 600, 19580, 37282, 21, [100] * 6),
        ("imdb-binary", 1000, 19773, 96531, 0, [500] * 2),
        ("imdb-multi", 1500, 19502, 98903, 0, [500] * 3),
    ],
)
def test_a_collection_has_the_counts_of_its_publication(
    data_dir, name, graphs, nodes, edges, features, classes
):
    found = collection(name, data_dir)
    assert len(found.graphs) == found.labels.size == graphs
    assert sum(graph.num_nodes for graph in found.graphs) == nodes
    assert sum(graph.num_edges for graph in found.graphs) == edges
    assert {graph.num_features for graph in found.graphs} == {features}
    assert np.bincount(found.labels).tolist() == classes
    same_as_before = np.mean(found.labels[1:] == found.labels[:-1])
    assert abs(same_as_before - np.square(np.bincount(found.labels) / graphs).sum()) < 4 * 0.5 / graphs**0.5
    one_hot = [graph.x[:, -3:] for graph in found.graphs if graph.x is not None]
    assert all((rows.sum(axis=1) == 1).all() for rows in one_hot)


def test_every_graph_is_what_the_raw_files_say(tmp_path):
    found = collection("enzymes", write_raw(tmp_path, TRIANGLE_AND_PATHS))
    attributes = np.array([[i + 0.5, -i - 0.25] for i in range(8)])
    kinds = np.eye(3)[[1, 0, 1, 2, 0, 0, 0, 1]]  # of the labels 1, 3, 9
    x = np.split(np.hstack([attributes, kinds]), [3, 6])
    order = np.random.default_rng(0).permutation(3)
    for graph, label, raw in zip(found.graphs, found.labels, order, strict=True):
        assert np.argwhere(np.triu(graph.to_scipy().toarray())).tolist() == EDGES[raw]
        assert np.array_equal(graph.x, x[raw])
        assert label == [1, 0, 1][raw]
        assert (graph.x.dtype, graph.indices.dtype, graph.indptr.dtype) == (np.float32, np.int32, np.int64)


def test_an_edge_listed_often_looks_like_one_listed_once(tmp_path):
    parts = {part: TRIANGLE_AND_PATHS[part] for part in ("A", "graph_indicator", "graph_labels")}
    once = collection("imdb-multi", write_raw(tmp_path, parts, "IMDB-MULTI"))
    parts["A"] *= 3
    often = collection("imdb-multi", write_raw(tmp_path, parts, "IMDB-MULTI"))
    for one, other in zip(once.graphs, often.graphs, strict=True):
        assert np.array_equal(one.indptr, other.indptr)
        assert np.array_equal(one.indices, other.indices)
        assert (one.x, one.merged) == (None, other.merged)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"A": "1, 2\n3, 4\n"}, "an edge joins two graphs"),
        ({"A": "1, 9\n"}, r"an edge names a node outside 1\.\.8"),
        ({"A": "0, 1\n"}, r"an edge names a node outside 1\.\.8"),
        ({"A": "1, 2, 3\n"}, "A has 3 numbers a line; it must have 2"),
        ({"A": ""}, "Empty CSV"),
        ({"A": "1, 2\n1, x\n"}, "'1?,? ?x'"),
        ({"graph_indicator": "1\n1\n1\n3\n3\n3\n3\n3\n"}, "the nodes do not come graph by graph"),
        ({"graph_indicator": "1\n1\n1\n2\n2\n2\n1\n1\n"}, "the nodes do not come graph by graph"),
        ({"graph_labels": "1\n2\n"}, "2 labels for 3 graphs"),
        ({"graph_labels": "1\n2\n1.5\n"}, "1.5"),
        ({"node_labels": "1\n2\n"}, "dimension"),
        ({"node_attributes": "1\n" * 7 + "nan\n"}, "row 7, column 0: nan given"),
        ({"node_attributes": "1\n" * 7, "node_labels": "1\n" * 7}, "7 rows for 8 nodes"),
    ],
)
def test_numbers_that_make_no_graphs_are_refused_with_the_file(tmp_path, change, message):
    write_raw(tmp_path, TRIANGLE_AND_PATHS | change)
    with pytest.raises(DataError, match=message) as caught:
        collection("enzymes", tmp_path)
    assert "ENZYMES.zip is damaged: " in str(caught.value)
    assert str(caught.value).endswith("get it anew with `mhmgnn data fetch enzymes`")


@pytest.mark.parametrize("part", TRIANGLE_AND_PATHS)
def test_a_part_that_is_not_there_is_named(tmp_path, part):
    write_raw(tmp_path, {other: text for other, text in TRIANGLE_AND_PATHS.items() if other != part})
    with pytest.raises(DataError, match=rf"holds no file of which the name ends in _{part}\.txt"):
        collection("enzymes", tmp_path)


def test_an_archive_that_would_fill_the_memory_is_not_unpacked(tmp_path, monkeypatch):
    write_raw(tmp_path, TRIANGLE_AND_PATHS | {"A": "1, 2\n" * 10**6})
    monkeypatch.setattr(collections, "MOST_BYTES", 10**6)
    with pytest.raises(DataError, match=r"it unpacks to 5000[0-9]* bytes, more than 1000000"):
        collection("enzymes", tmp_path)


def test_an_archive_that_lies_about_its_size_is_damaged(tmp_path):
    path = write_raw(tmp_path, TRIANGLE_AND_PATHS | {"A": "1, 2\n" * 10**6}) / "tu" / "ENZYMES.zip"
    honest = (5 * 10**6).to_bytes(4, "little")
    assert path.read_bytes().count(honest) == 2
    path.write_bytes(path.read_bytes().replace(honest, (100).to_bytes(4, "little")))
    with pytest.raises(DataError, match=r"ENZYMES\.zip is damaged: Bad CRC-32"):
        collection("enzymes", tmp_path)


def test_a_damaged_archive_is_either_refused_or_read_as_it_was(tmp_path, seed):
    path = write_raw(tmp_path, TRIANGLE_AND_PATHS) / "tu" / "ENZYMES.zip"
    whole, before, draw = path.read_bytes(), collection("enzymes", tmp_path), random.Random(seed)
    refused = 0
    for _ in range(150):
        broken = bytearray(whole)
        broken[draw.randrange(len(broken))] ^= 1 << draw.randrange(8)
        path.write_bytes(broken if draw.random() < 0.8 else broken[: draw.randrange(len(broken))])
        try:
            after = collection("enzymes", tmp_path)
        except DataError as error:
            assert "ENZYMES.zip is damaged: " in str(error)  # noqa: PT017
            refused += 1
        else:
            assert np.array_equal(after.labels, before.labels)
            for one, other in zip(after.graphs, before.graphs, strict=True):
                assert np.array_equal(one.indices, other.indices)
                assert np.array_equal(one.x, other.x)
    assert refused > 50


def test_an_absent_archive_or_name_is_answered_with_what_to_do(tmp_path):
    with pytest.raises(
        DataError, match=r"proteins needs tu/PROTEINS_full\.zip, which is not in .* fetch pro"
    ):
        collection("proteins", tmp_path)
    with pytest.raises(DataError, match=f"there is no collection 'mutag'; there are {', '.join(RAW)}"):
        collection("mutag", tmp_path)
