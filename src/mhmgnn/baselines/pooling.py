"""Baselines for whole graphs: a row for each graph, from vectors of its nodes or from the graph at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mhmgnn.baselines.baseline import chosen_settings
from mhmgnn.baselines.inputs import Inputs
from mhmgnn.baselines.method import METHODS
from mhmgnn.evaluation.tasks.graphs import Pooled
from mhmgnn.graph import Graph
from mhmgnn.registry import unknown


def fit_pooled(
    name: str,
    graphs: Sequence[Graph],
    *,
    k: int = 3,
    settings: Any = None,
    degree_features: bool = False,
    seed: int = 0,
    quiet: bool = True,
) -> dict[str, Pooled]:
    """Functions from graphs to rows, by the name of the pooling, learned from `graphs` without labels.

    Node vectors are pooled by their "mean" and by their "sum"; methods that see a graph at once have "graph",
    and DGI has its "summary" beside the two. They take any graph with the same features. `settings` None
    takes the method's own; `k` is for what counts k-sets of a graph.
    """
    known = [known for known, method in METHODS.items() if method.of_graphs]
    if name not in known:
        raise unknown("the baseline for whole graphs", name, known)
    method, inputs = METHODS[name], Inputs(normalise=False, degree_features=degree_features)
    settings = chosen_settings(method, settings)
    ready = [inputs.of(graph) for graph in graphs]
    ways = method.fit_graphs(ready, k, settings, seed=seed, quiet=quiet)
    return {pooling: _reading(inputs, embed) for pooling, embed in ways.items()}


def _reading(inputs: Inputs, embed: Pooled) -> Pooled:
    """The same, for graphs as they come."""

    def rows(graphs: Sequence[Graph]) -> np.ndarray:
        return embed([inputs.of(graph) for graph in graphs])

    return rows
