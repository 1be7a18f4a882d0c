"""What is known around a k-set, or of the nodes of a whole graph; nothing is learned."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from scipy import sparse

from mhmgnn.baselines.method import FormulaMethod, register
from mhmgnn.context.context import Context, describe, read_sets
from mhmgnn.evaluation.tasks.graphs import Pooled
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models.graph_vector import node_row
from mhmgnn.models.predict import Embeds
from mhmgnn.models.vector import REFERENCE
from mhmgnn.nn.motifs.batch import Features
from mhmgnn.nn.vector import Usual
from mhmgnn.subgraphs.random_sets import random_connected_sets


def context_rows(graph: Graph, ksets: np.ndarray) -> np.ndarray:
    """The context of k-sets in units of random connected k-sets of the graph, (m, f) float32."""
    context, usual = _described(graph, ksets.shape[1])
    rows = torch.from_numpy(read_sets(context, Sets.of_rows(ksets)))
    return usual.apply(rows).numpy()


@lru_cache(2)
def _described(graph: Graph, k: int) -> tuple[Context, Usual]:
    """The context of a graph, and what is usual for its k-sets."""
    context = describe(graph)
    random = random_connected_sets(graph, k, REFERENCE, np.random.default_rng(0))
    return context, Usual.of(read_sets(context, Sets.of_rows(random)))


@register
class Around(FormulaMethod):
    """What lies around a k-set, without learning."""

    name, title = "context", "Context"
    about = "degrees, triangles, common neighbours in and around the set"

    def rows(self, graph: Graph, ksets: np.ndarray) -> np.ndarray:
        """(m, k) to (m, f)."""
        return context_rows(graph, ksets)

    def fit_graphs(
        self, graphs: Sequence[Graph], k: int, settings: None, *, seed: int, quiet: bool
    ) -> dict[str, Pooled]:
        """Means, spreads and sums over the nodes of a graph, as vectors of whole graphs have them."""
        return {"graph": lambda others: np.stack([node_row(one, as_given(one)) for one in others])}


def as_given(graph: Graph) -> np.ndarray:
    """The projection that leaves the features of a graph as they are."""
    return np.eye(graph.num_features, dtype=np.float32)


class WithContext:
    """Another method's rows of k-sets, and the context beside them."""

    def __init__(self, method: Embeds) -> None:
        self.method, self.graph, self.k, self.facts = method, method.graph, method.k, method.facts

    def embed(self, ksets: Any, *, graph: Graph | None = None) -> Features:
        """A row for each k-set, sparse where the method's are."""
        graph = self.graph if graph is None else graph
        assert graph is not None, "tables of k-sets name the graph"
        own, around = self.method.embed(ksets, graph=graph), context_rows(graph, ksets)
        if isinstance(own, np.ndarray):
            return np.hstack([own, around])
        return sparse.csr_array(sparse.hstack([own, sparse.csr_array(around)], format="csr"))
