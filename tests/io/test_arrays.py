import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import rich

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph


def mapped(array):
    while array is not None and not isinstance(array, np.memmap):
        array = array.base
    return array is not None


@pytest.mark.parametrize("features", ["dense", "sparse", "none"])
def test_a_saved_graph_comes_back_mapped_and_read_only(tmp_path, features):
    graph = rich(features=features)
    graph.save(tmp_path / "g")
    back = Graph.load(tmp_path / "g")
    assert back.merged == graph.merged
    pairs = [(graph.indptr, back.indptr), (graph.indices, back.indices), (graph.weights, back.weights)]
    if features != "none":
        pairs += [(graph.edge_attr, back.edge_attr), (graph.names.text, back.names.text)]
        assert list(back.names) == list(graph.names)
        assert back.ksets([["Knoten 3 ü", "Knoten 1 ü"]]).tolist() == [[1, 3]]
    if features == "sparse":
        pairs += [(getattr(graph.x, part), getattr(back.x, part)) for part in ("data", "indices", "indptr")]
        assert np.array_equal((back.x @ np.eye(6, dtype=np.float32)), graph.x.toarray())
    elif features == "dense":
        pairs += [(graph.x, back.x)]
    for held, loaded in pairs:
        assert np.array_equal(held, loaded)
        assert held.dtype == loaded.dtype
        assert type(loaded) is np.ndarray
        assert mapped(loaded)
        assert not loaded.flags.writeable
    assert [file.name for file in tmp_path.iterdir()] == ["g"]


def test_a_saved_graph_can_be_read_and_saved_over(tmp_path):
    Graph.from_edges([(0, 1)]).save(tmp_path / "g")
    loaded = Graph.read(tmp_path / "g")
    Graph.from_edges([(0, 1), (1, 2)]).save(tmp_path / "g")
    assert loaded.num_edges == 1
    assert Graph.load(tmp_path / "g").num_edges == 2
    Graph.load(tmp_path / "g").save(tmp_path / "g")
    assert Graph.load(tmp_path / "g").num_edges == 2
    assert [file.name for file in tmp_path.iterdir()] == ["g"]
    with pytest.raises(DataError, match="is a saved graph with features of its own"):
        Graph.read(tmp_path / "g", features=[[1]])


def test_what_is_no_saved_graph_is_not_overwritten(tmp_path):
    graph = Graph.from_edges([(0, 1)])
    (tmp_path / "empty").mkdir()
    graph.save(tmp_path / "empty")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("years")
    (tmp_path / "file").write_text("years")
    for name in ("full", "file"):
        with pytest.raises(DataError, match="it is not overwritten, choose another name"):
            graph.save(tmp_path / name)
    assert (tmp_path / "full" / "thesis.tex").read_text() == (tmp_path / "file").read_text() == "years"
    with pytest.raises(DataError, match="there is no folder"):
        graph.save(tmp_path / "no" / "where")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["empty", "file", "full"]


def test_a_save_that_fails_leaves_the_old_graph(tmp_path, monkeypatch):
    Graph.from_edges([(0, 1)]).save(tmp_path / "g")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("mhmgnn.io.atomic._sync_folder", fail)
    with pytest.raises(OSError, match="disk full"):
        Graph.from_edges([(0, 1), (1, 2)]).save(tmp_path / "g")
    assert Graph.load(tmp_path / "g").num_edges == 1
    assert [file.name for file in tmp_path.iterdir()] == ["g"]


def damage(folder, file, how):
    if isinstance(how, np.ndarray):
        np.save(folder / file, how)
    elif how == "remove":
        (folder / file).unlink()
    else:
        (folder / file).write_bytes((folder / file).read_bytes()[:-4])


@pytest.mark.parametrize(
    "file, how, message",
    [
        ("indices.npy", "remove", "indices.npy is missing"),
        ("indices.npy", "cut", "indices.npy is damaged"),
        ("names_text.npy", "cut", "names_text.npy is damaged"),
        ("x.npy", np.zeros((3, 6), np.float32), r"x.npy does not belong here: .*\[3, 6\] where .*\[20, 6\]"),
        ("indptr.npy", np.zeros(21, np.int64), "indptr.npy is damaged: it does not fit"),
        ("index.json", "remove", "is no saved graph"),
        ("index.json", "cut", "index.json is damaged"),
    ],
)
def test_a_folder_that_is_not_whole_is_refused_with_the_file(tmp_path, file, how, message):
    rich(features="dense").save(tmp_path / "g")
    damage(tmp_path / "g", file, how)
    with pytest.raises(DataError, match=message):
        Graph.load(tmp_path / "g")


def test_another_version_or_kind_is_refused(tmp_path):
    rich(features="none").save(tmp_path / "g")
    index = tmp_path / "g" / "index.json"
    held = json.loads(index.read_text())
    for key, value, message in (("version", 2, "is of version 2"), ("kind", "model", "holds a saved model")):
        index.write_text(json.dumps(held | {key: value}))
        with pytest.raises(DataError, match=message):
            Graph.load(tmp_path / "g")


def test_opening_a_graph_imports_neither_torch_nor_networkx_nor_numba():
    heavy = "{'torch', 'torch_geometric', 'networkx', 'numba'} & set(sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, mhmgnn.graph; print({heavy})"], capture_output=True, text=True
    )
    assert done.stdout == "set()\n"
