"""Counters for Prometheus, of one process or added up over the workers of a service."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds
SHARED = "PROMETHEUS_MULTIPROC_DIR"  # a folder in which workers keep their counters, as the client has it


class Metrics:
    """The metrics of one service."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self.requests = Counter(
            "mhmgnn_requests", "Requests answered.", ["path", "status"], registry=registry
        )
        self.seconds = Histogram(
            "mhmgnn_request_seconds", "Time to the answer.", ["path"], buckets=BUCKETS, registry=registry
        )
        self.at_once = Gauge(
            "mhmgnn_requests_at_once",
            "Requests that run or wait.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.sets = Counter("mhmgnn_sets_scored", "Sets scored or embedded.", registry=registry)
        self.turns = Counter("mhmgnn_turns", "Turns that small requests shared.", registry=registry)
        self.reloads = Counter("mhmgnn_reloads", "Runs taken up or refused.", ["result"], registry=registry)
        self._model = Gauge(
            "mhmgnn_model_info",
            "Processes that answer with this version.",
            ["version"],
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._version: str | None = None

    def answers_with(self, version: str) -> None:
        """Tell which model answers now."""
        if self._version is not None:
            self._model.labels(self._version).set(0)
        self._version = version
        self._model.labels(version).set(1)

    def page(self) -> bytes:
        """All of it in the text format of Prometheus."""
        folder = os.environ.get(SHARED)
        if folder is None:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together, path=folder)  # type: ignore[no-untyped-call]
        return generate_latest(together)
