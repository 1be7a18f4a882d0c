"""Completions over HTTP on a million edges: 200 a second for a minute, ten times that, and 200 again.

    python benchmarks/serve.py [SECONDS] [EDGES]

The server, two workers, shares the cores of this machine with the client, which asks at fixed times whatever
the answers: a time runs from the moment at which a request was due. Then the server is killed (-9) while it
answers, and the files of the run are read again. Last, a small run is replaced twice a second for a minute,
while completions are asked for: none may fail.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
from record import Record

from mhmgnn import RunConfig, fit, generate, load
from mhmgnn.cli.doctor import inspect
from mhmgnn.models.run_folder import replace_run

RATE = 200  # completions a second
SECONDS, EDGES = 60, 10**6
SMALL, SLOWLY = 20_000, 50  # edges of the run that is replaced, and completions a second meanwhile
RELOADS = 2  # a second
SETTINGS = ["train.steps=0", "model.dim=16", "groups.worlds=6"]  # what completions take does not depend on it
LATE = 5.0  # seconds after which an answer counts as none


class Phase(NamedTuple):
    """Answers to requests that were due one after another."""

    status: np.ndarray  # (m,), 0 where there was none
    seconds: np.ndarray  # (m,) from the moment at which it was due


def prepare(folder: Path, edges: int, seed: int = 0) -> int:
    """Leave a run of so many edges, planted groups with stray pairs; its number of nodes."""
    nodes, stray = edges // 10, edges * 3 // 20
    graph = generate.planted_groups(nodes, nodes, stray=stray).graph
    fit(graph, 3, config=RunConfig().with_settings(SETTINGS), seed=seed, run=folder)
    print(graph, flush=True)
    return graph.num_nodes


def requests(nodes: int, count: int) -> list[bytes]:
    """Completions of one to three nodes each, as they go over the wire."""
    rng = np.random.default_rng(0)
    found = []
    for size in rng.integers(1, 4, size=count).tolist():
        body = json.dumps({"nodes": rng.choice(nodes, size, replace=False).tolist(), "top": 10}).encode()
        head = "POST /v1/complete HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        found.append(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return found


async def ask(port: int, rate: int, seconds: float, wire: list[bytes], lines: int) -> Phase:
    """Ask `rate` times a second over so many connections that are kept open."""
    count = int(rate * seconds)
    status, took = np.zeros(count, np.int64), np.full(count, LATE)
    began, due = time.perf_counter() + 0.2, iter(range(count))

    async def line() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in due:
            at = began + number / rate
            await asyncio.sleep(at - time.perf_counter())
            with suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                async with asyncio.timeout(LATE):
                    writer.write(wire[number % len(wire)])
                    head = (await reader.readuntil(b"\r\n\r\n")).lower()
                    length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
                    await reader.readexactly(length)
                    status[number] = int(head.split(b" ")[1])
                    took[number] = time.perf_counter() - at
                    continue
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()

    await asyncio.gather(*(line() for _ in range(lines)))
    return Phase(status, took)


def row(what: str, rate: int, phase: Phase, busy: float, megabytes: float) -> dict[str, object]:
    """A row of the table."""
    answered, refused = phase.status == 200, phase.status == 429
    times = phase.seconds[answered] * 1e3
    return {
        "what": what,
        "asked a second": rate,
        "answered": int(answered.sum()),
        "refused (429)": int(refused.sum()),
        "failed": int((~answered & ~refused).sum()),
        "median ms": float(np.median(times)) if times.size else float("nan"),
        "99th percentile ms": float(np.percentile(times, 99)) if times.size else float("nan"),
        "processor ms a request": busy / phase.status.size * 1e3,
        "server MB": round(megabytes),
    }


def recovery(phase: Phase, rate: int) -> float:
    """Seconds after which nothing was refused or failed any more."""
    bad = np.flatnonzero(phase.status != 200)
    return (int(bad[-1]) + 1) / rate if bad.size else 0.0


class Served:
    """A server process with its workers."""

    def __init__(self, server: subprocess.Popen[bytes], port: int) -> None:
        self.server, self.port = server, port

    @property
    def _all(self) -> list[psutil.Process]:
        main = psutil.Process(self.server.pid)
        return [main, *main.children(recursive=True)]

    @property
    def busy(self) -> float:
        """Seconds of the processors so far."""
        return sum(sum(process.cpu_times()[:2]) for process in self._all)

    @property
    def megabytes(self) -> float:
        """What the processes have for themselves; files that they map are shared."""
        return sum(process.memory_full_info().uss for process in self._all) / 1e6

    def measure(self, what: str, rate: int, lasts: float, wire: list[bytes], lines: int = 64) -> Phase:
        """Ask for a while, and print a row."""
        before = self.busy
        phase = asyncio.run(ask(self.port, rate, lasts, wire, lines))
        RECORD.add(row(what, rate, phase, self.busy - before, self.megabytes))
        return phase

    def kill(self) -> None:
        """End all processes as a power cut would."""
        for process in self._all:
            process.kill()


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """Two workers over the run, once they are ready."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "mhmgnn", "serve", str(folder), "--port", str(port)]
    log = folder.with_name(f"{folder.name}.log")
    options = ["--workers", "2", "--no-groups"]  # a search for groups would share the cores
    with log.open("wb") as out, subprocess.Popen([*words, *options], stderr=out) as server:
        try:
            while b": ready" not in log.read_bytes():
                if server.poll() is not None:
                    raise SystemExit(f"the server ended: {log.read_text()}")
                time.sleep(0.2)
            yield Served(server, port)
        finally:
            server.terminate()
            began = time.perf_counter()
            code = server.wait(30)
            print(f"ended with code {code} in {time.perf_counter() - began:.1f} s")


def load_phases(folder: Path, nodes: int, seconds: float) -> list[str]:
    """A steady load, ten times that, the same again, and a kill."""
    wire = requests(nodes, 2_000)
    with serving(folder) as served:
        asyncio.run(ask(served.port, RATE, 3, wire, 64))
        served.measure("steady", RATE, seconds, wire)
        served.measure("ten times as much", 10 * RATE, seconds / 3, wire, 400)
        after = recovery(served.measure("steady again, at once", RATE, seconds / 6, wire), RATE)

        async def cut() -> None:
            asking = asyncio.create_task(ask(served.port, RATE, 2, wire, 64))
            await asyncio.sleep(1)
            served.kill()
            await asking

        with suppress(OSError):
            asyncio.run(cut())
    whole = all(part.whole for part in inspect(folder))
    assert whole, "a kill left a file that is not whole"
    return [
        f"After the crowd nothing was refused from {after:.2f} s on.",
        "Killed (-9) while it answered: every file of the run is whole.",
    ]


def reload_phase(folder: Path, seconds: float) -> str:
    """Replace a small run twice a second while completions are asked for."""
    nodes = prepare(folder / "one", SMALL)
    prepare(folder / "other", SMALL, seed=1)
    prepare(folder / "run", SMALL)
    models = [load(folder / "one"), load(folder / "other")]
    taken = 0

    async def replace(port: int) -> None:
        nonlocal taken
        began, count = time.perf_counter(), int(RELOADS * seconds)
        for number in range(1, count + 1):
            await asyncio.to_thread(replace_run, folder / "run", models[number % 2])
            asked = urllib.request.Request(f"http://127.0.0.1:{port}/v1/reload", method="POST")
            with await asyncio.to_thread(urllib.request.urlopen, asked) as answer:
                taken += json.load(answer)["changed"]
            await asyncio.sleep(began + number / RELOADS - time.perf_counter())

    async def both(port: int, wire: list[bytes]) -> Phase:
        return (await asyncio.gather(ask(port, SLOWLY, seconds, wire, 16), replace(port)))[0]

    with serving(folder / "run") as served:
        before = served.busy
        phase = asyncio.run(both(served.port, requests(nodes, 500)))
        what = f"{RELOADS} reloads a second, {SMALL:,} edges"
        RECORD.add(row(what, SLOWLY, phase, served.busy - before, served.megabytes))
    return f"{taken} new runs were taken up in {seconds:g} s."


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    lasts, size = (*given, *(SECONDS, EDGES)[len(given) :])
    RECORD = Record(
        "serve",
        "Serving",
        f"`POST /v1/complete` of one to three nodes, ten completions each, on {size:,} edges; two workers.",
    )
    with tempfile.TemporaryDirectory() as scratch:
        large = Path(scratch) / "large"
        notes = load_phases(large, prepare(large, size), lasts)
        notes.append(reload_phase(Path(scratch), lasts))
    RECORD.write([*notes, f"Load of the machine by others and by this: {os.getloadavg()[0]:.1f}."])
