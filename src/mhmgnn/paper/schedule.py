"""What is missing -> processes that run it: longest first, with the time that is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mhmgnn.paper.item import Item, read_result
from mhmgnn.runtime import console, threads
from mhmgnn.runtime.distributed import Crew

THREADS = (
    "MHMGNN_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


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
        self.times, self.began = times, time.monotonic()
        self._changed = threading.Condition()
        self._waiting = sorted(items, key=lambda item: (item.method, item.seed, item.split, item.shuffled))
        self._running: list[Item] = []

    def take(self, group: tuple[int, str, str] | None) -> Item | None:
        """The next item, of `group` where there is one; None when nothing is left to begin."""
        with self._changed:
            while self._waiting:
                busy = {item.needs for item in self._running}
                free = [item for item in self._waiting if item.needs not in busy]
                if free:
                    mine = [item for item in free if item.group == group] or self._longest(free)
                    self._waiting.remove(mine[0])
                    self._running.append(mine[0])
                    return mine[0]
                self._changed.wait()
            return None

    def done(self, item: Item, seconds: float | None) -> None:
        """Give an item back; `seconds` None teaches nothing."""
        with self._changed:
            self._running.remove(item)
            if seconds is not None:
                self.times.add(item, seconds)
            self._changed.notify_all()

    def stop(self) -> None:
        """Begin nothing more."""
        with self._changed:
            self._waiting = []
            self._changed.notify_all()

    def left(self, jobs: int) -> float:
        """Seconds until the end, if items take as long as those like them did."""
        with self._changed:
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
    """The items that have no whole result file."""
    return [item for item in items if read_result(item.path(results)) is None]


def with_other_settings(items: Iterable[Item], results: Path) -> list[Item]:
    """The items of the model whose results are of other settings than it has now."""
    return [
        item
        for item in items
        if item.way.is_ours
        and (found := read_result(item.path(results))) is not None
        and found["config"] != _settings(item)
    ]


def known_times(items: Iterable[Item], results: Path) -> Times:
    """What the result files that are there tell of times."""
    times = Times()
    for item in items:
        found = read_result(item.path(results))
        if found is not None and "seconds" in found:
            times.add(item, found["seconds"]["all"])
    return times


def run_all(
    items: Sequence[Item], results: Path, *, times: Times, cache_dir: Path, jobs: int = 2, quiet: bool = False
) -> list[Failure]:
    """Run items in `jobs` processes, each result written once it is there; those that failed, and why."""
    results.mkdir(parents=True, exist_ok=True)
    queue, failures, workers = Queue(items, times), list[Failure](), list[Worker]()
    telling, told = threading.Lock(), count(1)

    def work(worker: Worker) -> None:
        group = None
        while (item := queue.take(group)) is not None:
            group, began = item.group, time.monotonic()
            answer = worker.run(item)
            took = time.monotonic() - began
            error = answer.get("error")
            queue.done(item, None if error else took)
            if error:
                failures.append(Failure(item, error))
            if not quiet and not worker.stopped:
                found = error or "{paper:.3f} / {converged:.3f}".format(**answer["score"])
                with telling:
                    place = f"[{next(told)}/{len(items)}]"
                    console.say(f"{place} {item}: {found}, {clock(took)}; {clock(queue.left(jobs))} left")

    with ThreadPoolExecutor(jobs) as pool:
        workers += [Worker(results, cache_dir, max(1, threads.available() // jobs)) for _ in range(jobs)]
        try:
            for future in [pool.submit(work, worker) for worker in workers]:
                future.result()
        finally:
            queue.stop()
            for worker in workers:
                worker.stop()
    return failures


class Worker:
    """A process that runs one item at a time, begun when it is needed and again when it has died."""

    def __init__(self, results: Path, cache_dir: Path, cores: int) -> None:
        self._command = [sys.executable, "-m", "mhmgnn.paper.worker", str(results), str(cache_dir)]
        self._environment = os.environ | dict.fromkeys(THREADS, str(cores))
        self._process: subprocess.Popen[str] | None = None
        self._starting = threading.Lock()
        self.stopped = False

    def run(self, item: Item) -> dict[str, Any]:
        """What the process answers to an item."""
        process = self._started()
        if process is None:
            return {"error": "it was stopped"}
        assert process.stdin is not None, "it was asked for"
        assert process.stdout is not None, "it was asked for"
        try:
            process.stdin.write(item.to_json() + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except (BrokenPipeError, ValueError):  # it has died, or was stopped and its pipes closed
            answer = ""
        if answer:
            return dict(json.loads(answer))
        return {"error": f"its process ended with code {process.wait()}; what it said last is above"}

    def stop(self) -> None:
        """End the process; an item under way is lost."""
        with self._starting:
            self.stopped = True
            if self._process is not None:
                self._process.kill()
                self._process.communicate()

    def _started(self) -> subprocess.Popen[str] | None:
        with self._starting:
            if self.stopped:
                return None
            if self._process is not None and self._process.poll() is not None:
                self._process.communicate()  # closes its pipes
                self._process = None
            if self._process is None:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=self._environment,
                )
            return self._process


def share(items: Sequence[Item], to_run: Sequence[Item], times: Times, crew: Crew) -> list[Item]:
    """Those of `to_run` that this process of a crew runs: whole data sets of a run, the longest given first.

    All processes go by what the leading one knows, as results may come while they start.
    """
    wanted = {id(item) for item in to_run}
    work = np.array([times.guess(item) if id(item) in wanted else 0.0 for item in items])
    work = crew.gather(work)[0]
    parts: dict[tuple[int, str], list[int]] = {}
    for number in np.flatnonzero(work).tolist():
        parts.setdefault((items[number].split, items[number].recipe.cell.dataset), []).append(number)
    load, mine = np.zeros(crew.world), list[int]()
    for part in sorted(parts.values(), key=lambda part: -work[part].sum()):
        least = int(load.argmin())
        load[least] += work[part].sum()
        mine += part if least == crew.rank else []
    return [items[number] for number in sorted(mine)]


def _settings(item: Item) -> dict[str, Any]:
    settings = asdict(item.config)
    settings["model"]["degree_features"] |= item.way.degrees
    return settings


def clock(seconds: float) -> str:
    """A time as a person says it."""
    hours, minutes = divmod(round(seconds / 60), 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
