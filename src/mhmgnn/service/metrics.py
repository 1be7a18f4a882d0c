"""Metrics for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, generate_latest

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds


class Metrics:
    """The metrics of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "mhmgnn_requests", "Requests answered.", ["path", "status"], registry=self._registry
        )
        self.seconds = Histogram(
            "mhmgnn_request_seconds",
            "Time to the answer.",
            ["path"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self.at_once = Gauge("mhmgnn_requests_at_once", "Requests that run or wait.", registry=self._registry)
        self.sets = Counter("mhmgnn_sets_scored", "Sets scored or embedded.", registry=self._registry)
        self.turns = Gauge("mhmgnn_turns", "Turns that small requests shared.", registry=self._registry)
        self.reloads = Counter(
            "mhmgnn_reloads", "Runs taken up or refused.", ["result"], registry=self._registry
        )
        self.model = Info("mhmgnn_model", "The model that answers.", registry=self._registry)

    def page(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        return generate_latest(self._registry)
