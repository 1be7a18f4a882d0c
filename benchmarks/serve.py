"""Completions over HTTP on a million edges: 200 a second for a minute, ten times that, and 200 again.

    python benchmarks/serve.py [SECONDS] [EDGES]

The server is a process of its own on this machine, and shares its cores with the client, which asks at fixed
times whatever the answers: a time runs from the moment at which a request was due.
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
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
from record import Record

from mhmgnn import RunConfig, fit, generate

RATE = 200  # completions a second
SECONDS, EDGES = 60, 10**6
SETTINGS = ["train.steps=0", "model.dim=16"]  # vectors are not asked for; groups are learned as ever
LATE = 5.0  # seconds after which an answer counts as none


class Phase(NamedTuple):
    """Answers to requests that were due one after another."""

    status: np.ndarray  # (m,), 0 where there was none
    seconds: np.ndarray  # (m,) from the moment at which it was due


def prepare(folder: Path, edges: int) -> int:
    """Leave a run of so many edges, planted groups with stray pairs; its number of nodes."""
    nodes, stray = edges // 10, edges * 3 // 20
    graph = generate.planted_groups(nodes, nodes, stray=stray).graph
    fit(graph, 3, config=RunConfig().with_settings(SETTINGS), seed=0, run=folder)
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


def wait_for(port: int, server: subprocess.Popen[bytes], path: str) -> None:
    """Wait until the address answers well."""
    while server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}{path}"):
            return
        time.sleep(0.2)
    raise SystemExit("the server ended")


def measure(folder: Path, nodes: int, seconds: float, record: Record) -> None:
    """All phases, one after the other."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "mhmgnn", "serve", str(folder), "--port", str(port)]
    wire = requests(nodes, 2_000)
    with (folder / "log").open("wb") as log, subprocess.Popen(words, stderr=log) as server:
        try:
            wait_for(port, server, "/readyz")
            wait_for(port, server, "/v1/groups?top=1")  # the search would share the cores
            asyncio.run(ask(port, RATE, 3, wire, 32))
            process = psutil.Process(server.pid)
            for what, rate, lasts, lines in (
                ("steady", RATE, seconds, 64),
                ("ten times as much", 10 * RATE, seconds / 3, 400),
                ("steady again, at once", RATE, seconds / 6, 64),
            ):
                before = sum(process.cpu_times()[:2])
                phase = asyncio.run(ask(port, rate, lasts, wire, lines))
                busy = sum(process.cpu_times()[:2]) - before
                record.add(row(what, rate, phase, busy, process.memory_info().rss / 1e6))
                after = recovery(phase, rate)
            record.write(
                [
                    f"After the crowd nothing was refused from {after:.2f} s on.",
                    f"Load of the machine by others and by this, over a minute: {os.getloadavg()[0]:.1f}.",
                ]
            )
        finally:
            server.terminate()
            began = time.perf_counter()
            code = server.wait(30)
            print(f"ended with code {code} in {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    lasts, size = (*given, *(SECONDS, EDGES)[len(given) :])
    about = f"`POST /v1/complete` of one to three nodes, ten completions each, on {size:,} edges."
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch) / "run"
        measure(run, prepare(run, size), lasts, Record("serve", "Serving", about))
