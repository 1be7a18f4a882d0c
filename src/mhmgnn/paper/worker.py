"""A process that runs items, by `concurrent.futures`: one at a time, with a share of the cores.

The pool gives the queue, the answers and the errors. What it does not give stays here: a process can be ended
while it works, the code that one died with is told, and no process outlives a parent that was killed. This
file imports nothing heavy, as the number of threads must be set before the libraries that read it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mhmgnn.errors import MHMError

if TYPE_CHECKING:
    from mhmgnn.paper.item import Item
    from mhmgnn.paper.run import Bench

THREADS = (
    "MHMGNN_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


class Setup(NamedTuple):
    """What a process is told when it starts."""

    results: Path
    cache_dir: Path
    cores: int


class Worker:
    """A process for one item at a time, started when it is needed and again when it has died."""

    def __init__(self, setup: Setup) -> None:
        self.group: tuple[int, str, str] | None = None  # of its last item: what it holds in memory
        self._setup = setup
        self._pool: ProcessPoolExecutor | None = None
        self._process: BaseProcess | None = None

    def begin(self, work: Callable[..., Any], *given: object) -> Future[Any]:
        """Have the process do a piece of work."""
        if self._pool is None:
            spawn = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, spawn, initializer=_start, initargs=(self._setup,))
            others = set(multiprocessing.active_children())
            future = self._pool.submit(work, *given)  # which starts the process
            self._process = next(iter(set(multiprocessing.active_children()) - others), None)
            return future
        return self._pool.submit(work, *given)

    def answer(self, future: Future[Any]) -> tuple[Any, str | None]:
        """What came of the work, or why there is nothing; after a crash or a bug the process is a new one."""
        error = future.exception()
        if error is None:
            return future.result(), None
        if isinstance(error, MHMError):
            return None, str(error)
        process = self._process
        self.stop()
        if isinstance(error, BrokenProcessPool):
            code = "unknown" if process is None else process.exitcode
            return None, f"its process ended with code {code}; what it said last is above"
        traceback.print_exception(error)
        return None, f"it failed with {error!r}; where is told above"

    def stop(self) -> None:
        """End the process; an item under way is lost."""
        if self._process is not None:
            self._process.kill()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)  # waits until the process has ended
        self._pool = self._process = None


_bench: Bench | None = None  # what the items of this process share
_setup: Setup | None = None


def _start(setup: Setup) -> None:
    """Make this process ready, before it imports anything that counts cores."""
    global _setup
    _setup = setup
    os.environ.update(dict.fromkeys(THREADS, str(setup.cores)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells all its processes; ours answer to one
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no answer of the command
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "it was started by one"
    parent.join()
    os._exit(1)


def run_one(item: Item) -> dict[str, float]:
    """Measure an item and write its result; its score."""
    from mhmgnn.paper.run import Bench, run_item

    global _bench
    assert _setup is not None, "the process was started"
    _bench = _bench or Bench(_setup.cache_dir)
    return dict(run_item(item, _setup.results, _bench)["score"])
