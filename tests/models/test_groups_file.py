"""The file of groups: a run that was killed goes on, and processes and workers of Ray write the same one."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from models.test_groups_shared import in_two
from training.test_groups import GROUPS, TINY, carts

import mhmgnn
from mhmgnn import DataError, RunConfig
from mhmgnn.graph.sets import Sets
from mhmgnn.models import groups
from mhmgnn.models.groups import GroupReader, Scoring
from mhmgnn.models.groups_file import Asked, write_groups
from mhmgnn.models.groups_ray import score_table
from mhmgnn.models.kept import Kept, from_table, number_of, sets_from_table, sets_to_table
from mhmgnn.models.shards import folder_of

ALL = Asked(probability=0.0)


class Stopped(Exception):
    """As if the process had been killed."""


@pytest.fixture(scope="module", name="run")
def trained_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups") / "run"
    mhmgnn.fit(carts()[0], 3, config=replace(RunConfig().with_settings(TINY), groups=GROUPS)).save(folder)
    return folder


@pytest.fixture(name="model")
def loaded(run, monkeypatch):
    monkeypatch.setattr(groups, "CHUNK", 16)
    return mhmgnn.load(run)


@pytest.fixture(name="whole")
def written_at_once(model, tmp_path):
    """The file of a run that nothing stopped."""
    target = tmp_path / "whole.csv"
    write_groups(model, target, ALL)
    return target


def count_scored(monkeypatch, stop_after=None):
    """The chunks that are scored from now on; the process ends at one of them."""
    scored, score = [], GroupReader.score

    def counted(reader, sets):
        if len(scored) == stop_after:
            raise Stopped
        scored.append(number_of(sets))
        return score(reader, sets)

    monkeypatch.setattr(GroupReader, "score", counted)
    return scored


def stopped(model, target, monkeypatch, after):
    """What a run scored that ended after some chunks."""
    with monkeypatch.context() as patched:
        scored = count_scored(patched, after)
        with pytest.raises(Stopped):
            write_groups(model, target, ALL)
    return scored


@pytest.mark.parametrize("stop_after", [1, 4])
def test_a_run_that_was_stopped_goes_on_to_the_same_bytes_and_scores_nothing_twice(
    model, whole, tmp_path, monkeypatch, stop_after
):
    target = tmp_path / "groups.csv"
    before = stopped(model, target, monkeypatch, stop_after)
    assert not target.exists()
    assert len(before) == stop_after
    after = count_scored(monkeypatch)
    write_groups(model, target, ALL)
    assert not set(before) & set(after)
    assert target.read_bytes() == whole.read_bytes()
    assert {file.name for file in tmp_path.iterdir()} == {"groups.csv", "whole.csv"}


KILLED = """
import os, signal, sys
from pathlib import Path
from mhmgnn.cli.main import main
from mhmgnn.models import groups

groups.CHUNK, score, left = 16, groups.GroupReader.score, [5]

def until_killed(reader, sets):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return score(reader, sets)

groups.GroupReader.score = until_killed
sys.argv = ["mhmgnn", *sys.argv[1:]]
main()
"""


def test_a_command_that_was_killed_leaves_what_it_scored(run, model, whole, tmp_path):
    target = tmp_path / "groups.csv"
    words = ["groups", str(run), "--out", str(target), "--probability", "0"]
    done = subprocess.run([sys.executable, "-c", KILLED, *words], capture_output=True, env=os.environ.copy())
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(list(folder_of(target).glob("part-*"))) == 4
    write_groups(model, target, ALL)
    assert target.read_bytes() == whole.read_bytes()
    assert not folder_of(target).exists()


def test_a_damaged_chunk_is_scored_again(model, whole, tmp_path, monkeypatch):
    target = tmp_path / "groups.csv"
    stopped(model, target, monkeypatch, 3)
    damaged = next(folder_of(target).glob("part-*"))
    damaged.write_bytes(damaged.read_bytes()[:50])
    write_groups(model, target, ALL)
    assert target.read_bytes() == whole.read_bytes()


def test_chunks_of_another_model_are_an_error(model, tmp_path, monkeypatch):
    target = tmp_path / "groups.csv"
    stopped(model, target, monkeypatch, 2)
    model.facts = {**model.facts, "seed": -1}
    with pytest.raises(DataError, match=r"holds 2 shards of another job \(not the same: model\)"):
        write_groups(model, target, ALL)


def test_what_cannot_be_asked_for_leaves_no_folder(model, tmp_path):
    with pytest.raises(DataError, match="the largest size is 3"):
        write_groups(model, tmp_path / "groups.csv", Asked(sizes=(4, 3)))
    assert list(tmp_path.iterdir()) == []


def test_two_processes_write_the_file_of_one(model, whole, tmp_path):
    target = tmp_path / "groups.csv"
    in_two(lambda crew: write_groups(model, target, ALL, crew=crew))
    assert target.read_bytes() == whole.read_bytes()
    assert not folder_of(target).exists()


def test_progress_moves_through_candidates_scoring_and_cover(model):
    told: list[tuple[float, str]] = []
    model.groups(scoring=Scoring(tell=lambda share, note="": told.append((share, note))))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert len(set(shares)) > 20
    heard = [note for _, note in told]
    parts = ["candidates", "scoring", "covering", "chance", "triangles"]
    assert list(dict.fromkeys(heard)) == parts


def test_sets_and_energies_survive_a_shard(model, tmp_path):
    sets = Sets(np.array([0, 1, 2, 0, 1]), np.array([0, 3, 5]))
    back = sets_from_table(sets_to_table(sets))
    np.testing.assert_array_equal(back.members, sets.members)
    np.testing.assert_array_equal(back.offsets, sets.offsets)
    expected = model.reader().score(sets)
    np.testing.assert_array_equal(from_table(score_table(model, sets_to_table(sets))), expected)
    kept = Kept(tmp_path)
    for _ in range(2):
        np.testing.assert_array_equal(kept.energies(sets, model.reader().score), expected)
    assert not kept.has(Sets(sets.members, np.array([0, 2, 5])))


RAY = """
import sys
from pathlib import Path
import mhmgnn
from mhmgnn.models import groups
from mhmgnn.models.groups_file import Asked, write_groups
from mhmgnn.models.groups_ray import keep_by_ray

groups.CHUNK, score = 16, groups.GroupReader.score
groups.GroupReader.score = None  # only workers score
run, target = map(Path, sys.argv[1:])
with keep_by_ray(mhmgnn.load, run, workers=2) as keep:
    write_groups(mhmgnn.load(run), target, Asked(probability=0.0), keep=keep)
"""


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
@pytest.mark.slow
def test_workers_of_ray_write_the_file_of_one_process(run, whole, tmp_path):
    target = tmp_path / "groups.csv"
    words = [sys.executable, "-c", RAY, str(run), str(target)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert target.read_bytes() == whole.read_bytes()
    assert not folder_of(target).exists()
