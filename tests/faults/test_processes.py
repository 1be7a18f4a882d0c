"""Runs in several processes of which one is killed, errors that all of them meet, two runs into a folder."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from cli.test_main import run
from training.test_loop import CONFIG, two_kinds, weights

from mhmgnn.cli import processes
from mhmgnn.errors import DataError, MHMError

LONG = CONFIG.with_settings(["train.steps=120"])
SECONDS = 120  # more than any of this takes: what hangs fails


@pytest.fixture(scope="module", name="place")
def graph_and_settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("processes")
    two_kinds().save(folder / "graph")
    LONG.save(folder / "config.toml")
    return folder


def command(place: Path, target: Path, *more: str) -> list[str]:
    fit = ["fit", f"{place}/graph", str(target), "--config", f"{place}/config.toml", "--seed", "1", "-q"]
    return [sys.executable, "-m", "mhmgnn", *fit, *more]


def wait_for(what):
    """The first answer that is true."""
    end = time.monotonic() + SECONDS
    while not (found := what()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.002)
    return found


def ranks(launcher: int) -> dict[str, int]:
    """The processes that one started, by their RANK; empty until there are two."""
    found = {}
    for children in Path(f"/proc/{launcher}/task").glob("*/children"):
        for pid in children.read_text().split():
            words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            found |= {word[5:].decode(): int(pid) for word in words if word.startswith(b"RANK=")}
    return found if len(found) == 2 else {}


@pytest.fixture(scope="module", name="undisturbed")
def weights_of_a_run_in_two_processes(place):
    subprocess.run(command(place, place / "whole", "--devices", "2"), check=True, timeout=SECONDS)
    return weights(place / "whole")


@pytest.mark.slow
@pytest.mark.parametrize("rank", ["0", "1"])
def test_a_run_of_which_one_process_is_killed_ends_in_one_line_and_can_be_resumed(place, undisturbed, rank):
    target = place / f"killed-{rank}"
    words = command(place, target, "--devices", "2")
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        pids = wait_for(lambda: ranks(process.pid))
        wait_for(lambda: list((target / "steps").glob("step-*")))
        os.kill(pids[rank], signal.SIGKILL)
        _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 2
    assert said == (
        f"error: process {rank} of 2, counted from 0, was ended by SIGKILL, as the system does when memory "
        "runs out; go on from the last step kept with --resume\n"
    )
    assert not (target / "model").exists()
    subprocess.run([*words, "--resume"], check=True, timeout=SECONDS)
    resumed = weights(target)
    assert all(torch.equal(undisturbed[name], resumed[name]) for name in undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize(("by", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGKILL", -9)])
def test_no_process_outlives_the_one_that_started_it(place, by, code):
    target = place / by
    words = command(place, target, "--devices", "2", "--set", "train.steps=100000")
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        pids = wait_for(lambda: ranks(process.pid))
        wait_for(lambda: list((target / "steps").glob("step-*")))
        process.send_signal(signal.Signals[by])
        _, said = process.communicate(timeout=SECONDS)
    assert (process.returncode, said) == (code, "")
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids.values()))


def test_an_error_that_all_processes_meet_is_told_once(place):
    words = command(place, place / "never", "--devices", "2", "-k", "50")
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 2
    assert done.stderr.startswith("error: [subgraphs] size is 15; it must be at least k, 50")
    assert done.stderr.count("\n") == 1


def test_a_second_run_into_a_folder_is_refused_while_the_first_lives_and_not_after(place, capsys):
    target = place / "twice"
    words = command(place, target)
    with subprocess.Popen(words, stderr=subprocess.PIPE) as first:
        wait_for(lambda: list((target / "steps").glob("step-*")))
        code, _, said = run(capsys, *words[3:], "--resume")
        first.kill()
        first.communicate()
    assert code == 2
    assert f"another run, pid {first.pid}, writes into this folder: {target}; choose another one" in said
    assert run(capsys, *words[3:], "--resume", "--set", "train.steps=4")[0] == 0


@pytest.mark.parametrize(
    ("codes", "first", "expected"),
    [
        ({0: 2, 1: -signal.SIGTERM}, 0, 2),
        ({0: -signal.SIGTERM, 1: 1}, 1, 1),
        ({0: -signal.SIGTERM, 1: -signal.SIGKILL}, 0, "process 1 of 2, .* SIGKILL, as the system .* memory"),
        (
            {0: -signal.SIGSEGV, 1: -signal.SIGTERM},
            0,
            "process 0 of 2, counted from 0, was ended by SIGSEGV; ",
        ),
        ({0: -signal.SIGTERM, 1: -signal.SIGTERM}, 1, "process 1 of 2, .* SIGTERM; start again"),
    ],
)
def test_the_process_that_failed_of_itself_is_the_one_told_of(codes, first, expected):
    if isinstance(expected, int):
        with pytest.raises(SystemExit) as left:
            processes._leave(codes, first, 2, "start again")
        assert left.value.code == expected
    else:
        with pytest.raises(MHMError, match=expected):
            processes._leave(codes, first, 2, "start again")


@pytest.mark.parametrize("rank", [None, "0", "1"])
def test_the_first_process_tells_and_the_others_let_it(monkeypatch, rank):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    if rank is not None:
        monkeypatch.setenv("RANK", rank)
    processes.let_others_speak(DataError("k is 1"))
    assert len(waits) == (rank == "1")
    processes.let_others_speak(RuntimeError("[gloo/pair.cc] Connection closed by peer"))
    assert len(waits) == 1 + (rank == "1")
