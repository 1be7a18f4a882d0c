"""The service as its own process, on a free port."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from service.conftest import train

from mhmgnn import load
from mhmgnn.cli.commands import serve as command
from mhmgnn.cli.main import main
from mhmgnn.subgraphs.cliques import list_cliques


class Running:
    """A server process, and what it wrote."""

    def __init__(self, run: Path, *options: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        words = [sys.executable, "-m", "mhmgnn", "serve", str(run), "--port", str(self.port), *options]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        self._reader = threading.Thread(
            target=lambda: self.lines.extend(self.process.stderr or ()), daemon=True
        )
        self._reader.start()

    def wait_until_ready(self) -> "Running":
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if httpx.get(f"{self.address}/readyz").status_code == 200:
                    return self
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"it did not become ready: {self.lines}")

    def end(self, sign: int = signal.SIGTERM) -> tuple[int, float]:
        """The exit code and the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(sign)
        code = self.process.wait(60)
        self._reader.join()
        return code, time.monotonic() - began


@pytest.fixture
def started():
    """Starts servers, and ends what is left of them."""
    servers: list[Running] = []

    def start(run: Path, *options: str) -> Running:
        servers.append(Running(run, *options))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
        server._reader.join()
        server.process.stderr.close()


@pytest.fixture
def own_run(run, tmp_path) -> Path:
    shutil.copytree(run, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture(scope="session")
def other_run(tmp_path_factory) -> Path:
    return train(tmp_path_factory.mktemp("runs") / "other", seed=6)


def version_at(server: Running) -> str:
    return httpx.get(f"{server.address}/v1/model").json()["model"]["version"]


def test_sigterm_answers_what_runs_and_ends_in_time(started, run):
    server = started(run).wait_until_ready()
    found: list[int] = []
    stop = threading.Event()

    def go_on() -> None:
        with httpx.Client() as client:
            while not stop.is_set():
                try:
                    found.append(
                        client.post(f"{server.address}/v1/complete", json={"nodes": [1]}).status_code
                    )
                except httpx.TransportError:
                    return

    threads = [threading.Thread(target=go_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    while len(found) < 20:
        time.sleep(0.01)
    code, seconds = server.end()
    stop.set()
    for thread in threads:
        thread.join()
    assert code == 0
    assert seconds < 10
    assert set(found) == {200}
    requests = [json.loads(line) for line in server.lines if '"request"' in line]
    assert sum(line["path"] == "/v1/complete" for line in requests) >= len(found)


def test_a_new_run_is_taken_up_by_a_signal_and_a_broken_one_is_not(started, own_run, other_run):
    server = started(own_run).wait_until_ready()
    first = version_at(server)
    load(other_run).save(own_run)
    server.process.send_signal(signal.SIGHUP)
    deadline = time.monotonic() + 30
    while version_at(server) == first and time.monotonic() < deadline:
        time.sleep(0.05)
    second = version_at(server)
    assert second != first
    (own_run / "model" / "weights.safetensors").write_bytes(b"broken")
    (own_run / "model" / "provenance.json").touch()
    answer = httpx.post(f"{server.address}/v1/reload")
    assert answer.status_code == 422
    assert "damaged" in answer.json()["error"]
    assert version_at(server) == second
    assert httpx.post(f"{server.address}/v1/complete", json={"nodes": [1]}).json()["version"] == second


def test_a_new_run_is_found_by_watching(started, own_run, other_run):
    server = started(own_run).wait_until_ready()
    first = version_at(server)
    load(other_run).save(own_run)
    deadline = time.monotonic() + 30
    while version_at(server) == first and time.monotonic() < deadline:
        time.sleep(0.1)
    assert version_at(server) != first


def test_reloads_under_load_lose_no_request_and_answers_are_of_one_model(started, own_run, run, other_run):
    models = [load(run), load(other_run)]
    kset = list_cliques(models[0].graph, 3)[0].tolist()
    expected = {tuple(model.energy([kset]).tolist()) for model in models}
    server = started(own_run).wait_until_ready()
    found: list[tuple[int, tuple[float, ...]]] = []
    stop = threading.Event()

    def go_on() -> None:
        with httpx.Client() as client:
            while not stop.is_set():
                answer = client.post(f"{server.address}/v1/energy", json={"sets": [kset]})
                found.append((answer.status_code, tuple(answer.json()["energies"])))

    threads = [threading.Thread(target=go_on) for _ in range(2)]
    for thread in threads:
        thread.start()
    versions = set()
    for turn in range(6):
        models[(turn + 1) % 2].save(own_run)
        answer = httpx.post(f"{server.address}/v1/reload", timeout=30)
        assert answer.status_code == 200
        versions.add(answer.json()["version"])
    stop.set()
    for thread in threads:
        thread.join()
    assert len(versions) == 2
    assert {status for status, _ in found} == {200}
    assert {energies for _, energies in found} <= expected


def test_a_run_that_cannot_be_opened_ends_the_command_with_one_line(started, tmp_path):
    server = started(tmp_path / "nothing")
    assert server.process.wait(60) == 2
    server._reader.join()
    assert [line for line in server.lines if "error: " in line] == [server.lines[-1]]


def test_without_the_extra_the_command_says_what_to_install(monkeypatch, capsys, run):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["mhmgnn", "serve", str(run)])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "pip install fastapi uvicorn httptools prometheus-client" in capsys.readouterr().err
