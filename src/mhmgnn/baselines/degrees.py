"""The degrees of the nodes of a k-set, or of a graph, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mhmgnn.baselines.inputs import Inputs
from mhmgnn.baselines.method import FormulaMethod, pool_nodes, register
from mhmgnn.baselines.raw import raw_features
from mhmgnn.evaluation.tasks.graphs import Pooled
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features
from mhmgnn.subgraphs.exact import edge_codes


def degrees(graph: Graph, ksets: np.ndarray) -> np.ndarray:
    """Sum, maximum and minimum of the log of 1 + degree, and the number of edges inside: (m, 4) float32."""
    size = np.log1p(graph.degrees)[ksets]
    codes = edge_codes(graph.rows, ksets).astype(np.uint64)
    columns = (size.sum(axis=1), size.max(axis=1), size.min(axis=1), np.bitwise_count(codes))
    return np.column_stack(columns).astype(np.float32)


@register
class Degrees(FormulaMethod):
    """What degrees alone tell."""

    name, title = "degrees", "Degrees"
    about = "sum, maximum, minimum of log degree, and edges inside"

    def rows(self, graph: Graph, ksets: np.ndarray) -> np.ndarray:
        """(m, k) to (m, d)."""
        return degrees(graph, ksets)

    def fit_graphs(
        self, graphs: Sequence[Graph], k: int, settings: None, *, seed: int, quiet: bool
    ) -> dict[str, Pooled]:
        """Mean and sum of the degree bins of the nodes, without their features."""
        return pool_nodes(_bins)


def _bins(graph: Graph) -> Features:
    return raw_features(Inputs(normalise=False, degree_features=True).of(Graph(*graph.rows)))
