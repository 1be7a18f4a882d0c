"""Memory is looked at before it is taken: what is free, what a step needs, and what is refused."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest
from fuzz.memory import FORGET
from training.test_loop import CONFIG, two_kinds

from mhmgnn import DataError, Graph, fit
from mhmgnn.nn.encoders.encoder import Load
from mhmgnn.nn.memory import step_bytes
from mhmgnn.runtime import memory
from mhmgnn.training import needs

GB = 10**9


def tree(root, files: dict[str, str]):
    """A system whose files say this."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


OTHERS = "".join(f"{name}: 1 kB\n" for name in ("Buffers", "Cached", "Shmem", "Active", "Inactive"))
MACHINE = {"proc/meminfo": f"MemTotal:       9000000 kB\nMemFree: 1 kB\nMemAvailable:   8000000 kB\n{OTHERS}"}
V2 = {
    "proc/self/cgroup": "0::/pods/mine\n",
    "sys/fs/cgroup/pods/memory.max": "5000000000\n",
    "sys/fs/cgroup/pods/memory.current": "2000000000\n",
    "sys/fs/cgroup/pods/memory.stat": "anon 5\ninactive_file 500000000\nactive_file 7\n",
    "sys/fs/cgroup/pods/mine/memory.max": "max\n",
    "sys/fs/cgroup/pods/mine/memory.current": "1000000000\n",
}
V1 = {
    "proc/self/cgroup": "9:name=systemd:/\n4:memory:/job\n1:cpu:/\n0::/\n",
    "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "3000000000\n",
    "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "2500000000\n",
    "sys/fs/cgroup/memory/job/memory.stat": "inactive_file 1\ntotal_inactive_file 100000000\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    "sys/fs/cgroup/memory/memory.usage_in_bytes": "2500000000\n",
}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        (MACHINE, 8_000_000 * 1024),
        (MACHINE | V2, 3_500_000_000),
        (MACHINE | V1, 600_000_000),
        (MACHINE | {"proc/self/cgroup": "0::/elsewhere\n"}, 8_000_000 * 1024),
    ],
    ids=["nothing told", "machine", "groups of version 2", "groups of version 1", "group out of sight"],
)
def test_what_is_free_is_the_least_that_machine_and_groups_leave(tmp_path, monkeypatch, files, expected):
    monkeypatch.delenv("MHMGNN_MEMORY_GB", raising=False)
    monkeypatch.setattr("psutil.PROCFS_PATH", str(tmp_path / "proc"))
    assert memory.available(tree(tmp_path, files)) == expected


def test_this_machine_tells_and_a_person_knows_better(monkeypatch):
    monkeypatch.delenv("MHMGNN_MEMORY_GB", raising=False)
    assert memory.available() > 10**7
    monkeypatch.setenv("MHMGNN_MEMORY_GB", "1.5")
    assert memory.available() == 1.5 * GB
    for wrong in ("much", "0", "-1", "nan", "inf"):
        monkeypatch.setenv("MHMGNN_MEMORY_GB", wrong)
        with pytest.raises(DataError, match=f"MHMGNN_MEMORY_GB is '{wrong}'; it must be a number"):
            memory.available()


def test_the_peak_holds_what_was_freed():
    before = memory.peak()
    held = np.ones(10**8)
    assert memory.peak() >= before
    del held
    assert memory.peak() > psutil.Process().memory_info().rss
    assert 10**7 < memory.peak() < psutil.virtual_memory().total


def test_work_is_refused_with_what_it_needs_what_is_free_and_what_to_lower(monkeypatch):
    monkeypatch.setenv("MHMGNN_MEMORY_GB", "2")
    memory.check("a step", 2 * GB, "lower train.batch")
    with pytest.raises(
        DataError, match=r"^a step would need about 2\.5 GB of memory, and 2\.0 GB are free; lower"
    ):
        memory.check("a step", 2.5 * GB, "lower train.batch")


def test_vectors_that_do_not_fit_are_refused_before_they_are_made(monkeypatch):
    model = fit(two_kinds(), config=CONFIG.with_settings(["train.steps=0", "model.dim=1000"]))
    monkeypatch.setenv("MHMGNN_MEMORY_GB", "0.05")
    ksets = np.broadcast_to(np.array([0, 1, 2]), (20_000, 3))
    with pytest.raises(DataError, match=r"the vectors of 20,000 k-sets would need about 0\.1 GB"):
        model.embed(ksets)
    assert model.embed(ksets[:10]).shape == (10, 1000)


@pytest.mark.parametrize(
    "settings",
    [["sets.exact=100000"], ["sets.exact=0", "sets.tours=50", "sets.supernode=10"]],
    ids=["counted before", "known once drawn"],
)
def test_a_run_that_would_not_fit_is_refused_before_its_first_step(monkeypatch, settings):
    config = CONFIG.with_settings(["train.batch=20", "subgraphs.size=60", "model.dim=64", *settings])
    monkeypatch.setenv("MHMGNN_MEMORY_GB", "0.1")
    refused = r"a training step with [\d,]+ k-sets would need .* GB are free; lower train.batch, sets.most"
    with pytest.raises(DataError, match=refused):
        fit(two_kinds(), config=config)


def test_processes_of_one_machine_share_its_memory_and_one_speaks_for_all(monkeypatch):
    config, load = CONFIG, Load(1000, 80, 160, 2, 0)
    needed = step_bytes(config, [load]) / GB
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    monkeypatch.setenv("MHMGNN_MEMORY_GB", str(1.5 * needed))
    with pytest.raises(DataError, match="a training step with 2,000 k-sets"):
        needs._check_step(config, [load])
    monkeypatch.setenv("LOCAL_RANK", "1")
    needs._check_step(config, [load])
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "1")
    needs._check_step(config, [load])


def test_features_that_do_not_fit_twice_are_refused_where_they_would_be_changed(monkeypatch):
    graph = Graph.from_edges([(0, 1), (1, 2)], features=np.ones((3, 10**6), np.float32))
    monkeypatch.setenv("MHMGNN_MEMORY_GB", "0.02")
    with pytest.raises(DataError, match=r"a changed copy of the node features .* set model\.normalise"):
        needs.check_features([graph], CONFIG.with_settings(["model.normalise=true"]).model)
    needs.check_features([graph], CONFIG.with_settings(["model.normalise=false"]).model)


MEASURED = """
import gc, sys
import numpy as np
from fuzz.memory import FORGET, resident
from mhmgnn import Graph, RunConfig
from mhmgnn.nn.encoders.encoder import Load
from mhmgnn.nn.memory import step_bytes
from mhmgnn.training.loop import Training

rng = np.random.default_rng(0)
graph = Graph.from_edges(rng.integers(5000, size=(25_000, 2)), features=rng.random((5000, 64)))
training = Training([graph], RunConfig().with_settings(["train.steps=2", *sys.argv[1:]]), 0, None, quiet=True)
loads = [
    Load(len(getattr(part.motifs, "rows", part.motifs.x)), len(part.motifs.x), part.motifs.x.numel(), 64, 0)
    for part in training.sampler.batch(0).values()
]
gc.collect()
FORGET.write_text("5")
before = resident("VmRSS")
training.run(resume=False)
print(step_bytes(training.config, loads), resident("VmHWM") - before)
"""


@pytest.mark.parametrize(
    "settings",
    [
        ["train.batch=100", "model.dim=128"],
        pytest.param(["train.batch=40", "model.encoder=gin", "model.layers=2"], marks=pytest.mark.slow),
        pytest.param(["train.batch=20", "model.encoder=kgnn", "train.k=4"], marks=pytest.mark.slow),
        pytest.param(["train.batch=40", "model.encoder=relational"], marks=pytest.mark.slow),
        pytest.param(["train.batch=400", "model.encoder=whole", "model.layers=2"], marks=pytest.mark.slow),
    ],
    ids=["sage", "gin", "kgnn", "relational", "whole"],
)
def test_the_memory_of_a_step_is_foretold_to_a_factor_of_two(settings):
    if not FORGET.exists():
        pytest.skip("the peak of a process is not told here")
    folders = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    environment = os.environ | {"PYTHONPATH": folders, "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-c", MEASURED, *settings]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    foretold, taken = map(int, done.stdout.split())
    assert 0.5 < foretold / taken < 2
