"""What a baseline declares of itself, and how baselines are found by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from scipy import sparse

from mhmgnn.config import RunConfig
from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks.graphs import Pooled
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features
from mhmgnn.registry import REGISTERED, Registry

Settings = TypeVar("Settings")
Arrays = Mapping[str, np.ndarray]
DECLARED = ("name", "title", "about", "settings")


@runtime_checkable
class Nodes(Protocol):
    """A fitted method with a vector for each node."""

    def nodes(self, graph: Graph) -> Features:
        """(n, d)."""

    def state(self) -> dict[str, np.ndarray]:
        """What it learned."""


@runtime_checkable
class KSets(Protocol):
    """A fitted method with a row for each k-set."""

    def ksets(self, graph: Graph, ksets: np.ndarray) -> np.ndarray:
        """(m, k) to (m, d)."""

    def state(self) -> dict[str, np.ndarray]:
        """What it learned."""


@dataclass(frozen=True, eq=False)
class Formula:
    """Rows of k-sets that need no learning."""

    rows: Callable[[Graph, np.ndarray], np.ndarray]

    def ksets(self, graph: Graph, ksets: np.ndarray) -> np.ndarray:
        """(m, k) to (m, d)."""
        return self.rows(graph, ksets)

    def state(self) -> dict[str, np.ndarray]:
        """Nothing was learned."""
        return {}


class Method(ABC, Generic[Settings]):
    """A baseline: what lists, tables and saved files need to know of it stands here, and nowhere else.

    It has `fit_ksets` and `restore` if it gives rows for k-sets, and `fit_graphs` if it gives rows for whole
    graphs. Graphs come to them with the features that they are to read.
    """

    name: str  # as `fit_baseline` takes it
    title: str  # the name of its row in tables
    about: str  # what it is, in a few words
    settings: Settings  # the defaults, a frozen dataclass; None where there is nothing to set
    inductive: bool = True  # whether it can be put on a graph that it was not trained on
    normalise: bool = False  # whether features of a single graph are divided by the sum of their row first
    seeded: bool = True  # whether the seed matters
    per_k: bool = False  # whether what it learns, or its row for a whole graph, depends on k
    in_paper: bool = False  # whether the paper has its row; one without is added to every table
    with_degrees: bool = False  # whether tables also have its row with degree bins beside the features
    with_context: bool = False  # whether tables also have its row with the context beside its own
    shares: str | None = None  # the baseline that learns the same: what one has learned serves the other

    @property
    def of_ksets(self) -> bool:
        """Whether it gives rows for k-sets."""
        return type(self).fit_ksets is not Method.fit_ksets

    @property
    def of_graphs(self) -> bool:
        """Whether it gives rows for whole graphs."""
        return type(self).fit_graphs is not Method.fit_graphs

    @property
    def learned_as(self) -> str:
        """The name under which what it learned is kept."""
        return self.shares or self.name

    @property
    def graph_rows(self) -> Mapping[str, tuple[str, ...]]:
        """Its rows in tables of whole graphs, each with the poolings it may take; () is all of them."""
        return {self.title: ()}

    def quick(self) -> Settings:
        """Settings for a first look, with less training."""
        return self.settings

    def in_tables(self) -> Settings:
        """Settings of its row in tables."""
        return self.settings

    def fit_ksets(self, graph: Graph, k: int, settings: Settings, *, seed: int, quiet: bool) -> Nodes | KSets:
        """Learn from a graph, without labels, what gives rows for k-sets."""
        raise DataError(f"{self.name} has no rows for k-sets; it is for whole graphs")

    def fit_graphs(
        self, graphs: Sequence[Graph], k: int, settings: Settings, *, seed: int, quiet: bool
    ) -> dict[str, Pooled]:
        """Learn from many graphs, without labels; functions from other graphs to rows, by their pooling."""
        raise DataError(f"{self.name} has no rows for whole graphs; it is for k-sets")

    def restore(self, settings: Settings, in_features: int, state: Arrays) -> Nodes | KSets:
        """What `state` was taken from."""
        raise DataError(f"{self.name} cannot be loaded; fit it again")


class NodeMethod(Method[Settings]):
    """A baseline with a vector for each node: summed over a k-set, pooled by mean and by sum over a graph."""

    @abstractmethod
    def fit_nodes(
        self, graphs: Graph | Sequence[Graph], settings: Settings, *, seed: int, quiet: bool
    ) -> Nodes:
        """Learn from a graph, or from many side by side, which only an inductive method is given."""

    @abstractmethod
    def restore(self, settings: Settings, in_features: int, state: Arrays) -> Nodes:
        """What `state` was taken from; `in_features` is the number of features that it was trained on."""

    @property
    def of_graphs(self) -> bool:
        """Whether it gives rows for whole graphs: it must know other nodes than those it was trained on."""
        return self.inductive

    def fit_ksets(self, graph: Graph, k: int, settings: Settings, *, seed: int, quiet: bool) -> Nodes:
        """Learn vectors of nodes, whatever k."""
        return self.fit_nodes(graph, settings, seed=seed, quiet=quiet)

    def fit_graphs(
        self, graphs: Sequence[Graph], k: int, settings: Settings, *, seed: int, quiet: bool
    ) -> dict[str, Pooled]:
        """The mean and the sum over the nodes of a graph."""
        return pool_nodes(self.fit_nodes(graphs, settings, seed=seed, quiet=quiet).nodes)


class FormulaMethod(Method[None]):
    """A baseline whose rows of k-sets need no learning."""

    settings = None
    seeded = False

    @abstractmethod
    def rows(self, graph: Graph, ksets: np.ndarray) -> np.ndarray:
        """(m, k) to (m, d)."""

    def fit_ksets(self, graph: Graph, k: int, settings: None, *, seed: int, quiet: bool) -> Formula:
        """Learn nothing."""
        return Formula(self.rows)

    def restore(self, settings: None, in_features: int, state: Arrays) -> Formula:
        """Nothing is needed."""
        return Formula(self.rows)


class ModelMethod(Method[None]):
    """A baseline that is MHM-GNN itself, with other settings."""

    settings = None
    per_k = True
    with_degrees = True

    @property
    def of_ksets(self) -> bool:
        """Whether it gives rows for k-sets, as every model does."""
        return True

    @abstractmethod
    def config(self, config: RunConfig) -> RunConfig:
        """The settings of its model, made of those that MHM-GNN has at the same place."""


METHODS: Registry[Method[Any]] = Registry(  # in the order of lists and tables
    "baseline", pattern=r"[a-z0-9][a-z0-9+._-]*", allowed="a-z, 0-9 and + . _ -", also=REGISTERED
)
AnyMethod = TypeVar("AnyMethod", bound=type[Method[Any]])


def register(method: AnyMethod) -> AnyMethod:
    """Register a class under its name, in this process; use it as a decorator."""
    METHODS.check_declared(method, DECLARED)
    found = method()
    for other in METHODS.values():
        if other.name != found.name and rows_of(other) & rows_of(found):
            raise DataError(
                f"the title {found.title!r} is taken by the baseline {other.name}; choose another title"
            )
    METHODS.add(found.name, found, method.__module__)
    return method


def rows_of(method: Method[Any]) -> set[str]:
    """The names of its rows in all tables."""
    return {method.title, *method.graph_rows}


def pool_nodes(nodes: Callable[[Graph], Features]) -> dict[str, Pooled]:
    """The mean and the sum of vectors of nodes as rows of graphs."""

    def pooled(pool: Callable[..., np.ndarray]) -> Pooled:
        def embed(graphs: Sequence[Graph]) -> np.ndarray:
            rows = (nodes(graph) for graph in graphs)
            return np.stack([pool(x.toarray() if sparse.issparse(x) else x, axis=0) for x in rows])

        return embed

    return {"mean": pooled(np.mean), "sum": pooled(np.sum)}
