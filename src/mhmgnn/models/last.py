"""What is made from a graph once, and kept while the same graph is asked about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from mhmgnn.graph import Graph

Made = TypeVar("Made")


class LastMade(Generic[Made]):
    """`make(graph)`, made anew only when another graph comes than the last time."""

    def __init__(self, make: Callable[[Graph], Made]) -> None:
        self._make = make
        self._last: tuple[Graph, Made] | None = None

    def __getstate__(self) -> dict[str, object]:
        return {"_make": self._make, "_last": None}  # what was made is made again

    def __call__(self, graph: Graph) -> Made:
        """What was made from the graph."""
        last = self._last
        if last is None or last[0] is not graph:
            last = self._last = graph, self._make(graph)
        return last[1]
