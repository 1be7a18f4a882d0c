"""A service over a run of a tiny shop, in this process."""

import io
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
import uvicorn

from mhmgnn import RunConfig, fit, load
from mhmgnn.datasets.market import generate
from mhmgnn.service.app import Service
from mhmgnn.service.log import Log

CONFIG = RunConfig().with_settings(
    ["model.dim=8", "subgraphs.size=20", "train.steps=2", "train.batch=2", "groups.worlds=4"]
)


def train(folder: Path, *, seed: int = 5) -> Path:
    fit(generate(products=80, seed=1).graph, 3, config=CONFIG, seed=seed, run=folder)
    return folder


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Path:
    return train(tmp_path_factory.mktemp("runs") / "shop")


@pytest.fixture(scope="session")
def model(run):
    return load(run)


class Told(Log):
    """A log that can be read again."""

    def __init__(self, *, contents: bool = False) -> None:
        self.text = io.StringIO()
        super().__init__(self.text, contents=contents)

    @property
    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.text.getvalue().splitlines()]


@pytest.fixture(scope="session")
def service(run):
    service = Service(run, log=Told())
    service.holder.reload()
    service.start(watch=False)
    yield service
    service.stop(wait=60)


def client_of(service: Service, **headers: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=service.app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)


@pytest.fixture(scope="session")
def with_groups(service):
    """The service once the groups are found."""
    deadline = time.monotonic() + 300
    while service.holder.current.groups is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return service


@pytest.fixture(scope="session")
def address(with_groups):
    """Where the service answers over a socket."""
    server = uvicorn.Server(uvicorn.Config(with_groups.app, port=0, lifespan="off", log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


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
        deadline = time.monotonic() + 300
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
