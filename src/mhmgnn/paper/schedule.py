"""What is missing -> processes that run it: longest first, with the time that is left."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mhmgnn.paper.files import results_of
from mhmgnn.paper.item import Item
from mhmgnn.paper.methods import TRAINED, settings_of
from mhmgnn.paper.worker import Setup, Worker, run_one
from mhmgnn.runtime import console, threads
from mhmgnn.runtime.distributed import Crew


class Running(NamedTuple):
    """An item under way."""

    item: Item
    worker: Worker
    began: float


class Failure(NamedTuple):
    """An item without a result, and why."""

    item: Item
    reason: str


class Times:
    """How long an item takes, from those like it."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[float, int]] = {}

    def add(self, item: Item, seconds: float) -> None:
        """Learn from one that was measured."""
        for key in self._keys(item):
            total, number = self._known.get(key, (0.0, 0))
            self._known[key] = total + seconds, number + 1

    def guess(self, item: Item) -> float:
        """The mean over the items most like it; 60 seconds where nothing is known."""
        total, number = next((self._known[key] for key in self._keys(item) if key in self._known), (60.0, 1))
        return total / number

    def _keys(self, item: Item) -> list[tuple[object, ...]]:
        cell, method = item.recipe.cell, item.method
        return [(cell, method), (cell.dataset, cell.k, method), (cell.dataset, method), (method,), ()]


class Queue:
    """Items that wait: run by run, so that each table is there early.

    A worker stays with a data set and k; no two fit the same thing at once.
    """

    def __init__(self, items: Iterable[Item], times: Times) -> None:
        self.times = times
        self._waiting = sorted(items, key=lambda item: (item.method, item.seed, item.split, item.shuffled))
        self._running: list[Item] = []

    def take(self, group: tuple[int, str, str] | None) -> Item | None:
        """The next item, of `group` where there is one; None when nothing can begin now."""
        busy = {item.needs for item in self._running}
        free = [item for item in self._waiting if item.needs not in busy]
        if not free:
            return None
        mine = [item for item in free if item.group == group] or self._longest(free)
        self._waiting.remove(mine[0])
        self._running.append(mine[0])
        return mine[0]

    def done(self, item: Item, seconds: float | None) -> None:
        """Give an item back; `seconds` is None if it was not measured."""
        self._running.remove(item)
        if seconds is not None:
            self.times.add(item, seconds)

    def left(self, jobs: int) -> float:
        """Seconds until the end, if items take as long as those like them did."""
        items = [*self._waiting, *self._running]
        longest = max((self.times.guess(item) for item in items), default=0.0)
        return max(sum(map(self.times.guess, items)) / jobs, longest)

    def _longest(self, free: list[Item]) -> list[Item]:
        """The items of the group with most work, of the first run and of groups that no worker is at."""
        held = {item.group for item in self._running}
        free = [item for item in free if item.group not in held] or free
        first = min(item.split for item in free)
        free = [item for item in free if item.split == first]
        work: dict[tuple[int, str, str], float] = {}
        for item in free:
            work[item.group] = work.get(item.group, 0.0) + self.times.guess(item)
        best = max(work, key=lambda group: work[group])
        return [item for item in free if item.group == best]


def missing(items: Iterable[Item], results: Path) -> list[Item]:
    """The items that have no result."""
    items = list(items)
    found = results_of(items, results)
    return [item for item in items if item.key not in found]


def with_other_settings(items: Iterable[Item], results: Path) -> list[Item]:
    """The items of the model whose results are of other settings than it has now."""
    ours = [item for item in items if item.way.is_ours]
    found = results_of(ours, results)
    return [item for item in ours if item.key in found and found[item.key]["config"] != _settings(item)]


def known_times(items: Iterable[Item], results: Path) -> Times:
    """What the results that are there tell of times."""
    items, times = list(items), Times()
    found = results_of(items, results)
    for item in items:
        if "seconds" in found.get(item.key, {}):
            times.add(item, found[item.key]["seconds"]["all"])
    return times


def run_all(
    items: Sequence[Item], results: Path, *, times: Times, cache_dir: Path, jobs: int = 2, quiet: bool = False
) -> list[Failure]:
    """Run items in `jobs` processes, each result written once it is there; those that failed, and why."""
    results.mkdir(parents=True, exist_ok=True)
    queue, failures, told = Queue(items, times), list[Failure](), count(1)
    cores = max(1, threads.available() // jobs)
    idle = [Worker(Setup(results, cache_dir, cores)) for _ in range(jobs)]
    running: dict[Future[dict[str, float]], Running] = {}
    try:
        while True:
            for worker in idle.copy():
                if (item := queue.take(worker.group)) is not None:
                    idle.remove(worker)
                    worker.group = item.group
                    running[worker.begin(run_one, item)] = Running(item, worker, time.monotonic())
            if not running:
                return failures
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                item, worker, began = running.pop(future)
                idle.append(worker)
                score, error = worker.answer(future)
                took = time.monotonic() - began
                queue.done(item, None if error else took)
                if error:
                    failures.append(Failure(item, error))
                if not quiet:
                    place = f"[{next(told)}/{len(items)}]"
                    found = error or "{paper:.3f} / {converged:.3f}".format(**score)
                    console.say(f"{place} {item}: {found}, {clock(took)}; {clock(queue.left(jobs))} left")
    finally:
        for worker in [*idle, *(one.worker for one in running.values())]:
            worker.stop()


def share(items: Sequence[Item], to_run: Sequence[Item], times: Times, crew: Crew) -> list[Item]:
    """The items of `to_run` that this process of a crew runs: whole data sets of a run, the longest first.

    All processes go by what the leading one knows, as results may come while they start.
    """
    wanted = {id(item) for item in to_run}
    work = np.array([times.guess(item) if id(item) in wanted else 0.0 for item in items])
    work = crew.gather(work)[0]
    by_dataset: dict[tuple[int, str], list[int]] = {}
    for number in np.flatnonzero(work).tolist():
        by_dataset.setdefault((items[number].split, items[number].recipe.cell.dataset), []).append(number)
    load, mine = np.zeros(crew.world), list[int]()
    for numbers in sorted(by_dataset.values(), key=lambda numbers: -work[numbers].sum()):
        least = int(load.argmin())
        load[least] += work[numbers].sum()
        mine += numbers if least == crew.rank else []
    return [items[number] for number in sorted(mine)]


def _settings(item: Item) -> dict[str, Any]:
    settings = settings_of(TRAINED.config(item.config))
    settings["model"]["degree_features"] |= item.way.degrees
    return settings


def clock(seconds: float) -> str:
    """A time as a person says it."""
    hours, minutes = divmod(round(seconds / 60), 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
