"""Every baseline by name: what it learns from a graph, and how it is put together from what was saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from mhmgnn.baselines.degrees import degrees, raw_features, shape
from mhmgnn.baselines.dgi import DGI, DGISettings, fit_dgi
from mhmgnn.baselines.graphsage import GraphSAGE, SageSettings, fit_graphsage
from mhmgnn.baselines.skipgram import DEEPWALK, NODE2VEC, WalkSettings, deepwalk, node2vec
from mhmgnn.config import ModelConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features
from mhmgnn.nn.motifs.features import node_features

Settings = SageSettings | DGISettings | WalkSettings
Arrays = Mapping[str, np.ndarray]


class Nodes(Protocol):
    """A fitted way to a vector for each node."""

    def nodes(self, graph: Graph) -> Features:
        """(n, d)."""

    def state(self) -> dict[str, np.ndarray]:
        """What it learned."""


class Method(NamedTuple):
    """One baseline."""

    title: str  # as the paper's tables and ours call it
    about: str
    inductive: bool  # whether it can be put on a graph that it was not trained on
    settings: Settings | None = None  # None where there is nothing to set


METHODS = {
    "raw": Method("Raw Features", "sum of the raw features", True),
    "degrees": Method("Degrees", "sum, maximum, minimum of log degree, and edges inside", True),
    "shape": Method("Motif shape", "one-hot isomorphism class of the motif", True),
    "sage-mean": Method("GS-mean", "GraphSAGE, mean", True, SageSettings(aggregator="mean")),
    "sage-max": Method("GS-max", "GraphSAGE, max-pooling", True, SageSettings(aggregator="max")),
    "sage-lstm": Method("GS-lstm", "GraphSAGE, LSTM", True, SageSettings(aggregator="lstm")),
    "dgi": Method("DGI", "Deep Graph Infomax", True, DGISettings()),
    "deepwalk": Method("DeepWalk", "skip-gram on uniform walks", False, DEEPWALK),
    "deepwalk+features": Method("DeepWalk + Features", "with the raw features beside it", False, DEEPWALK),
    "node2vec": Method("node2vec", "skip-gram on biased walks", False, NODE2VEC),
    "node2vec+features": Method("node2vec + Features", "with the raw features beside it", False, NODE2VEC),
    "random": Method("MHM-GNN (Rnd)", "MHM-GNN with the weights it starts from", True),
}
OF_SETS: dict[str, Callable[[Graph, np.ndarray], np.ndarray]] = {"degrees": degrees, "shape": shape}


def method_of(name: str) -> Method:
    """The method called `name`."""
    if name not in METHODS:
        raise DataError(f"there is no baseline {name!r}; there are {', '.join(METHODS)}")
    return METHODS[name]


@dataclass(frozen=True)
class Inputs:
    """Which features a method reads: bag-of-words rows divided by their sum, degree bins beside them."""

    normalise: bool
    degree_features: bool

    def of(self, graph: Graph) -> Graph:
        """The graph with these features; without any it stays without, unless degrees are asked for."""
        if graph.x is None and not self.degree_features:
            return graph
        config = ModelConfig(normalise=self.normalise, degree_features=self.degree_features)
        return replace(graph, x=node_features(graph, config))


class Raw:
    """The features themselves."""

    def nodes(self, graph: Graph) -> Features:
        """(n, p)."""
        return raw_features(graph)

    def state(self) -> dict[str, np.ndarray]:
        """Nothing was learned."""
        return {}


@dataclass(frozen=True, eq=False)
class Walked:
    """Vectors of the nodes of one graph, which walks on it gave."""

    vectors: np.ndarray  # (n, d) float32
    with_features: bool

    def nodes(self, graph: Graph) -> Features:
        """(n, d), or (n, d + p) with the features beside them."""
        if graph.num_nodes != len(self.vectors):
            raise DataError(
                "DeepWalk and node2vec know the nodes of the graph they were trained on and no others; "
                "fit them on this graph"
            )
        if not self.with_features:
            return self.vectors
        both = (sparse.csr_array(part) for part in (self.vectors, raw_features(graph)))
        return sparse.csr_array(sparse.hstack(list(both), format="csr"))

    def state(self) -> dict[str, np.ndarray]:
        """The vectors."""
        return {"vectors": self.vectors}


def fit_nodes(
    name: str, graphs: Graph | list[Graph], settings: Settings | None, *, seed: int, quiet: bool = True
) -> Nodes:
    """Fit the node method called `name`; many graphs only where it is inductive."""
    settings = settings or method_of(name).settings
    if name == "raw":
        return Raw()
    if isinstance(settings, SageSettings):
        return fit_graphsage(graphs, settings, seed=seed, quiet=quiet)
    if isinstance(settings, DGISettings):
        return fit_dgi(graphs, settings, seed=seed, quiet=quiet)
    assert isinstance(settings, WalkSettings), f"{name} has no vectors of nodes"
    assert isinstance(graphs, Graph), f"{name} walks on one graph"
    walk = deepwalk if name.startswith("deepwalk") else node2vec
    return Walked(walk(graphs, settings, seed=seed), name.endswith("+features"))


def restore_nodes(name: str, settings: dict[str, Any], in_features: int, state: Arrays) -> Nodes:
    """What `state` was taken from."""
    kind = type(method_of(name).settings)
    if name == "raw":
        return Raw()
    if kind is SageSettings:
        return GraphSAGE.restore(SageSettings(**settings), in_features, state)
    if kind is DGISettings:
        return DGI.restore(DGISettings(**settings), in_features, state)
    return Walked(state["vectors"], name.endswith("+features"))
