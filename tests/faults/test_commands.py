"""Update, groups and a service where the disk is full or closed, the clock jumps, or two commands meet."""

import os
import shutil
import time

import pytest
from cli.test_main import run as command
from faults.disk import FILLER, close, empty, fill, small_disk
from faults.test_disk import one_line
from service.conftest import Told, train

from mhmgnn import load
from mhmgnn.cli.doctor import inspect
from mhmgnn.models.shards import folder_of, held
from mhmgnn.service.app import Service


@pytest.fixture(scope="module", name="trained")
def run_of_a_tiny_shop(tmp_path_factory):
    return train(tmp_path_factory.mktemp("shop") / "run")


@pytest.fixture(scope="module", name="pairs")
def a_new_pair(trained, tmp_path_factory):
    graph = load(trained).graph
    far = next(
        node for node in range(1, graph.num_nodes) if node not in set(graph.indices[: graph.indptr[1]])
    )
    file = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    file.write_text(f"source\ttarget\tcount\n{graph.names[0]}\t{graph.names[far]}\t2\n")
    return file


@pytest.fixture(name="disk")
def disk_with_the_run(trained, tmp_path):
    size = sum(file.stat().st_size for file in trained.rglob("*") if file.is_file())
    with small_disk(tmp_path / "disk", 4 * size // 1024 + 65536) as disk:
        shutil.copytree(trained, disk / "run")
        yield disk


def is_whole(run):
    return all(part.whole for part in inspect(run))


def test_an_update_on_a_full_disk_is_one_line_and_is_made_once_there_is_room(disk, pairs, capsys):
    before = load(disk / "run").graph.num_edges
    fill(disk, but=2**16)
    code, _, said = command(capsys, "update", str(disk / "run"), str(pairs), "-q")
    one_line(code, said, str(disk / "run"), "No space left on device", "make room there")
    assert is_whole(disk / "run")
    assert load(disk / "run").graph.num_edges == before
    assert sorted(os.listdir(disk)) == [FILLER, "run"]
    empty(disk)
    code, _, said = command(capsys, "update", str(disk / "run"), str(pairs), "-q")
    assert code == 0, said
    assert load(disk / "run").graph.num_edges == before + 1
    assert os.listdir(disk) == ["run"]


def test_groups_on_a_full_disk_are_one_line_and_found_once_there_is_room(disk, trained, tmp_path, capsys):
    words = ["groups", str(trained), "--out"]
    assert command(capsys, *words, str(tmp_path / "whole.csv"))[0] == 0
    fill(disk)
    code, _, said = command(capsys, *words, str(disk / "groups.csv"))
    one_line(code, said.splitlines()[-1] + "\n", str(disk), "No space left on device")
    assert not (disk / "groups.csv").exists()
    empty(disk)
    assert command(capsys, *words, str(disk / "groups.csv"))[0] == 0
    assert (disk / "groups.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert sorted(os.listdir(disk)) == ["groups.csv", "run"]


def test_on_a_closed_disk_nothing_is_written_and_a_service_reads(disk, pairs, capsys):
    close(disk)
    for words in (
        ["update", str(disk / "run"), str(pairs)],
        ["groups", str(disk / "run"), "--out", f"{disk}/g.csv"],
    ):
        code, _, said = command(capsys, *words)
        one_line(code, said.splitlines()[-1] + "\n", str(disk), "Read-only file system")
    service = Service(disk / "run", log=Told(), groups=False)
    assert service.holder.reload()
    assert service.holder.current.graph.num_nodes == load(disk / "run").graph.num_nodes
    service.stop()


def test_a_clock_that_jumps_changes_neither_groups_nor_an_update(
    trained, pairs, tmp_path, capsys, monkeypatch
):
    now, made = time.time, []
    for jump in (0, -(10**9)):
        monkeypatch.setattr("time.time", lambda jump=jump: now() + jump * (len(made) + 1))
        folder = tmp_path / str(jump)
        shutil.copytree(trained, folder / "run")
        assert command(capsys, "update", str(folder / "run"), str(pairs), "-q")[0] == 0
        assert command(capsys, "groups", str(folder / "run"), "--out", str(folder / "groups.csv"))[0] == 0
        weights = (folder / "run" / "model" / "weights.safetensors").read_bytes()
        made.append((weights, (folder / "groups.csv").read_bytes()))
    assert made[0] == made[1]


def test_a_service_takes_up_a_run_that_is_older_than_its_own(trained, pairs, tmp_path, capsys):
    shutil.copytree(trained, tmp_path / "run")
    service = Service(tmp_path / "run", log=Told(), groups=False)
    assert service.holder.reload()
    assert command(capsys, "update", str(tmp_path / "run"), str(pairs), "-q")[0] == 0
    for part in ("model/provenance.json", "model", "graph"):
        os.utime(tmp_path / "run" / part, (1, 1))  # as if the clock had been set back by decades
    assert service.holder.reload()
    assert service.holder.current.about["updates"] == 1
    assert not service.holder.reload()
    service.stop()


def test_a_second_search_into_one_file_is_refused_while_the_first_lives(trained, tmp_path, capsys):
    target = tmp_path / "groups.csv"
    words = ["groups", str(trained), "--out", str(target)]
    with held(target):
        code, _, said = command(capsys, *words)
    one_line(code, said, f"another run, pid {os.getpid()}, writes {target}; wait for it")
    assert command(capsys, *words)[0] == 0
    assert not folder_of(target).exists()


def test_groups_are_those_of_one_run_while_an_update_replaces_it(trained, pairs, tmp_path, capsys):
    shutil.copytree(trained, tmp_path / "run")
    model = load(tmp_path / "run")
    assert command(capsys, "update", str(tmp_path / "run"), str(pairs), "-q")[0] == 0
    found = [group.names for group in model.groups()]  # its files are mapped, and lost their names
    assert found == [group.names for group in load(tmp_path / "run" / "previous").groups()]
