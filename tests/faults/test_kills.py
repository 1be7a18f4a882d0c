"""Real processes that save, killed at moments drawn from a seed: what stands under a name is always whole.

Models and the steps of a run are killed in tests/test_checkpoint_steps.py, a whole run in
tests/training/test_loop.py.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from faults import saver

from mhmgnn.io.atomic import atomic_file, atomic_folder, write_atomic

KILLS = 20


@pytest.fixture(scope="module", name="savers")
def process_that_forks_savers():
    folders = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    environment = os.environ | {"PYTHONPATH": folders}
    command = [sys.executable, "-m", "faults.saver"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        yield process
        process.stdin.close()


def save_until_killed(savers, kind: str, place: Path, first: int, moment: tuple[int, float]) -> None:
    """Kill a saver so many seconds after it has begun so many saves."""
    savers.stdin.write(f"{kind} {place} {first}\n")
    savers.stdin.flush()
    pid = int(savers.stdout.readline())
    for _ in range(moment[0]):
        assert savers.stdout.readline() == "begun\n"
    time.sleep(moment[1])
    os.kill(pid, signal.SIGKILL)
    while (line := savers.stdout.readline()) == "begun\n":
        pass
    assert line == "dead\n"


def hidden(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(".")]


@pytest.mark.parametrize("kind", saver.KINDS)
def test_a_kill_at_any_moment_leaves_the_old_or_the_new_and_the_next_save_clears_the_rest(
    savers, tmp_path, kind
):
    save, load = saver.KINDS[kind]
    place, number, halves = tmp_path / kind, 1, 0
    for _ in range(2):  # the second is as quick as those to come
        began = time.perf_counter()
        save(place, number)
        seconds = time.perf_counter() - began
    for kill, pause in enumerate(np.random.default_rng(5).uniform(0, seconds, size=KILLS).tolist()):
        save_until_killed(savers, kind, place, number + 1, (1 + kill % 3, pause))
        halves += len(hidden(tmp_path)) > 0
        assert len(hidden(tmp_path)) <= 1
        (now,) = load(place)
        assert now >= number
        number = now
    assert number >= KILLS // 2
    assert halves > 0, "no kill fell into a save"
    save(place, number + 1)
    assert load(place) == {number + 1}
    assert os.listdir(tmp_path) == [kind]


def test_what_a_living_process_writes_is_not_taken_for_left(tmp_path):
    with atomic_file(tmp_path / "a") as first, atomic_folder(tmp_path / "b") as folder:
        first.write(b"first")
        (folder / "x").write_bytes(b"first")
        write_atomic(tmp_path / "a", b"second")
        with atomic_folder(tmp_path / "b") as other:
            (other / "x").write_bytes(b"second")
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b" / "x").read_bytes() == b"second"
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b" / "x").read_bytes() == b"first"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_only_what_looks_like_a_write_of_this_name_is_cleared(tmp_path):
    others = [".a.notes", ".a.12345678.old", ".b.12345678", ".a.ABCDEF01", "a.12345678"]
    for name in [*others, ".a.12345678", ".a.deadbeef"]:
        (tmp_path / name).write_text("mine")
    write_atomic(tmp_path / "a", b"new")
    assert sorted(os.listdir(tmp_path)) == sorted(["a", *others])
