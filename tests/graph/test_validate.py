"""Saved graphs that look whole and are not: what kernels would follow is checked when it is loaded."""

import json

import numpy as np
import pytest
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph, validate

EDGES = [(0, 1), (1, 2), (2, 0), (2, 3)]  # rows [1 2], [0 2], [0 1 3], [2]


def replaced(folder, **arrays):
    """Save arrays in place of those of a folder, as its index says."""
    index = json.loads((folder / "index.json").read_text())
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
        index["arrays"][name] = {"dtype": array.dtype.str, "shape": array.shape}
    (folder / "index.json").write_text(json.dumps(index))


@pytest.fixture(name="folder")
def saved(tmp_path):
    x = sparse.csr_array(np.eye(4, 3, dtype=np.float32))
    Graph.from_edges(EDGES, features=x, names="abcd", edge_attr=[1, 2, 3, 4], weights=[5, 6, 7, 8]).save(
        tmp_path / "g"
    )
    return tmp_path / "g"


def ints(*values):
    return np.array(values, np.int32)


def floats(*values):
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    "arrays, message",
    [
        ({"indices": ints(1, 2, 0, 2, 0, 1, 9, 2)}, r"a node outside 0\.\.3"),
        ({"indices": ints(1, 2, 0, 2, 0, 1, -1, 2)}, r"a node outside 0\.\.3"),
        ({"indices": ints(2, 1, 0, 2, 0, 1, 3, 2)}, "a row that is not sorted"),
        ({"indices": ints(1, 1, 0, 2, 0, 1, 3, 2)}, "a row that is not sorted"),
        ({"indices": ints(0, 1, 0, 2, 0, 1, 3, 2)}, "an edge from a node to itself"),
        ({"indices": ints(1, 3, 0, 2, 0, 1, 3, 2)}, "an edge in one direction alone"),
        ({"indices": np.arange(8.0)}, "holds float64"),
        ({"indptr": np.array([0, 2, 9, 7, 8])}, "does not fit indices"),
        ({"indptr": np.array([0, 2, 4, 7, 7])}, "does not fit indices"),
        ({"indptr": np.zeros(0, np.int64)}, "does not fit indices"),
        ({"indptr": np.array([[0, 8]])}, "holds int64 of shape"),
        ({"edge_attr": np.ones((3, 1), np.float32)}, "edge_attr.npy has 3 rows where 8 belong"),
        ({"weights": np.ones(3, np.float32)}, "weights.npy has 3 rows where 8 belong"),
        ({"weights": np.ones(8)}, "weights.npy holds float64"),
        ({"weights": floats(5, 7, 5, 6, 7, 6, 0, 0)}, "weights.npy holds a count that is not above 0"),
        ({"weights": floats(5, 7, 5, 6, 7, 6, np.nan, np.nan)}, "weights.npy holds a count that is not"),
        ({"weights": floats(5, 7, 5, 6, 7, 6, np.inf, np.inf)}, "weights.npy holds a count that is not"),
        ({"weights": floats(5, 7, 6, 5, 7, 6, 8, 8)}, "weights.npy has another count for the two directions"),
        ({"x_indptr": np.array([0, 1, 2, 3, -6])}, "x_indptr.npy does not rise"),
        ({"x_indices": ints(0, 1, 7)}, "indices must be < 3"),
        ({"names_offsets": np.array([0, 1, 2, 3, 9])}, "names_offsets.npy does not fit"),
        ({"names_offsets": np.array([0, 90, 2, 3, 4])}, "names_text.npy is damaged"),
        ({"names_offsets": np.array([0, 1, 4])}, "names_offsets.npy has 3 rows where 5 belong"),
        ({"names_text": np.full(4, 0xFF, np.uint8)}, "names_text.npy is damaged: .*UTF8"),
        ({"extra": np.zeros(3)}, "extra.npy holds float64"),
    ],
)
def test_a_graph_whose_arrays_do_not_belong_together_is_refused(folder, arrays, message):
    replaced(folder, **arrays)
    with pytest.raises(DataError, match=f"g is damaged: .*{message}.*; save the graph again"):
        Graph.load(folder)


@pytest.mark.parametrize("piece", [1, 2, 5, 10**6])
def test_the_same_is_found_in_pieces_of_any_size(folder, monkeypatch, piece):
    monkeypatch.setattr(validate, "PIECE", piece)
    assert Graph.load(folder).num_edges == 4
    for at, wrong in ((1, 3), (4, 2), (6, 9)):
        rows = ints(1, 2, 0, 2, 0, 1, 3, 2)
        rows[at] = wrong
        replaced(folder, indices=rows)
        with pytest.raises(DataError, match="indices"):
            Graph.load(folder)
    replaced(folder, indices=ints(1, 2, 0, 2, 0, 1, 3, 2), weights=floats(5, 7, 5, 6, 7, 6, 9, 8))
    with pytest.raises(DataError, match="another count for the two directions"):
        Graph.load(folder)


def test_no_edge_turned_round_and_none_left_out_goes_unseen(tmp_path):
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(60, size=(300, 2)), num_nodes=60)
    arrays = {"indptr": graph.indptr, "indices": graph.indices}
    validate.check_stored(arrays)
    for _ in range(200):
        keys = np.repeat(np.arange(60), graph.degrees) * 60 + graph.indices
        if rng.random() < 0.5:
            keys = np.delete(keys, rng.integers(keys.size))
        else:
            free = np.setdiff1d(np.arange(3600), [*keys, *np.arange(60) * 61])
            keys = np.sort(np.append(np.delete(keys, rng.integers(keys.size)), rng.choice(free)))
        indptr = np.searchsorted(keys, np.arange(61) * 60)
        with pytest.raises(DataError, match="one direction alone"):
            validate.check_stored({"indptr": indptr, "indices": (keys % 60).astype(np.int32)})


@pytest.mark.parametrize(
    "change",
    [
        {"arrays": []},
        {"facts": None},
        {"arrays": {"indptr": 7}},
        {"arrays": {"../g/indptr": {"dtype": "<i8", "shape": [5]}}},
        {"arrays": {"/etc/hostname": {"dtype": "<i8", "shape": [5]}}},
    ],
)
def test_an_index_that_names_no_arrays_of_the_folder_is_refused(folder, change):
    index = json.loads((folder / "index.json").read_text())
    (folder / "index.json").write_text(json.dumps(index | change))
    with pytest.raises(DataError, match=r"index\.json is damaged"):
        Graph.load(folder)


def test_an_array_whose_header_is_damaged_is_refused_with_its_name(folder):
    whole = (folder / "indptr.npy").read_bytes()
    (folder / "indptr.npy").write_bytes(whole.replace(b")", b" "))
    with pytest.raises(DataError, match=r"indptr\.npy is damaged"):
        Graph.load(folder)
