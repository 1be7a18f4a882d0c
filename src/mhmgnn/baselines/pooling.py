"""Baselines for whole graphs: a row for each graph, from vectors of its nodes or from the graph at once."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import sparse

from mhmgnn.baselines.dgi import DGI
from mhmgnn.baselines.graph2vec import fit_graph2vec
from mhmgnn.baselines.infograph import fit_infograph
from mhmgnn.baselines.method import Inputs, Nodes, Settings, fit_nodes
from mhmgnn.baselines.netlsd import netlsd
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

Pooled = Callable[[Sequence[Graph]], np.ndarray]  # graphs to one row each
NAMES = ("raw", "sage-mean", "sage-max", "sage-lstm", "dgi", "netlsd", "graph2vec", "infograph")


def fit_pooled(
    name: str,
    graphs: Sequence[Graph],
    *,
    settings: Settings | None = None,
    degree_features: bool = False,
    seed: int = 0,
    quiet: bool = True,
) -> dict[str, Pooled]:
    """Ways to a row for each graph, by the name of the pooling, learned from `graphs` without labels.

    Node vectors are pooled by their "mean" and by their "sum"; methods that see a graph at once have one way,
    "whole", and DGI has its "summary" beside the two. They take any graph with the same features. `settings`
    are for methods with vectors of nodes, and None takes those of `METHODS`.
    """
    if name not in NAMES:
        raise DataError(f"there is no baseline {name!r} for whole graphs; there are {', '.join(NAMES)}")
    inputs = Inputs(normalise=False, degree_features=degree_features)
    ready = [inputs.of(graph) for graph in graphs]
    if name == "netlsd":
        return {"whole": netlsd}
    if name == "graph2vec":
        documents = fit_graph2vec(ready, seed=seed)
        return {"whole": lambda others: documents.infer([inputs.of(graph) for graph in others], seed=seed)}
    if name == "infograph":
        trained = fit_infograph(ready, seed=seed, quiet=quiet)
        return {"whole": lambda others: trained.graphs([inputs.of(graph) for graph in others])}
    nodes = fit_nodes(name, ready, settings, seed=seed, quiet=quiet)
    ways: dict[str, Pooled] = {
        "mean": lambda others: _pooled(nodes, [inputs.of(graph) for graph in others], np.mean),
        "sum": lambda others: _pooled(nodes, [inputs.of(graph) for graph in others], np.sum),
    }
    if isinstance(nodes, DGI):
        ways["summary"] = lambda others: np.stack([nodes.summary(inputs.of(graph)) for graph in others])
    return ways


def _pooled(nodes: Nodes, graphs: Sequence[Graph], pool: Callable[..., np.ndarray]) -> np.ndarray:
    rows = (nodes.nodes(graph) for graph in graphs)
    return np.stack([pool(x.toarray() if sparse.issparse(x) else x, axis=0) for x in rows])
