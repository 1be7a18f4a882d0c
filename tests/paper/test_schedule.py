import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path

import pytest

from mhmgnn.paper.item import Item, items_of
from mhmgnn.paper.methods import OURS
from mhmgnn.paper.recipe import Recipe, recipes
from mhmgnn.paper.run import run_item
from mhmgnn.paper.schedule import (
    Queue,
    Times,
    known_times,
    missing,
    run_all,
    share,
    with_other_settings,
)
from mhmgnn.paper.worker import Setup, Worker
from mhmgnn.runtime.distributed import Crew


def of(place: str) -> Recipe:
    return next(recipe for recipe in recipes() if recipe.cell.place == place)


def test_what_has_a_result_is_not_run_again(tmp_path, recipe, bench):
    items = items_of([recipe], runs=2, methods=["Degrees", "Motif shape"])
    run_item(items[0], tmp_path, bench)
    with items[1].path(tmp_path).open("a") as file:
        file.write("{")  # a result that is not whole
    assert missing(items, tmp_path) == items[1:]


def test_results_of_other_settings_are_told(tmp_path, recipe, bench):
    items = items_of([recipe], runs=1, methods=[OURS, "MHM-GNN + degrees", "Degrees"])
    for item in items:
        run_item(item, tmp_path, bench)
    assert with_other_settings(items, tmp_path) == []
    changed = [replace(item, settings=("train.enough=0.4",)) for item in items]
    assert with_other_settings(changed, tmp_path) == changed[:1] + changed[2:]


def test_items_run_in_a_process_and_one_that_fails_stops_no_other(tmp_path, recipe, capfd):
    nowhere = recipe.path.with_name("nowhere.toml")
    nowhere.write_text(recipe.path.read_text().replace('"market"', '"nowhere"'))
    bad = Item(Recipe.load(nowhere), "Degrees", 0)
    items = [bad, Item(recipe, "Degrees", 0, quick=True), Item(recipe, "Degrees", 1, quick=True)]
    failures = run_all(items, tmp_path / "results", times=Times(), cache_dir=tmp_path / "cache", jobs=1)
    assert [failure.item for failure in failures] == [bad]
    assert "data set is 'nowhere'" in failures[0].reason
    assert missing(items, tmp_path / "results") == [bad]
    told = capfd.readouterr().err
    assert "[3/3]" in told
    assert "left" in told
    assert known_times(items, tmp_path / "results").guess(items[1]) > 0


@pytest.fixture
def worker(tmp_path):
    made = Worker(Setup(tmp_path, tmp_path, 3))
    yield made
    made.stop()


def test_a_process_that_dies_is_a_failure_of_its_item_alone(worker):
    score, reason = worker.answer(worker.begin(os._exit, 3))
    assert score is None
    assert "ended with code 3" in reason
    assert worker.answer(worker.begin(int, "7")) == (7, None)


def test_a_bug_is_a_failure_of_its_item_alone_and_is_told_with_its_place(worker, capsys):
    assert "invalid literal for int" in worker.answer(worker.begin(int, "x"))[1]
    assert "Traceback" in capsys.readouterr().err
    assert worker.answer(worker.begin(int, "7")) == (7, None)


def test_a_stopped_worker_has_no_process_and_what_it_did_is_lost(worker):
    future = worker.begin(signal.pause)
    worker.stop()
    assert multiprocessing.active_children() == []
    assert "ended with code" in worker.answer(future)[1]


def test_threads_are_shared_among_processes(worker):
    assert worker.begin(os.getenv, "OMP_NUM_THREADS").result() == "3"


ORPHAN = """
import os, signal
from pathlib import Path
from mhmgnn.paper.worker import Setup, Worker
if __name__ == "__main__":
    worker = Worker(Setup(Path("."), Path("."), 1))
    print(worker.begin(os.getpid).result(), flush=True)
    worker.begin(signal.pause)
    signal.pause()
"""


def test_a_process_ends_when_the_one_that_started_it_is_killed(tmp_path):
    (tmp_path / "main.py").write_text(ORPHAN)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen([sys.executable, tmp_path / "main.py"], **pipes) as main:
        pid = int(main.stdout.readline())
        assert _lives(pid)
        main.kill()
        main.stdout.read()  # ends when no process holds the pipe
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_worker_stays_with_a_data_set_and_others_go_elsewhere():
    items = [
        Item(of(place), method, 0)
        for place in ("hyperedge/cora-3", "hyperedge/steam-4")
        for method in ("Degrees", "Motif shape")
    ]
    queue = Queue(items, Times())
    first = queue.take(None)
    second = queue.take(None)
    assert first.group != second.group
    queue.done(first, 1.0)
    assert queue.take(first.group).group == first.group


def test_a_run_of_all_cells_is_there_before_the_next_begins():
    places = ("hyperedge/cora-3", "hyperedge/steam-4")
    queue = Queue([Item(of(place), "Degrees", seed) for seed in (1, 0) for place in places], Times())
    assert [queue.take(None).seed for _ in range(4)] == [0, 0, 1, 1]


def test_no_two_workers_fit_the_same_vectors_at_once():
    walks = [Item(of(place), "node2vec", 0) for place in ("hyperedge/cora-3", "dag-leaves/cora-4")]
    walks.append(Item(of("hyperedge/cora-3"), "node2vec + Features", 0))
    other = Item(of("hyperedge/cora-3"), "node2vec", 1)
    queue = Queue([*walks, other], Times())
    taken = [queue.take(None), queue.take(None)]
    assert {item.seed for item in taken} == {0, 1}


def test_the_longest_goes_first_and_the_time_left_follows_from_times_so_far():
    times = Times()
    short, long = Item(of("hyperedge/cora-3"), OURS, 0), Item(of("hyperedge/pubmed-5"), OURS, 0)
    times.add(short, 10)
    times.add(long, 100)
    queue = Queue([short, long], times)
    assert queue.left(2) == 100
    assert queue.left(1) == 110
    assert queue.take(None) is long
    assert times.guess(replace(short, seed=4)) == 10
    assert times.guess(Item(of("dag-leaves/cora-3"), OURS, 0)) == 10
    assert times.guess(Item(of("hyperedge/steam-3"), OURS, 0)) == 55


def test_an_interrupt_ends_the_processes_and_begins_nothing_more(tmp_path, recipe, monkeypatch):
    def interrupted(running, return_when):
        assert len(running) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr("mhmgnn.paper.schedule.wait", interrupted)
    items = [Item(recipe, "Degrees", seed, quick=True) for seed in range(3)]
    with pytest.raises(KeyboardInterrupt):
        run_all(items, tmp_path / "results", times=Times(), cache_dir=tmp_path, jobs=1)
    assert multiprocessing.active_children() == []
    assert missing(items, tmp_path / "results") == items


class Told(Crew):
    """One of several processes, which hears from the leading one what this one knows."""

    def gather(self, rows):
        return [rows] * self.world


@pytest.mark.parametrize("world", [1, 2, 3, 50])
def test_processes_share_the_items_and_none_splits_a_data_set_of_a_run(world):
    items = items_of([of("hyperedge/cora-3"), of("dag-leaves/cora-4"), of("hyperedge/dblp-3")], runs=4)
    to_run = [item for number, item in enumerate(items) if number % 5]
    shares = [share(items, to_run, Times(), Told(rank, world)) for rank in range(world)]
    assert sorted(map(str, chain(*shares))) == sorted(map(str, to_run))

    def place(item):
        return item.split, item.recipe.cell.dataset

    owners = [{place(item) for item in mine} for mine in shares]
    assert sum(map(len, owners)) == len(set().union(*owners)) == 8
    work = [len(mine) for mine in shares if mine]
    largest = max(len(list(mine)) for _, mine in groupby(sorted(to_run, key=place), key=place))
    assert max(work) <= max(2 * min(work), largest)  # a data set of a run is not split
