"""Workers of Ray write the file that one process writes; the batch script for Slurm says what it should."""

import os
import re
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from conftest import train_tiny

from mhmgnn import DataError, load
from mhmgnn.models.predict import Job, add_columns, chunks_of, energies, open_shards, vectors, write
from mhmgnn.models.predict_ray import Worker, write_on_ray
from mhmgnn.models.shards import RESULT, SETS, folder_of, read_shard, write_shard

SCRIPT = Path(__file__).parents[2] / "examples" / "slurm.sh"
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")


@pytest.fixture(scope="module", name="place")
def model_on_disk(tmp_path_factory):
    """A model in `run`, and a table of 120 k-sets."""
    folder = tmp_path_factory.mktemp("place")
    train_tiny(folder)
    (folder / "sets.csv").write_text("\n".join(",".join(map(str, c)) for c in combinations(range(10), 3)))
    return folder


@pytest.mark.parametrize("columns", [vectors, energies])
def test_a_worker_writes_the_shards_that_it_is_told(place, tmp_path, columns):
    model, job = load(place / "run"), Job(columns, place / "sets.csv", tmp_path / "out.parquet", rows=50)
    chunks = dict(chunks_of(model, job, [0, 2]))
    for number, table in chunks.items():
        write_shard(tmp_path, SETS, number, table)
    batch = {"number": np.array([2, 0])}
    assert Worker(load, place / "run", tmp_path, partial(add_columns, job=job))(batch) is batch
    for number, table in chunks.items():
        assert read_shard(tmp_path, RESULT, number).equals(add_columns(model, job, table))


@needs_ray
def test_a_table_of_one_chunk_does_not_need_a_cluster(place, tmp_path, monkeypatch):
    monkeypatch.delattr("mhmgnn.models.predict_ray.cluster")
    job = Job(vectors, place / "sets.csv", tmp_path / "out.parquet")
    assert write_on_ray(load, place / "run", job) == 120
    assert job.target.exists()


def test_without_ray_it_is_said_how_to_get_it(place, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    job = Job(vectors, place / "sets.csv", tmp_path / "out.parquet")
    with pytest.raises(DataError, match=r"pip install 'ray\[data\]'"):
        write_on_ray(load, place / "run", job)


@needs_ray
@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nowhere", "'nowhere' is no address .* must be host:port"),
        ("127.0.0.1:1", "no cluster of Ray at .*:1: "),
    ],
)
def test_a_cluster_that_is_not_there_is_said_before_the_work(place, tmp_path, address, message):
    job = Job(vectors, place / "sets.csv", tmp_path / "out.parquet", rows=50)
    with pytest.raises(DataError, match=message):
        write_on_ray(load, place / "run", job, address=address)
    assert list(tmp_path.iterdir()) == []


SLURM = {"SLURM_JOB_NODELIST": "m[1-2]", "SLURM_JOB_ID": "7", "SLURM_NNODES": "2", "SLURM_CPUS_PER_TASK": "3"}


def test_the_batch_script_has_each_machine_of_slurm_start_a_process_a_core(tmp_path):
    programs = {"scontrol": "echo m1; echo m2", "srun": '"$@"', "torchrun": 'echo "$OMP_NUM_THREADS" "$@"'}
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    words = [str(SCRIPT), "a run", "sets.csv", "out.parquet"]
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(words, env=SLURM | path, capture_output=True, text=True, check=True)
    assert done.stdout == (
        "1 --nnodes 2 --nproc-per-node 3 --rdzv-id 7 --rdzv-backend c10d --rdzv-endpoint m1:20007 "
        "-m mhmgnn embed a run sets.csv --out out.parquet\n"
    )


def command(place, target):
    """Vectors by two workers of a cluster that is started here."""
    words = [place / "run", place / "sets.csv", "--out", target, "--rows", 11, "--engine", "ray"]
    return [sys.executable, "-m", "mhmgnn", "embed", *map(str, words), "--workers", "2"]


@needs_ray
@pytest.mark.slow
def test_two_workers_go_on_to_the_file_of_one_process_and_ray_is_quiet(place, tmp_path):
    target, whole = tmp_path / "out.parquet", tmp_path / "whole.parquet"
    model, job = load(place / "run"), Job(vectors, place / "sets.csv", target, rows=11)
    write(lambda: model, Job(vectors, job.source, whole, rows=11))
    with open_shards(model, job) as shards:
        for number, table in chunks_of(model, job, [0, 3, 4]):
            write_shard(shards.folder, RESULT, number, add_columns(model, job, table))
    done = subprocess.run(command(place, target), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    ours = [line for line in done.stderr.splitlines() if not line.startswith(("[", "shards: "))]
    assert ours == ["going on: 3 of 11 shards are there", f"{target}: 120 k-sets"]
    assert len(done.stderr.splitlines()) < 10
    assert target.read_bytes() == whole.read_bytes()
    assert set(tmp_path.iterdir()) == {target, whole}


FAILING = """
import sys
from pathlib import Path
from mhmgnn import DataError, load
from mhmgnn.models.predict_ray import write_on_ray
from mhmgnn.models.predict import Job, vectors

def columns(model, ksets):
    if 2 in ksets[0]:
        raise DataError("two is one too many")
    return vectors(model, ksets)

place, target = map(Path, sys.argv[1:])
try:
    write_on_ray(load, place / "run", Job(columns, place / "sets.csv", target, rows=11), workers=2)
except DataError as error:
    print(error)
"""


@needs_ray
@pytest.mark.slow
def test_what_fails_in_a_worker_is_said_here_and_nothing_is_joined(place, tmp_path):
    target = tmp_path / "out.parquet"
    words = [sys.executable, "-c", FAILING, str(place), str(target)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert re.match(
        "a worker of Ray failed: .*two is one too many; what is done is kept: run the command again",
        done.stdout,
    )
    assert not target.exists()
    assert (folder_of(target) / "job.json").exists()
