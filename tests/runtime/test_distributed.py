"""Real processes, started by torchrun: on this machine, and on two hosts that are network namespaces."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from mhmgnn import Graph, generate
from mhmgnn.errors import DataError
from mhmgnn.runtime.distributed import ALONE, Crew, started
from mhmgnn.subgraphs.exact import connected_sets

TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]
COUNTS = {
    "exact": ["-k", "4", "--by-shape"],
    "pair-walk": ["-k", "4", "--method", "pair-walk", "--by-shape", "--tours", "300"],
    "growth": ["-k", "5", "--method", "growth", "--tours", "1500"],
    "auto, to a precision": ["-k", "4", "--limit", "10", "--precision", "0.05"],
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "graph"
    generate.barabasi_albert(400, 4, seed=1).save(path)
    return path


def counted(graph, options, *, before=(sys.executable,)):
    """What `mhmgnn count` prints, but for the time that it took."""
    command = [*before, "-m", "mhmgnn", "count", str(graph), *options, "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    facts = json.loads(done.stdout)
    del facts["seconds"]
    return facts


@pytest.mark.parametrize("world", [1, 2, 3, 7])
def test_stretches_lie_side_by_side_and_hold_everything(world):
    stretches = [Crew(rank, world).stretch(5) for rank in range(world)]
    assert [number for stretch in stretches for number in stretch] == list(range(5))


def test_one_process_gathers_its_own_rows():
    rows = np.arange(6).reshape(2, 3)
    assert ALONE.gather(rows) == [rows]


@pytest.mark.parametrize(("rank", "world"), [("2", "2"), ("one", "2"), ("0", "")])
def test_an_environment_that_no_torchrun_made_is_refused(monkeypatch, rank, world):
    monkeypatch.setenv("RANK", rank)
    monkeypatch.setenv("WORLD_SIZE", world)
    with pytest.raises(DataError, match="torchrun"):
        started()


GATHER = """
import numpy as np
from mhmgnn.runtime.distributed import together
with together() as crew:
    mine = np.full((crew.rank + 1, 2), crew.rank, np.int16)
    parts = crew.gather(mine)
    assert [part.tolist() for part in parts] == [[[r, r]] * (r + 1) for r in range(crew.world)], parts
    assert [part.dtype for part in parts] == [np.int16] * crew.world
    assert [part.shape for part in crew.gather(mine[:0])] == [(0, 2)] * crew.world
    crew.wait()
"""


@pytest.mark.parametrize("world", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_every_process_gathers_the_rows_of_all(tmp_path, world):
    script = tmp_path / "gather.py"
    script.write_text(GATHER)
    command = [*TORCHRUN, "--standalone", "--nproc-per-node", str(world), str(script)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("world", [2, 4])
@pytest.mark.parametrize("how", COUNTS)
def test_several_processes_count_what_one_counts(saved, how, world):
    alone = counted(saved, COUNTS[how])
    assert counted(saved, [*COUNTS[how], "--devices", str(world)]) == alone


def test_two_processes_count_what_one_counts(saved):
    options = COUNTS["pair-walk"]
    assert counted(saved, [*options, "--devices", "2"]) == counted(saved, options)


@contextmanager
def two_hosts():
    """Two network namespaces with a wire between them: a command before a command for each, and addresses."""
    names = [f"mhmgnn-{os.getpid()}-{side}" for side in "ab"]
    wires = [f"mhm{os.getpid() % 10**6}{side}" for side in "ab"]
    if subprocess.run(["ip", "netns", "add", names[0]], capture_output=True).returncode:
        pytest.skip("network namespaces need root and iproute2")
    try:
        ip("netns", "add", names[1])
        ip("link", "add", wires[0], "type", "veth", "peer", "name", wires[1])
        for number, (name, wire) in enumerate(zip(names, wires, strict=True), 1):
            ip("link", "set", wire, "netns", name)
            ip("-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", wire)
            ip("-n", name, "link", "set", wire, "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield [
            ["ip", "netns", "exec", name, "env", f"GLOO_SOCKET_IFNAME={wire}"]
            for name, wire in zip(names, wires, strict=True)
        ]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


def on_two_hosts(*words):
    """What a command prints on each of two hosts, two processes on either."""
    place = ["--nnodes", "2", "--nproc-per-node", "2", "--master-addr", "10.77.0.1", "--master-port", "29511"]
    with two_hosts() as hosts:
        running = [
            subprocess.Popen(
                [*host, *TORCHRUN, *place, "--node-rank", str(rank), "-m", "mhmgnn", *map(str, words)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for rank, host in enumerate(hosts)
        ]
        said = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0, 0], said
    return [out for out, _ in said]


@pytest.mark.slow
def test_two_hosts_count_what_one_counts(saved):
    first, second = on_two_hosts("count", saved, *COUNTS["pair-walk"], "--json")
    facts = json.loads(first)
    del facts["seconds"]
    assert facts == counted(saved, COUNTS["pair-walk"])
    assert second == b""


@pytest.mark.slow
def test_two_hosts_train_and_embed_as_one_does(tmp_path):
    generate.planted_groups(300, 300, stray=200, features=8).graph.save(tmp_path / "graph")
    small = ["--set", "train.steps=6", "--set", "train.batch=8", "--set", "subgraphs.size=30", "-q"]
    alone = [sys.executable, "-m", "mhmgnn"]
    subprocess.run([*alone, "fit", tmp_path / "graph", tmp_path / "one", *small], check=True)
    on_two_hosts("fit", tmp_path / "graph", tmp_path / "two", *small)
    losses = [
        np.loadtxt(tmp_path / run / "log.csv", delimiter=",", skiprows=1, usecols=1) for run in ("one", "two")
    ]
    np.testing.assert_allclose(*losses, atol=1e-5)
    sets = connected_sets(Graph.load(tmp_path / "graph"), 3)[:1000]
    np.savetxt(tmp_path / "sets.csv", sets, fmt="%d", delimiter=",")
    embed = ["embed", tmp_path / "one", tmp_path / "sets.csv", "--rows", "150", "--out"]
    subprocess.run([*alone, *embed, tmp_path / "one.csv"], check=True)
    on_two_hosts(*embed, tmp_path / "two.csv")
    files = [tmp_path / "one.csv", tmp_path / "two.csv"]
    vectors = [np.loadtxt(file, delimiter=",", skiprows=1, quotechar='"') for file in files]
    np.testing.assert_allclose(*vectors, atol=1e-6)
