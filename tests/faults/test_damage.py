"""Files that were cut or have a bit turned: refused with their name, or told apart by `mhmgnn doctor`.

Models and checkpoints are tried bit by bit in tests/test_checkpoint.py and tests/test_checkpoint_steps.py,
folders that are not whole in tests/io/test_arrays.py, arrays that do not belong together in
tests/incoming/test_stored.py, and every reader against hostile files in tests/fuzz.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from cli.test_main import run
from conftest import rich
from scipy import sparse
from training.test_loop import CONFIG, two_kinds

from mhmgnn import DataError, Graph, fit
from mhmgnn.graph.features import read_features
from mhmgnn.io.arrays import INDEX, check_sums
from mhmgnn.io.tables import TableWriter, read_table


def turn(file: Path, bit: int) -> None:
    """Turn one bit of a file."""
    content = bytearray(file.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)


def bits(file: Path, count: int, *, start: int = 0) -> list[int]:
    """Some bits of a file, from the byte `start` on."""
    return np.random.default_rng(3).integers(8 * start, 8 * file.stat().st_size, size=count).tolist()


@pytest.mark.parametrize("features", ["dense", "sparse"])
def test_every_turned_bit_of_a_saved_graph_is_found(tmp_path, features):
    graph = tmp_path / "graph"
    rich(features=features).save(graph)
    assert check_sums(graph, "graph")
    unseen = set()
    for file in sorted(graph.iterdir()):
        content = file.read_bytes()
        for bit in bits(file, 30, start=0 if file.name == INDEX else 128):
            turn(file, bit)
            try:
                Graph.load(graph)
                unseen.add(file.name)
            except DataError:
                pass
            with pytest.raises(DataError, match="graph" if file.name == INDEX else file.stem):
                check_sums(graph, "graph")
            file.write_bytes(content)
    rows = {"indptr.npy", "indices.npy"}
    assert not unseen & rows, "what kernels follow is checked at every load"
    assert unseen, "features are not: the docs say so"


@pytest.fixture(scope="module", name="trained")
def folder_of_a_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "run"
    fit(two_kinds(), config=CONFIG.with_settings(["train.steps=4"]), seed=1, run=folder)
    return folder


@pytest.mark.parametrize(
    ("part", "file"),
    [
        ("model", "model/weights.safetensors"),
        ("graph", "graph/x.npy"),
        ("steps", "steps/step-000004.safetensors"),
    ],
)
def test_doctor_names_the_damaged_part_of_a_run_and_ends_with_1(capsys, tmp_path, trained, part, file):
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    code, out, _ = run(capsys, "doctor", str(folder))
    assert code == 0
    assert [line.split() for line in out.splitlines()] == [
        ["model", "whole"],
        ["graph", "whole"],
        ["steps", "whole"],
    ]
    turn(folder / file, 8 * ((folder / file).stat().st_size - 1))
    code, out, _ = run(capsys, "doctor", str(folder), "--json")
    assert code == 1
    (damaged,) = [found for found in json.loads(out) if not found["whole"]]
    assert damaged["name"] == part
    assert Path(file).name in damaged["told"]


def test_doctor_finds_another_graph_beside_a_model_and_says_what_it_cannot_know(capsys, tmp_path, trained):
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    two_kinds(seed=1).save(folder / "graph")
    code, out, _ = run(capsys, "doctor", str(folder))
    assert code == 1
    assert "is not the graph that the model was trained on" in out
    index = json.loads((folder / "graph" / INDEX).read_text())
    index.pop("crc32")
    (folder / "graph" / INDEX).write_text(json.dumps(index))
    code, out, _ = run(capsys, "doctor", str(folder / "graph"))
    assert (code, out.split(";")[1].strip()) == (0, "of the rest an earlier mhmgnn kept no checksum")
    code, _, said = run(capsys, "doctor", str(tmp_path))
    assert code == 2
    assert "is neither the folder of a run nor a saved graph" in said


def test_a_damaged_checkpoint_is_named_and_the_one_before_it_used(capsys, tmp_path, trained):
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    turn(folder / "steps" / "step-000004.safetensors", 8 * 2000)
    fit(two_kinds(), config=CONFIG.with_settings(["train.steps=6"]), seed=1, run=folder, resume=True)
    said = capsys.readouterr().err
    assert "step-000004.safetensors is damaged" in said
    assert "going back to the checkpoint before it" in said
    lines = (folder / "log.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["step", *map(str, range(6))]


def test_every_turned_bit_in_the_pages_of_a_parquet_file_of_ours_is_found(tmp_path):
    path = tmp_path / "vectors.parquet"
    values = np.random.default_rng(0).random(300).astype(np.float32)
    table = pa.table({"name": [f"n{i}" for i in range(300)], "v0": values})
    with TableWriter(path) as writer:
        writer.write(table)
    content = path.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    refused = []
    for bit in np.random.default_rng(1).integers(32, 8 * footer, size=300).tolist():
        turn(path, bit)
        try:
            assert read_table(path).equals(table)  # a bit that says nothing, such as whether a page is sorted
        except DataError as error:
            refused.append(str(error))
        path.write_bytes(content)
    assert len(refused) > 250
    assert all(str(path) in said for said in refused)


@pytest.mark.parametrize("name", ["x.npy", "x.npz", "x.csv.gz", "x.parquet"])
def test_features_that_were_cut_are_refused_with_their_file(tmp_path, name):
    x = np.random.default_rng(0).random((50, 4)).astype(np.float32)
    path = tmp_path / name
    match path.suffix:
        case ".npy":
            np.save(path, x)
        case ".npz":
            sparse.save_npz(path, sparse.csr_array(x))
        case _:
            with TableWriter(path) as writer:
                writer.write(pa.table({f"v{i}": column for i, column in enumerate(x.T)}))
    content = path.read_bytes()
    assert read_features(path, "row").x.shape == (50, 4)
    for size in (0, 10, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(DataError, match=name.replace(".", r"\.")):
            read_features(path, "row")
