"""Long tables are done in shards: by a run that goes on after a kill, and by several processes."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from itertools import combinations

import pyarrow.parquet as pq
import pytest
from conftest import train_tiny

from mhmgnn import DataError, fit, load
from mhmgnn.config import RunConfig
from mhmgnn.io.tables import read_table
from mhmgnn.models.predict import Job, energies, vectors, write
from mhmgnn.models.shards import folder_of, held, write_shard

CONFIG = RunConfig().with_settings(["model.dim=8", "subgraphs.size=8", "train.steps=1", "train.batch=2"])
CHUNKS = 22  # of five k-sets


def write_embeddings(model, source, target, *, rows):
    return write(lambda: model, Job(vectors, source, target, rows=rows))


def write_energies(model, source, target, *, rows):
    return write(lambda: model, Job(energies, source, target, rows=rows))


class Stopped(Exception):
    """As if the process had been killed."""


@pytest.fixture(scope="module", name="place")
def model_on_disk(tmp_path_factory):
    """A model in `run`, a table of k-sets, and a longer one."""
    folder = tmp_path_factory.mktemp("place")
    train_tiny(folder)
    ksets = [",".join(map(str, kset)) for kset in combinations(range(10), 3)][: 5 * CHUNKS]
    (folder / "sets.csv").write_text("\n".join(ksets))
    (folder / "many.csv").write_text("\n".join(ksets * 4))
    return folder


@pytest.fixture(scope="module", name="model")
def loaded_model(place):
    return load(place / "run")


def recorded(monkeypatch, stop_after=None):
    """The numbers of the parts that are written from now on."""
    written = []

    def record(folder, kind, number, table):
        if len(written) == stop_after:
            raise Stopped
        write_shard(folder, kind, number, table)
        written.append(number)

    monkeypatch.setattr("mhmgnn.models.predict.write_shard", record)
    return written


@pytest.fixture(name="target")
def begun_table(model, place, tmp_path, monkeypatch):
    """A table of which four parts were written when the work stopped."""
    target = tmp_path / "out.parquet"
    with monkeypatch.context() as patch:
        recorded(patch, stop_after=4)
        with pytest.raises(Stopped):
            write_embeddings(model, place / "sets.csv", target, rows=5)
    assert not target.exists()
    return target


def without_break(model, source, folder):
    """The bytes of the table that one process writes."""
    write_embeddings(model, source, folder / "whole.parquet", rows=5)
    return (folder / "whole.parquet").read_bytes()


def test_a_run_goes_on_with_the_parts_that_are_there(model, place, target, monkeypatch, capsys):
    written = recorded(monkeypatch)
    done = write(lambda: model, Job(vectors, place / "sets.csv", target, rows=5), quiet=False)
    assert (done, written) == (5 * CHUNKS, list(range(4, CHUNKS)))
    assert capsys.readouterr().err == f"going on: 4 of {CHUNKS} shards are there\n"
    assert [file.name for file in target.parent.iterdir()] == ["out.parquet"]
    assert target.read_bytes() == without_break(model, place / "sets.csv", target.parent)


@pytest.mark.parametrize("left", [0, 8, 1000], ids=["nothing", "a beginning", "half"])
def test_a_damaged_part_is_done_again(model, place, target, monkeypatch, left):
    part = folder_of(target) / "part-000001.arrow"
    content = part.read_bytes()
    assert len(content) > 1000
    part.write_bytes(content[:left])
    written = recorded(monkeypatch)
    write_embeddings(model, place / "sets.csv", target, rows=5)
    assert written == [1, *range(4, CHUNKS)]
    assert target.read_bytes() == without_break(model, place / "sets.csv", target.parent)


@pytest.mark.parametrize("step", ["TableWriter", "_clear"], ids=["before", "after"])
def test_parts_are_not_done_again_where_the_run_stopped_at_their_joining(
    model, place, target, monkeypatch, step
):
    def stop(_, *leftovers):
        if not leftovers:
            raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(f"mhmgnn.models.shards.{step}", stop)
        with pytest.raises(Stopped):
            write_embeddings(model, place / "sets.csv", target, rows=5)
    assert target.exists() == (step == "_clear")
    written = recorded(monkeypatch)
    write_embeddings(model, place / "sets.csv", target, rows=5)
    assert written == []
    assert target.read_bytes() == without_break(model, place / "sets.csv", target.parent)
    assert not folder_of(target).exists()


def other_columns(model, place, target):
    write_energies(model, place / "sets.csv", target, rows=5)


def other_rows(model, place, target):
    write_embeddings(model, place / "sets.csv", target, rows=6)


def other_ksets(model, place, target):
    write_embeddings(model, place / "many.csv", target, rows=5)


def other_model(model, place, target):
    write_embeddings(fit(model.graph, config=CONFIG, seed=1), place / "sets.csv", target, rows=5)


@pytest.mark.parametrize(
    ("other", "what"),
    [(other_columns, "columns"), (other_rows, "rows"), (other_ksets, "k-sets"), (other_model, "model")],
)
def test_parts_of_another_job_are_kept_and_the_new_job_is_refused(model, place, target, other, what):
    kept = sorted(folder_of(target).iterdir())
    with pytest.raises(
        DataError, match=rf"4 shards of another job \(not the same: {what}\); finish that one"
    ):
        other(model, place, target)
    assert sorted(folder_of(target).iterdir()) == kept
    write_embeddings(model, place / "sets.csv", target, rows=5)
    assert target.read_bytes() == without_break(model, place / "sets.csv", target.parent)


@pytest.mark.parametrize("lost", ["part-*", "job.json"], ids=["no parts", "no job"])
def test_a_folder_in_which_nothing_is_worth_keeping_is_taken_over(model, place, target, lost):
    for file in folder_of(target).glob(lost):
        file.unlink()
    other_columns(model, place, target)
    assert pq.read_schema(target).names[3:] == ["energy"]
    assert not folder_of(target).exists()


def test_a_result_that_another_run_writes_is_refused(model, place, target):
    with (
        held(target),
        pytest.raises(DataError, match=f"another run, pid {os.getpid()}, writes .*out.parquet"),
    ):
        write_embeddings(model, place / "sets.csv", target, rows=5)
    write_embeddings(model, place / "sets.csv", target, rows=5)
    assert target.exists()


def test_a_table_of_one_chunk_needs_no_parts(model, place, tmp_path, monkeypatch):
    monkeypatch.delattr("mhmgnn.models.predict.held")
    assert write_embeddings(model, place / "sets.csv", tmp_path / "out.csv", rows=500) == 5 * CHUNKS


def test_a_target_that_is_a_folder_is_refused_before_the_work(model, place, tmp_path):
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(DataError, match=r"out\.csv: it is a folder"):
        write_embeddings(model, place / "sets.csv", tmp_path / "out.csv", rows=5)


def command(place, sets, target, *more):
    """The words of `embed` in a process of its own."""
    words = [place / "run", place / sets, "--out", target, "--rows", 5, *more]
    return [sys.executable, "-m", "mhmgnn", "embed", *map(str, words)]


def kill_leader(words, target, parts):
    """Start a command and kill its leading process when it has written so many parts; what it said."""
    folder = folder_of(target)
    parts += len(list(folder.glob("part-*")))
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        while len(list(folder.glob("part-*"))) < parts and process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.02)
        os.kill(int((folder / ".lock").read_text()), signal.SIGKILL)
        return process.communicate()[1]


def test_two_processes_of_which_one_is_killed_leave_parts_to_go_on_from(model, place, tmp_path, monkeypatch):
    target = tmp_path / "out.parquet"
    said = kill_leader(command(place, "many.csv", target, "--devices", "2"), target, 3)
    assert "was ended by SIGKILL" in said
    assert "run the command again: it resumes from the finished shards" in said
    assert not target.exists()
    done = {file.name: file.stat().st_mtime_ns for file in folder_of(target).glob("part-*.arrow")}
    assert 3 <= len(done) < 4 * CHUNKS
    written = recorded(monkeypatch)
    seen = {}

    def look(folder):
        seen.update({file.name: file.stat().st_mtime_ns for file in folder.glob("part-*.arrow")})

    monkeypatch.setattr("mhmgnn.models.shards._clear", lambda folder, *left: None if left else look(folder))
    write_embeddings(model, place / "many.csv", target, rows=5)
    assert len(written) + len(done) == 4 * CHUNKS
    assert seen.items() >= done.items()
    assert target.read_bytes() == without_break(model, place / "many.csv", tmp_path)


def ran(words):
    """A command that has ended, with what it said."""
    return subprocess.run(list(map(str, words)), capture_output=True, text=True)


def test_two_processes_write_the_file_of_one(model, place, tmp_path):
    target = tmp_path / "out.parquet"
    done = ran(command(place, "sets.csv", target, "--devices", "2", "--json"))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["rows"] == 5 * CHUNKS
    assert [file.name for file in tmp_path.iterdir()] == ["out.parquet"]
    assert target.read_bytes() == without_break(model, place / "sets.csv", tmp_path)


@pytest.mark.slow
def test_four_processes_of_torchrun_write_the_energies_of_one(model, place, tmp_path):
    target, whole = tmp_path / "out.csv", tmp_path / "whole.csv"
    started = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4"]
    words = ["-m", "mhmgnn", "energy", place / "run", place / "sets.csv", "--out", target, "--rows", "5"]
    done = ran([*started, *words])
    assert done.returncode == 0, done.stderr
    assert f"{target}: {5 * CHUNKS} k-sets\n" in done.stderr
    write_energies(model, place / "sets.csv", whole, rows=5)
    assert target.read_bytes() == whole.read_bytes()


@pytest.mark.slow
def test_a_process_without_a_part_of_its_own_waits_for_the_others(model, place, tmp_path):
    target = tmp_path / "out.parquet"
    done = ran([*command(place, "sets.csv", target, "--devices", "3"), "--rows", 5 * CHUNKS // 2])
    assert done.returncode == 0, done.stderr
    assert read_table(target).num_rows == 5 * CHUNKS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "row", "message"),
    [
        ("run", "1,2,99", "counting rows from 110: k-set 0 holds .*99"),
        ("nowhere", "1,2,3", "nowhere.* is no saved model"),
    ],
    ids=["k-set", "model"],
)
def test_bad_input_of_several_processes_is_one_line(place, tmp_path, run, row, message):
    sets, target = tmp_path / "sets.csv", tmp_path / "out.parquet"
    sets.write_text((place / "sets.csv").read_text() + f"\n{row}\n")
    words = ["embed", place / run, sets, "--out", target, "--rows", "5", "--devices", "2"]
    done = ran([sys.executable, "-m", "mhmgnn", *words])
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert re.match(f"error: .*{message}", done.stderr)
    assert [file.name for file in tmp_path.iterdir()] == ["sets.csv"]


@pytest.mark.slow
def test_a_run_killed_many_times_ends_with_the_same_file(model, place, tmp_path):
    target = tmp_path / "out.parquet"
    for parts in (1, 5, 9):
        kill_leader(command(place, "many.csv", target), target, parts)
        assert not target.exists()
    done = ran(command(place, "many.csv", target))
    assert re.match(rf"going on: \d+ of {4 * CHUNKS} shards are there\n", done.stderr)
    assert target.read_bytes() == without_break(model, place / "many.csv", tmp_path)
    assert not folder_of(target).exists()
