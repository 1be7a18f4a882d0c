"""What a loader hands on: a graph to learn from, and beside it the truth that the graph does not hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from mhmgnn.graph import Graph

Truth = TypeVar("Truth")


@dataclass(frozen=True, eq=False)
class Dataset(Generic[Truth]):
    """A named graph and its hidden truth.

    Training takes `graph` alone. `truth` is the value of the family: hyperedges or citations. Neither the
    order of the nodes nor their names tell of it.
    """

    name: str
    graph: Graph
    truth: Truth
    later: Dataset[Truth] | None = None  # the next year of the same shop, on which a probe is tested


@dataclass(frozen=True, eq=False)
class GraphDataset:
    """A named collection of graphs; training takes `graphs` alone."""

    name: str
    graphs: tuple[Graph, ...]
    labels: np.ndarray  # (graphs,) int64: the class of each, hidden from training


AnyDataset = Dataset[Any] | GraphDataset


@runtime_checkable
class Counted(Protocol):
    """A truth that tells what it holds."""

    def counts(self) -> dict[str, int]:
        """What is counted, and the count, as `mhmgnn data info` prints them."""
