"""Disks that are full, closed or broken: one line, exit code 2, and what was there before is whole."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from cli.test_main import run
from faults.disk import FILLER, close, empty, fill, small_disk
from training.test_loop import CONFIG, leave_run, weights

from mhmgnn import Graph, load
from mhmgnn.cli.faults import sentence
from mhmgnn.errors import DataError
from mhmgnn.io.atomic import write_atomic
from mhmgnn.io.tables import TableWriter
from mhmgnn.models.checkpoint import last_step

SHORT = CONFIG.with_settings(["train.steps=8"])


@pytest.fixture(name="disk")
def disk_of_one_megabyte(tmp_path):
    with small_disk(tmp_path / "disk", 1024) as disk:
        yield disk


@pytest.fixture(scope="module", name="whole")
def run_that_had_room(tmp_path_factory):
    """A graph, the settings as a file, and a run of eight steps that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    leave_run(folder, SHORT)
    return folder


def fit_words(whole: Path, target: Path, *more: str) -> list[str]:
    return ["fit", f"{whole}/graph", str(target), "--config", f"{whole}/config.toml", "--seed", "1", *more]


def one_line(code: int, said: str, *words: str) -> None:
    assert code == 2
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    for word in words:
        assert word in said


@pytest.mark.parametrize("left", [0, 8192], ids=["nothing left", "a little left"])
def test_a_run_on_a_full_disk_ends_in_one_line_and_goes_on_once_there_is_room(whole, disk, capsys, left):
    target = disk / "run"
    assert run(capsys, *fit_words(whole, target, "-q", "--set", "train.steps=4"))[0] == 0
    fill(disk, but=left)
    code, _, said = run(capsys, *fit_words(whole, target, "-q", "--resume"))
    one_line(code, said, f"{target}/", "No space left on device", "make room there", "--resume")
    assert last_step(target / "steps").step >= 4
    assert load(target).facts["steps"] == 4
    empty(disk)
    assert run(capsys, *fit_words(whole, target, "-q", "--resume"))[0] == 0
    expected, resumed = weights(whole / "whole"), weights(target)
    assert all(torch.equal(expected[name], resumed[name]) for name in expected)
    assert [name for name in os.listdir(target) if name.startswith(".")] == [".lock"]


def test_a_table_of_results_on_a_full_disk_is_one_line_and_no_half_of_it_stays(whole, disk, capsys):
    (disk / "sets.csv").write_text("0,1,2\n" * 1000)
    fill(disk, but=4096)
    words = ("energy", f"{whole}/whole", str(disk / "sets.csv"), "--out", str(disk / "out.csv"))
    code, out, said = run(capsys, *words)
    one_line(code, said, str(disk / "out.csv"), "No space left on device")
    assert out == ""
    assert sorted(os.listdir(disk)) == [FILLER, "sets.csv"]


def write_table(path: Path) -> None:
    with TableWriter(path) as writer:
        for _ in range(20):
            writer.write(pa.table({"a": np.random.default_rng(0).random(10_000)}))


def save_graph(path: Path) -> None:
    Graph.from_edges(np.random.default_rng(0).integers(10_000, size=(10**5, 2))).save(path)


@pytest.mark.parametrize(
    ("name", "save"),
    [
        ("t.csv", write_table),
        ("t.csv.gz", write_table),
        ("t.parquet", write_table),
        ("result.json", lambda path: write_atomic(path, bytes(10**6))),
        ("graph", save_graph),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_fit_is_refused_by_name_and_the_old_one_stays(disk, name, save):
    if name == "graph":
        Graph.from_edges([(0, 1)]).save(disk / name)
    else:
        (disk / name).write_bytes(b"old")
    fill(disk, but=2**16)
    with pytest.raises(OSError) as refused:
        save(disk / name)
    assert (refused.value.errno, refused.value.filename) == (errno.ENOSPC, str(disk / name))
    assert sorted(os.listdir(disk)) == sorted([FILLER, name])
    if name == "graph":
        assert Graph.load(disk / name).num_edges == 1
    else:
        assert (disk / name).read_bytes() == b"old"


def test_a_model_that_does_not_fit_leaves_the_one_before(whole, disk):
    model = load(whole / "whole")
    model.save(disk / "m")
    model.facts["padding"] = "x" * 10**5
    fill(disk, but=2**16)
    with pytest.raises(OSError, match="No space left on device"):
        model.save(disk / "m")
    assert "padding" not in load(disk / "m").facts


def test_a_disk_that_is_closed_to_writing_is_one_line(whole, disk, capsys):
    (disk / "sets.csv").write_text("0,1,2\n")
    close(disk)
    table = ["energy", f"{whole}/whole", f"{disk}/sets.csv", "--out", f"{disk}/out.csv"]
    for target, words in (("run", fit_words(whole, disk / "run")), ("out.csv", table)):
        code, _, said = run(capsys, *words)
        one_line(code, said, str(disk / target), "Read-only file system; name a place that you are allowed")


@pytest.mark.parametrize("number", [errno.EIO, errno.EDQUOT, errno.EACCES], ids=errno.errorcode.get)
def test_a_disk_that_fails_while_a_run_is_saved_is_one_line(whole, tmp_path, capsys, monkeypatch, number):
    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("os.fsync", fail)
    code, _, said = run(capsys, *fit_words(whole, tmp_path / "run", "-q"))
    one_line(code, said, f"{tmp_path}/run/", os.strerror(number))
    monkeypatch.undo()
    assert last_step(tmp_path / "run" / "steps") is None
    assert run(capsys, *fit_words(whole, tmp_path / "run", "-q", "--resume"))[0] == 0


def test_results_that_nobody_can_take_are_one_line():
    word = [sys.executable, "-m", "mhmgnn", "--version"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(word, stdout=full, stderr=subprocess.PIPE, text=True)
    one_line(done.returncode, done.stderr, "the output: No space left on device")


def test_only_what_a_person_can_mend_is_said_in_one_line():
    assert sentence(DataError("k is 1")) == "k is 1"
    assert sentence(MemoryError("Unable to allocate 9 GiB")).startswith(
        "memory ran out (Unable to allocate 9"
    )
    assert sentence(FileNotFoundError(errno.ENOENT, "No such file", "x")) is None
    assert sentence(RuntimeError("shapes do not match")) is None
    closed = RuntimeError("[gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:12976")
    assert sentence(closed).startswith("another process of this run has ended")
