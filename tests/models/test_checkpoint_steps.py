"""Checkpoints of a run: what a kill, damage or a second run does to them."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from models.test_checkpoint import flip, same, state
from safetensors.torch import save
from torch import nn

from mhmgnn.errors import DataError
from mhmgnn.models.checkpoint import _sum_tensors, adam_tensors, last_step, load_adam, run_lock, save_step

KILLED = """
import os, signal, sys
from itertools import count
from pathlib import Path
import torch
from mhmgnn.models.checkpoint import last_step, load_model, run_lock, save_model, save_step
from mhmgnn.config import RunConfig

torch.set_num_threads(1)  # which forks well
place = Path(sys.argv[1])
facts = {"seed": 0, "data": "", "graph_features": 1, "in_features": 1, "edge_features": 0}
def write(number):
    tensors = {"w": torch.full((50_000,), float(number))}
    save_model(place / "m", tensors, RunConfig(), facts | {"number": number})
    with run_lock(place / "run"):
        save_step(place / "run", number, tensors, {"number": number})

def held():
    model, step = load_model(place / "m"), last_step(place / "run")
    assert (model.state["w"] == model.facts["number"]).all() and (step.tensors["w"] == step.step).all()
    return model.facts["number"], step.step

def child(work):
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return pid

def write_until(moment, number):
    left, begun = iter(range(moment)), []
    def kill(event, _):
        if begun or event == "os.mkdir":
            begun.append(event)
            next(left, None) is None and signal.raise_signal(signal.SIGKILL)
    sys.addaudithook(kill)
    write(number)

write(0)
now, changes = (0, 0), []
for moment in count():  # killed before each thing it does to the disk, in turn
    was, new = now, max(now) + 1
    ended = os.waitpid(child(lambda: write_until(moment, new)), 0)[1]
    now = held()
    if ended == 0:
        break
    assert ended == signal.SIGKILL, ended
    assert now[0] in (was[0], new) and now[1] in (was[1], new), (was, now, new)
    changes.append((now[0] == new) + (now[1] == new))
assert changes == sorted(changes) and set(changes) == {0, 1, 2} and now == (new, new), (changes, now)

for pause in range(9):  # killed from outside, while it saves again and again
    seen, told = os.pipe()
    def work():
        for number in count(max(now) + 1):
            os.write(told, b".")
            write(number)
    pid = child(work)
    for _ in range(1 + pause % 3):
        os.read(seen, 1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    was, now = now, held()
    assert now[0] >= was[0] and now[1] >= was[1] and now[0] >= now[1], (was, now)
print("always whole")
"""


def test_a_kill_during_a_save_leaves_the_old_one_or_the_new_one(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("always whole\n", "")


def test_the_last_step_comes_back_and_the_last_two_are_kept(tmp_path):
    assert last_step(tmp_path / "none") is None
    assert last_step(tmp_path) is None
    for step in (50, 100, 1_000_000):
        save_step(tmp_path, step, state(step), {"losses": [0.1, 1 / 3, float("inf")], "step": step})
        back = last_step(tmp_path)
        assert back.step == step
        assert back.facts == {"losses": [0.1, 1 / 3, float("inf")], "step": step}
        same(back.tensors, state(step))
    names = ["step-000100.safetensors", "step-1000000.safetensors"]
    assert sorted(file.name for file in tmp_path.iterdir()) == names


def test_steps_beyond_the_one_saved_are_of_a_course_that_was_left(tmp_path):
    for step in (10, 20, 15):
        save_step(tmp_path, step, state(), {})
    assert last_step(tmp_path).step == 15
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "step-000010.safetensors",
        "step-000015.safetensors",
    ]


def test_what_a_kill_left_is_cleared_by_the_next_save(tmp_path):
    (tmp_path / ".step-000050.safetensors.12345678").write_text("half")
    assert last_step(tmp_path) is None
    save_step(tmp_path, 50, state(), {})
    assert [file.name for file in tmp_path.iterdir()] == ["step-000050.safetensors"]


def test_a_damaged_step_is_passed_over_aloud(tmp_path, capsys):
    for step in (1, 2):
        save_step(tmp_path, step, state(step), {"step": step})
    newest, oldest = tmp_path / "step-000002.safetensors", tmp_path / "step-000001.safetensors"
    whole = newest.read_bytes()
    for end in (0, 5, 100, len(whole) - 1):
        newest.write_bytes(whole[:end])
        assert last_step(tmp_path).step == 1
        said = capsys.readouterr().err
        assert "step-000002.safetensors is damaged" in said
        assert said.endswith("; going back to the checkpoint before it\n")
    oldest.write_bytes(b"")
    with pytest.raises(DataError, match=r"no checkpoint in .* can be used: .*step-000002.* is damaged"):
        last_step(tmp_path)


def test_no_flipped_bit_changes_a_step_unnoticed(tmp_path, monkeypatch):
    monkeypatch.setattr("mhmgnn.models.checkpoint.say", lambda line: None)
    save_step(tmp_path, 1, state(), {"losses": [0.5]})
    file = tmp_path / "step-000001.safetensors"
    whole = file.read_bytes()
    noticed = 0
    for place in np.random.default_rng(2).permutation(len(whole) * 8)[:500].tolist():
        flip(file, whole, place)
        try:
            back = last_step(tmp_path)
        except DataError:
            noticed += 1
        else:  # a blank that pads the header became another
            same(back.tensors, state())
            assert back.facts == {"losses": [0.5]}
    assert noticed > 485


def test_a_step_of_another_format_or_kind_is_refused(tmp_path, monkeypatch):
    (tmp_path / "step-000009.safetensors").write_bytes((b"\2" + bytes(7)) + b"{}")
    with pytest.raises(DataError, match="it says nothing of a run"):
        last_step(tmp_path)
    monkeypatch.setattr("mhmgnn.models.checkpoint.FORMAT", 1)
    save_step(tmp_path, 9, state(), {})
    monkeypatch.undo()
    with pytest.raises(DataError, match="is of format 1; this mhmgnn reads 3 and 6"):
        last_step(tmp_path)


def test_two_runs_into_one_folder_are_refused(tmp_path):
    place = tmp_path / "a" / "run"
    message = rf"another run, pid {os.getpid()}, writes into this folder: .*run"
    with run_lock(place):
        with pytest.raises(DataError, match=message), run_lock(place):
            pass
        with run_lock(tmp_path / "b"):
            pass
    with run_lock(place):
        pass
    (tmp_path / "file").write_text("")
    for taken in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(DataError, match="there is a file in its place"), run_lock(taken):
            pass


def learner():
    torch.manual_seed(1)
    model = nn.ModuleDict({"body": nn.Linear(3, 4), "head": nn.Linear(4, 1), "idle": nn.Linear(2, 2)})
    groups = [{"params": model["head"].parameters()}, {"params": model["body"].parameters(), "lr": 0.1}]
    return model, torch.optim.Adam([*groups, {"params": model["idle"].parameters()}], lr=0.01, amsgrad=True)


def train(model, optimizer, steps):
    for step in steps:
        x = torch.randn(8, 3, generator=torch.Generator().manual_seed(step))
        optimizer.zero_grad()
        (model["head"](model["body"](x).tanh()) - x.sum(1, keepdim=True)).square().mean().backward()
        optimizer.step()


def test_adam_goes_on_bit_for_bit(tmp_path):
    model, optimizer = learner()
    train(model, optimizer, range(5))
    save_step(tmp_path, 5, model.state_dict() | adam_tensors(model, optimizer), {})
    train(model, optimizer, range(5, 10))

    resumed, its_optimizer = learner()
    train(resumed, its_optimizer, range(20, 22))  # what was there before does not matter
    tensors = last_step(tmp_path).tensors
    resumed.load_state_dict({name: tensors[name] for name in resumed.state_dict()})
    load_adam(resumed, its_optimizer, tensors)
    assert not any("idle" in name for name in adam_tensors(resumed, its_optimizer))
    train(resumed, its_optimizer, range(5, 10))
    same(dict(resumed.state_dict()), dict(model.state_dict()))
    same(adam_tensors(resumed, its_optimizer), adam_tensors(model, optimizer))
    same(tensors, last_step(tmp_path).tensors)


def test_adam_of_another_model_is_refused():
    model, optimizer = learner()
    for key, message in (
        ("adam/tail.weight/exp_avg", "adam/tail.weight/exp_avg belongs to no parameter of this model"),
        ("adam/head.weight/exp_avg", r"adam/head.weight/exp_avg is of shape \(3,\) where \(1, 4\)"),
    ):
        with pytest.raises(DataError, match=message):
            load_adam(model, optimizer, {key: torch.zeros(3)})


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"format": 3, "step": 1}', "[" * 5000])
def test_a_checkpoint_that_says_nothing_of_a_run_is_refused(tmp_path, text):
    tensors = {"w": torch.ones(2)}
    sums = {"mhmgnn": text, "sha256": _sum_tensors(tensors, text)}
    (tmp_path / "step-000001.safetensors").write_bytes(save(tensors, sums))
    with pytest.raises(DataError, match="it says nothing of a run"):
        last_step(tmp_path)


def test_half_of_what_adam_holds_is_refused():
    model = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.parameters())
    with pytest.raises(DataError, match="a parameter has not exp_avg, exp_avg_sq, step of Adam"):
        load_adam(model, optimizer, {"adam/weight/exp_avg": torch.zeros(1, 2)})
