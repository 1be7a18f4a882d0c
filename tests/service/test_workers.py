"""Several processes on one port."""

import os
import re
import signal
import time

import httpx
import psutil
from service.conftest import Running

from mhmgnn import load
from mhmgnn.models.run_folder import replace_run


def answering(server: Running) -> dict[str, float]:
    """How many workers answer with each version, by the metrics of any of them."""
    text = httpx.get(f"{server.address}/metrics", timeout=30).text
    found = re.findall(r'^mhmgnn_model_info\{version="(\w+)"\} ([\d.]+)$', text, re.MULTILINE)
    return {version: float(count) for version, count in found if float(count)}


def wait_until(server: Running, expected: dict[str, float]) -> None:
    deadline = time.monotonic() + 120
    while answering(server) != expected:
        assert time.monotonic() < deadline, f"{answering(server)}: {server.lines}"
        time.sleep(0.1)


def test_workers_are_replaced_reload_together_and_end_in_time(started, own_run, other_run):
    server = started(own_run, "--workers", "2").wait_until_ready()
    old = httpx.get(f"{server.address}/v1/model").json()["model"]["version"]
    wait_until(server, {old: 2})
    workers = [child for child in psutil.Process(server.process.pid).children() if maps(child, own_run)]
    assert len(workers) == 2

    replace_run(own_run, load(other_run))
    answer = httpx.post(f"{server.address}/v1/reload", timeout=60).json()
    assert answer["changed"]
    wait_until(server, {answer["version"]: 2})

    os.kill(workers[0].pid, signal.SIGKILL)
    for _ in range(5):  # the other one goes on
        assert httpx.post(f"{server.address}/v1/complete", json={"nodes": [1]}, timeout=60).status_code == 200
    wait_until(server, {answer["version"]: 2})

    text = httpx.get(f"{server.address}/metrics").text
    assert 'mhmgnn_requests_total{path="/v1/complete",status="200"} 5.0' in text
    code, seconds = server.end()
    assert code == 0
    assert seconds < 10
    assert not any(child.is_running() for child in workers)


def maps(process: psutil.Process, run: os.PathLike[str]) -> bool:
    """Whether the process has the graph of the run mapped into memory."""
    name = os.path.join(run, "graph", "indices.npy")
    return any(mapped.path == name for mapped in process.memory_maps())
