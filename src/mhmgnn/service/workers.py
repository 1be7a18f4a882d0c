"""Several processes that answer on one port, and one that looks after them.

Workers share the listening socket, the graph and the groups by memory map, and the counters. A worker takes
connections once its model is warm. One that dies is replaced; signals reach all.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from prometheus_client.multiprocess import mark_process_dead

from mhmgnn.errors import DataError, MHMError
from mhmgnn.runtime import console
from mhmgnn.service.metrics import SHARED
from mhmgnn.service.server import Settings, address_of, new_service, run_until_told

SECONDS_TO_END = 9.0  # after SIGTERM; then workers are killed
PAUSE = 1.0  # seconds between two starts in the place of one worker
SPAWN = multiprocessing.get_context("spawn")  # torch and numba have threads, which a fork would lose


def supervise(settings: Settings, listening: socket.socket, count: int) -> None:
    """Keep so many workers alive until SIGTERM or SIGINT; SIGHUP has all of them look at the run."""
    shared = Path(tempfile.mkdtemp(prefix="mhmgnn-serve-"))
    (shared / "metrics").mkdir()
    os.environ[SHARED] = str(shared / "metrics")  # workers start with it
    try:
        Supervisor(settings, listening, count, shared).run()
    finally:
        del os.environ[SHARED]
        shutil.rmtree(shared, ignore_errors=True)


class Worker:
    """One process, as the supervisor sees it."""

    def __init__(self, settings: Settings, listening: socket.socket, shared: Path) -> None:
        self.news, tell = SPAWN.Pipe(duplex=False)
        self.process = SPAWN.Process(target=work, args=(settings, listening, shared, tell))
        self.process.start()
        tell.close()
        self.since = time.monotonic()
        self.ready = False


class Supervisor:
    """Starts workers, hears of them, and replaces those that die."""

    def __init__(self, settings: Settings, listening: socket.socket, count: int, shared: Path) -> None:
        self._made_of = settings, listening, shared
        self._listening, self._count = listening, count
        self._workers: list[Worker] = []
        self._deadline: float | None = None  # once it ends
        self._warm = False  # whether a worker was ever ready
        self._told = False  # that all are ready
        self._failure: str | None = None
        self._starts: list[float] = [0.0] * count  # when those that are missing may start

    def run(self) -> None:
        """Go on until a signal ends it, or the run cannot be opened at the first start."""
        signals = {signal.SIGTERM: self._end, signal.SIGINT: self._end, signal.SIGHUP: self._pass_on}
        before = {sign: signal.signal(sign, handler) for sign, handler in signals.items()}
        try:
            while self._workers or self._deadline is None:
                self._start_missing()
                heard: list[Any] = [*(worker.process.sentinel for worker in self._workers), *self._news()]
                wait(heard, timeout=0.2)
                self._listen()
                self._bury()
                if self._deadline is not None and time.monotonic() > self._deadline:
                    self._signal(signal.SIGKILL)
        finally:
            self._signal(signal.SIGKILL)
            for sign, handler in before.items():
                signal.signal(sign, handler)
        if self._failure is not None:
            raise DataError(self._failure)

    def _start_missing(self) -> None:
        """Start what is missing: one worker alone until it is warm, for it may have to compile kernels."""
        now = time.monotonic()
        while self._deadline is None and self._starts and self._starts[0] <= now:
            if self._workers and not self._warm:
                return
            self._starts.pop(0)
            self._workers.append(Worker(*self._made_of))

    def _news(self) -> list[Connection]:
        return [worker.news for worker in self._workers if not worker.news.closed]

    def _listen(self) -> None:
        """Take what workers tell: that they are ready, or why they cannot be."""
        for worker in self._workers:
            if worker.news.closed or not worker.news.poll():
                continue
            try:
                problem: str | None = worker.news.recv()
            except EOFError:
                worker.news.close()
                continue
            worker.news.close()
            worker.ready = problem is None
            self._warm |= worker.ready
            if problem is not None and not self._warm:
                self._failure = problem
                self._end()
        if not self._told and sum(worker.ready for worker in self._workers) == self._count:
            self._told = True
            console.say(
                f"{address_of(self._listening)}: ready, {self._count} workers; /docs says what may be asked"
            )

    def _bury(self) -> None:
        for worker in [worker for worker in self._workers if not worker.process.is_alive()]:
            self._workers.remove(worker)
            worker.process.join()
            worker.news.close()
            mark_process_dead(worker.process.pid)  # type: ignore[no-untyped-call]
            if self._deadline is None:
                console.say(
                    f"worker {worker.process.pid} ended ({worker.process.exitcode}); another one starts"
                )
                self._starts.append(max(worker.since + PAUSE, time.monotonic()))

    def _end(self, *_: Any) -> None:
        if self._deadline is None:
            self._deadline = time.monotonic() + SECONDS_TO_END
            self._signal(signal.SIGTERM)

    def _pass_on(self, *_: Any) -> None:
        self._signal(signal.SIGHUP)

    def _signal(self, sign: signal.Signals) -> None:
        for worker in self._workers:
            pid = worker.process.pid
            if pid is not None and worker.process.is_alive():
                os.kill(pid, sign)


def work(settings: Settings, listening: socket.socket, shared: Path, tell: Connection) -> None:
    """What a worker does: open the run, tell that it is ready, and answer until it is told to end."""
    for sign in (signal.SIGHUP, signal.SIGINT):  # until the server hears them
        signal.signal(sign, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    service = new_service(settings, shared)
    try:
        service.holder.reload()
    except MHMError as error:
        tell.send(str(error))
        return
    service.start()
    service.holder.tell_others = lambda: os.kill(os.getppid(), signal.SIGHUP)
    tell.send(None)
    tell.close()
    run_until_told(service, listening, accept=1)  # one at a time: workers share them evenly


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "workers are started by a supervisor"
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
