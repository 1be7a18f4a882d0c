"""A service over a run of a tiny shop, in this process."""

import io
import json
import time
from pathlib import Path

import httpx
import pytest

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
    deadline = time.monotonic() + 120
    while service.holder.current.groups is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return service
