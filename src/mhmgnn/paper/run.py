"""One item -> its result: what items share is made once, the rest is measured and written whole."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mhmgnn import datasets
from mhmgnn.baselines.context import WithContext
from mhmgnn.config import RunConfig
from mhmgnn.evaluation.probes.linear import probe
from mhmgnn.evaluation.probes.score import Score
from mhmgnn.evaluation.tasks.graphs import GraphTask, Pooled
from mhmgnn.evaluation.tasks.kind import TASKS
from mhmgnn.evaluation.tasks.task import SideInfo, Task
from mhmgnn.models.model import Model
from mhmgnn.paper.files import add_result
from mhmgnn.paper.item import MOST, Item
from mhmgnn.paper.methods import Way, fit_graphs, fit_ksets
from mhmgnn.paper.recipe import Cell
from mhmgnn.runtime import memory

PACKAGES = (
    "mhmgnn",
    "torch",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "torch_geometric",
    "gensim",
    "netlsd",
)
SHUFFLES = 20  # of the labels, averaged


class Fitted(NamedTuple):
    """A fitted row, and what it took."""

    method: Any  # what `Task.score` takes, or ways to pool for `GraphTask.best`
    settings: dict[str, Any]  # asked for
    facts: dict[str, Any]  # of the training of a model
    seconds: float


class Bench:
    """What items have in common, kept while they come one after another: data, tasks, fitted methods."""

    def __init__(self, cache_dir: Path | None = None, load: Callable[[str], Any] = datasets.load) -> None:
        self.cache_dir = cache_dir  # for vectors of nodes, which serve every k
        self.dataset = lru_cache(2)(load)
        self.task = lru_cache(16)(self._task)
        self.fitted = lru_cache(4)(self._fitted)

    def _task(self, cell: Cell, split: int, most: int) -> Task | GraphTask:
        size = cell.k if isinstance(cell.k, int) else None
        return TASKS.find(cell.task).make(self.dataset(cell.dataset), size, most=most, seed=split)

    def _fitted(
        self, dataset: str, seen: tuple[str, int] | None, way: Way, config: RunConfig, seed: int, quick: bool
    ) -> Fitted:
        """A row for k-sets of a data set, or for its graphs, where a task and a split say which are seen."""
        began = time.perf_counter()
        if seen is None:
            graph = self.dataset(dataset).graph
            method, asked = fit_ksets(way, graph, config, seed=seed, cache_dir=self.cache_dir, quick=quick)
            return Fitted(method, asked, _facts(method), time.perf_counter() - began)
        task = self.task(Cell(seen[0], dataset, None), seen[1], 0)
        assert isinstance(task, GraphTask), "whole graphs are split"
        pooled, asked, model = fit_graphs(way, task.unlabelled, config, seed=seed)
        return Fitted(pooled, asked, _facts(model), time.perf_counter() - began)


def run_item(item: Item, results: Path, bench: Bench) -> dict[str, Any]:
    """Measure an item and add its result to the file of its cell; the result."""
    result = _measure(item, bench)
    add_result(item.path(results), result)
    return result


def _measure(item: Item, bench: Bench) -> dict[str, Any]:
    cell, began = item.recipe.cell, time.perf_counter()
    _forget_peak()
    asked = Cell(cell.task, cell.dataset, None) if cell.whole_graphs else cell  # graphs are split for all k
    task = bench.task(asked, item.split, 0 if cell.whole_graphs else MOST[item.quick or item.shuffled])
    drawn = time.perf_counter()
    seen = (cell.task, item.split) if cell.whole_graphs else None
    fits = bench.fitted.cache_info().misses
    fitted = bench.fitted(cell.dataset, seen, item.way.fitted, item.config, item.seed, item.quick)
    method: Any = {pool: fitted.method[pool] for pool in item.way.pools} or fitted.method
    method = WithContext(method) if item.way.context else method
    shared = bench.fitted.cache_info().misses == fits
    scored = time.perf_counter()
    shuffles: list[Score] = []
    if item.shuffled:
        shuffles, pooling = _shuffled(task, method, item.seed)
        score = Score.over(shuffles)
    else:
        score, pooling = _score(task, method)
    ended = time.perf_counter()
    return {
        "task": cell.task,
        "dataset": cell.dataset,
        "k": cell.k,
        "method": item.method,
        "seed": item.seed,
        "split_seed": item.split,
        "shuffled": item.shuffled,
        "quick": item.quick,
        "score": {"paper": score.paper, "converged": score.converged},
        "shuffles": [{"paper": one.paper, "converged": one.converged} for one in shuffles],
        "confusion": {
            "classes": list(score.confusion.classes),
            "paper": score.confusion.paper.tolist(),
            "converged": score.confusion.converged.tolist(),
        },
        "pooling": pooling,
        "config": fitted.settings,
        "fit": fitted.facts,
        "counts": _counts(task),
        "seconds": {
            "task": drawn - began,
            "fit": fitted.seconds,
            "fit_shared": shared,  # with an item before it
            "score": ended - scored,
            "all": ended - began,
        },
        "peak_bytes": memory.peak(),
        "versions": versions(),
        **commit(),
    }


def _score(task: Task | GraphTask, method: Any) -> tuple[Score, str | None]:
    """The score, and the pooling that whole graphs were given."""
    if isinstance(task, Task):
        return task.score(method), None
    ways: Mapping[str, Pooled] = method
    if len(ways) > 1:
        best = task.best(ways)
        return best.score, best.pooling
    name = next(iter(ways))
    return task.score(ways[name]), name


def _shuffled(task: Task | GraphTask, method: Any, seed: int) -> tuple[list[Score], str | None]:
    """A score for each of SHUFFLES shuffles of the labels that train the probe; the first pooling serves.

    One shuffle tells nothing: where one direction carries most of the vectors, a probe of shuffled labels
    takes it with a random sign, and scores far above and far below chance are equally likely.
    """
    pooling: str | None = None
    settings: dict[str, Any] = {"standardise": True}  # as `GraphTask.score` does
    if isinstance(task, Task):
        x = [method.embed(side.ksets, graph=side.graph) for side in (task.train, task.test)]
        settings = {"regions": task.train.regions}
    else:
        pooling, embed = next(iter(method.items()))
        x = [embed(side.graphs) for side in (task.train, task.test)]
    rng = np.random.default_rng(seed)
    scores = [
        probe(x[0], rng.permutation(task.train.labels), x[1], task.test.labels, **settings)
        for _ in range(SHUFFLES)
    ]
    return scores, pooling


def _facts(method: object) -> dict[str, Any]:
    """How the training of a model went."""
    if not isinstance(method, Model):
        return {}
    sets = method.config.sets
    chosen = {"tours": sets.tours, "supernode": sets.supernode}
    return {key: method.facts[key] for key in ("steps", "loss", "settled")} | chosen


def _counts(task: Task | GraphTask) -> dict[str, Any]:
    """How many k-sets or graphs there are on each side, by label."""
    if isinstance(task, Task):
        info = task.describe()
        return {"train": _side(info.train), "test": _side(info.test)}
    sides = {name: _by_label(side.labels) for name, side in (("train", task.train), ("test", task.test))}
    return {"unlabelled": len(task.unlabelled)} | {name: {"kept": kept} for name, kept in sides.items()}


def _side(side: SideInfo) -> dict[str, Any]:
    return {
        "candidates": side.candidates,
        "exact": side.exact,
        "by_label": {str(label): count for label, count in side.by_label.items()},
        "counted": side.counted,
        "kept": {str(label): count for label, count in side.kept.items()},
        "without_label": side.without_label,
    }


def _by_label(labels: np.ndarray) -> dict[str, int]:
    names, counts = np.unique(labels, return_counts=True)
    return {str(name): count for name, count in zip(names.tolist(), counts.tolist(), strict=True)}


def _forget_peak() -> None:
    """Let the peak of memory start anew, where the system can (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


@cache
def versions() -> dict[str, str]:
    """Of Python and of the packages that a score depends on; those that are not installed are left out."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


@cache
def commit() -> dict[str, Any]:
    """The commit of this code and whether the code differs from it; None where it is in no repository."""
    package = Path(datasets.__file__).parents[1]

    def git(*words: str) -> str:
        asked = ["git", "-C", str(package), *words]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "__init__.py")
        return {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain", "--", "."))}
    except (OSError, subprocess.CalledProcessError):
        return {"commit": None, "dirty": None}
