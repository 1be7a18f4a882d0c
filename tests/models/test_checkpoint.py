import json

import numpy as np
import pytest
import torch
from conftest import random_graph
from scipy import sparse

from mhmgnn.config import ModelConfig, RunConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.fingerprint import fingerprint
from mhmgnn.io.checksums import file_sha256, sha256
from mhmgnn.models.checkpoint import load_model, save_model

FACTS = {
    "seed": 7,
    "data": "0123456789abcdef",
    "graph_features": 4,
    "in_features": 4,
    "edge_features": 0,
    "losses": [0.1, 1 / 3],
}
CONFIG = RunConfig(model=ModelConfig(dim=5))
FILES = ("weights.safetensors", "config.toml", "provenance.json")


def state(value=1.0):
    whole = torch.arange(12.0).reshape(3, 4) * value
    return {
        "sage.weight": whole,
        "turned": whole.T,
        "shared": whole[1:],
        "one": torch.tensor(value / 3),
        "none": torch.zeros(0, 3),
        "half": torch.tensor([float("nan"), value], dtype=torch.bfloat16),
        "count": torch.tensor([2**62 + 1]),
        "ü": torch.tensor([True, False]),
    }


def same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].dtype == other[name].dtype
        assert one[name].shape == other[name].shape
        assert torch.equal(bits(one[name]), bits(other[name])), name


def bits(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8)


@pytest.fixture(name="folder")
def saved_folder(tmp_path):
    save_model(tmp_path / "m", state(), CONFIG, FACTS)
    return tmp_path / "m"


def test_a_model_comes_back_bit_for_bit_and_can_be_replaced(folder):
    back = load_model(folder)
    same(back.state, state())
    assert back.config == CONFIG
    assert back.facts == FACTS
    back.state["one"] += 1  # its own memory
    save_model(folder, state(2.0), RunConfig(), FACTS | {"seed": 8})
    same(load_model(folder).state, state(2.0))
    assert load_model(folder).facts["seed"] == 8
    assert sorted(file.name for file in folder.iterdir()) == sorted(FILES)
    assert [file.name for file in folder.parent.iterdir()] == ["m"]


def test_provenance_names_versions_and_k(folder):
    story = json.loads((folder / "provenance.json").read_text())
    assert story["versions"]["torch"].startswith(torch.__version__.split("+")[0])
    assert story["versions"].keys() == {"mhmgnn", "torch", "numpy"}
    assert (story["format"], story["k"]) == (6, 3)


def test_a_model_is_replaced_where_names_cannot_be_swapped(folder, monkeypatch):
    monkeypatch.setattr("mhmgnn.io.atomic._swap", lambda *_: False)
    save_model(folder, state(2.0), CONFIG, FACTS)
    same(load_model(folder).state, state(2.0))
    assert [file.name for file in folder.parent.iterdir()] == ["m"]
    folder.rename(folder.with_name(".m.12345678.old"))
    with pytest.raises(DataError, match=r"there is no such folder; .* is .*\.m\.12345678\.old: rename it"):
        load_model(folder)


def test_a_link_to_a_model_stays_a_link(folder):
    link = folder.with_name("link")
    link.symlink_to(folder)
    save_model(link, state(2.0), CONFIG, FACTS)
    assert link.is_symlink()
    same(load_model(folder).state, state(2.0))


def test_facts_that_a_model_needs_cannot_be_left_out(tmp_path):
    with pytest.raises(AssertionError, match="edge_features"):
        save_model(tmp_path / "m", state(), CONFIG, {"seed": 7, "data": "", "in_features": 4})


def test_what_is_no_model_is_not_overwritten(folder):
    place = folder.parent
    random_graph(1).save(place / "graph")
    (place / "file").write_text("years")
    (place / "full").mkdir()
    (place / "full" / "thesis.tex").write_text("years")
    for name, message in (
        ("graph", "it has no file provenance.json"),
        ("file", "is a file"),
        ("full", "is no saved model"),
    ):
        with pytest.raises(DataError, match=f"{message}.*; it is not overwritten, choose another name"):
            save_model(place / name, state(), CONFIG, FACTS)
    (folder / "thesis.tex").write_text("years")
    with pytest.raises(DataError, match=r"m holds thesis\.tex beside a model; it is not overwritten"):
        save_model(folder, state(2.0), CONFIG, FACTS)
    same(load_model(folder).state, state())
    with pytest.raises(DataError, match="there is no folder"):
        save_model(place / "no" / "where", state(), CONFIG, FACTS)


@pytest.mark.parametrize("name", FILES)
def test_a_model_with_a_damaged_or_missing_file_is_refused_with_its_name(folder, name):
    whole = (folder / name).read_bytes()
    for end in (0, 3, len(whole) // 2, len(whole) - 1):
        (folder / name).write_bytes(whole[:end])
        with pytest.raises(DataError, match=rf"{name}.* is damaged"):
            load_model(folder)
    (folder / name).unlink()
    with pytest.raises(DataError, match=f"{name} is missing|no saved model: it has no file {name}"):
        load_model(folder)


@pytest.mark.parametrize("name", FILES)
def test_no_flipped_bit_changes_a_model_unnoticed(folder, name):
    whole = (folder / name).read_bytes()
    rng = np.random.default_rng(1)
    noticed = 0
    for place in rng.permutation(len(whole) * 8)[:200].tolist():
        flip(folder / name, whole, place)
        try:
            back = load_model(folder)
        except DataError:
            noticed += 1
        else:  # a blank of the JSON became another
            assert name == "provenance.json"
            assert back.facts == FACTS
    assert noticed > 180


def flip(file, whole, place):
    flipped = bytearray(whole)
    flipped[place // 8] ^= 1 << place % 8
    file.write_bytes(flipped)


def restate(folder, **changes):
    """Change provenance.json, with the checksums that belong to it."""
    story = json.loads((folder / "provenance.json").read_text()) | changes
    sums = {name: file_sha256(folder / name) for name in FILES[:2]}
    del story["sha256"]
    sums["provenance.json"] = sha256([json.dumps(story).encode()])
    (folder / "provenance.json").write_text(json.dumps(story | {"sha256": sums}))


def test_another_format_or_foreign_content_is_refused(folder):
    restate(folder, format=1)
    with pytest.raises(DataError, match="is a model of format 1; this mhmgnn reads 3 and 6: fit it again"):
        load_model(folder)
    restate(folder, format=6)
    assert load_model(folder).facts == FACTS
    (folder / "config.toml").write_text("[train]\nlr = 1")
    restate(folder)
    with pytest.raises(DataError, match=r"config\.toml: \[train\] has no setting 'lr'"):
        load_model(folder)
    (folder / "config.toml").write_text("")
    (folder / "weights.safetensors").write_bytes(b"cos\nsystem\n(S'echo'\ntR.")
    restate(folder)
    with pytest.raises(DataError, match=r"weights\.safetensors is damaged"):
        load_model(folder)
    restate(folder, kind="cake")
    with pytest.raises(DataError, match=r"provenance\.json is damaged: it does not tell of a model"):
        load_model(folder)
    (folder / "provenance.json").write_text("[]")
    with pytest.raises(DataError, match=r"provenance\.json is damaged"):
        load_model(folder)
    with pytest.raises(DataError, match="there is no such folder"):
        load_model(folder.with_name("none"))


@pytest.mark.parametrize("kind", ["dense", "sparse", "none"])
def test_a_fingerprint_is_that_of_the_content(tmp_path, kind, monkeypatch):
    rng = np.random.default_rng(3)
    edges, x = rng.integers(30, size=(80, 2)), (rng.random((30, 5)) < 0.4) * rng.random((30, 5))
    shape = {"dense": np.asarray, "sparse": sparse.csr_array, "none": lambda x: None}[kind]
    graph = Graph.from_edges(edges, features=shape(x), num_nodes=30)
    mark = fingerprint(graph)
    assert len(mark) == 16
    assert int(mark, 16) >= 0
    graph.save(tmp_path / "g")
    monkeypatch.setattr("mhmgnn.graph.fingerprint.CHUNK", 7)
    assert fingerprint(Graph.load(tmp_path / "g")) == mark
    assert fingerprint(Graph.from_edges(edges[::-1], features=shape(x), num_nodes=30)) == mark
    others = [Graph.from_edges(edges[1:], features=shape(x), num_nodes=30)]
    others += [Graph.from_edges(edges, features=shape(x), num_nodes=30, edge_attr=np.ones(80))]
    others += [Graph.from_edges(edges, features=shape(x), num_nodes=30, weights=np.arange(1, 81))]
    others += [Graph.from_edges(edges, features=shape(x), num_nodes=30, weights=False)]
    if kind != "none":
        others += [Graph.from_edges(edges, features=shape(x[::-1]), num_nodes=30)]
        others += [Graph.from_edges(edges, features=shape(np.pad(x, ((0, 0), (0, 1)))), num_nodes=30)]
        others += [Graph.from_edges(edges, num_nodes=30)]
    assert len({mark, *map(fingerprint, others)}) == len(others) + 1


def test_graphs_without_counts_have_the_fingerprints_that_they_had_before_there_were_counts():
    assert fingerprint(Graph.from_edges([(0, 1), (1, 2)])) == "3312739845c3cdc8"
    rich = Graph.from_edges([(0, 1), (1, 2)], features=np.eye(3), edge_attr=[1, 2])
    assert fingerprint(rich) == "b555c6e7de356393"


def test_a_fingerprint_does_not_depend_on_how_wide_indices_are_held():
    graph = random_graph(4)
    x = sparse.csr_array(np.eye(12, dtype=np.float32))
    wide = sparse.csr_array((x.data, x.indices.astype(np.int64), x.indptr.astype(np.int64)), shape=x.shape)
    wide.indices, wide.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
    held = [Graph(graph.indptr, graph.indices, features) for features in (x, wide)]
    assert held[0].x.indices.dtype != held[1].x.indices.dtype
    assert fingerprint(held[0]) == fingerprint(held[1])


@pytest.mark.parametrize(
    "change",
    [
        {"facts": None},
        {"facts": {}},
        {"facts": FACTS | {"in_features": "4"}},
        {"facts": FACTS | {"edge_features": -1}},
        {"facts": FACTS | {"seed": True}},
        {"versions": []},
    ],
)
def test_facts_that_a_model_needs_are_there_and_are_numbers(folder, change):
    restate(folder, **change)
    with pytest.raises(DataError, match=r"provenance\.json is damaged"):
        load_model(folder)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [0, 2**63], "data_offsets": [0, 0]},
        {"dtype": "F4", "shape": [2], "data_offsets": [0, 1]},
        {"dtype": "BOOL", "shape": [1, 1], "data_offsets": [0, 2]},
    ],
)
def test_weights_of_no_known_shape_or_type_are_refused(folder, entry):
    header = json.dumps({"w": entry}).encode()
    content = len(header).to_bytes(8, "little") + header + bytes(entry["data_offsets"][1])
    (folder / "weights.safetensors").write_bytes(content)
    restate(folder)
    with pytest.raises(DataError, match=r"weights\.safetensors is damaged"):
        load_model(folder)
