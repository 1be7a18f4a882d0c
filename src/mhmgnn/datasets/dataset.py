"""What a loader hands on: a graph to learn from, and beside it the truth that the graph does not hold."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from mhmgnn.graph import Graph

Truth = TypeVar("Truth")


@dataclass(frozen=True, eq=False)
class Dataset(Generic[Truth]):
    """A named graph and its hidden truth.

    Training takes `graph` alone. `truth` is the value of the family: hyperedges, directions, classes.
    """

    name: str
    graph: Graph
    truth: Truth
