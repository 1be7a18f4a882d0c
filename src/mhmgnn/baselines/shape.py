"""The shape of a motif: its isomorphism class, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mhmgnn.baselines.method import FormulaMethod, register
from mhmgnn.evaluation.tasks.graphs import Pooled
from mhmgnn.graph import Graph
from mhmgnn.models.graph_vector import POOLED
from mhmgnn.subgraphs.exact import edge_codes
from mhmgnn.subgraphs.sample import sample_sets
from mhmgnn.subgraphs.shapes import motif_shapes


def shape(graph: Graph, ksets: np.ndarray) -> np.ndarray:
    """One-hot of the isomorphism class of each connected k-set, k up to 6; zeros if it is not connected."""
    shapes = motif_shapes(ksets.shape[1])
    found = shapes.shape_of[edge_codes(graph.rows, ksets)]
    rows = np.zeros((len(ksets), len(shapes.shapes)), np.float32)
    connected = found >= 0
    rows[connected, found[connected]] = 1
    return rows


def shape_shares(graphs: Sequence[Graph], k: int) -> np.ndarray:
    """The share of each shape among the connected k-sets of each graph, (graphs, shapes) float32."""
    rows = np.zeros((len(graphs), len(motif_shapes(k).shapes)), np.float32)
    for row, graph in zip(rows, graphs, strict=True):
        found, size = sample_sets(graph, k, POOLED, np.random.default_rng(0))
        if found.weights.size:
            row += found.weights.astype(np.float32) @ shape(graph, found.ksets) / size
    return rows


@register
class Shape(FormulaMethod):
    """What the edges inside a k-set alone tell."""

    name, title = "shape", "Motif shape"
    about = "one-hot isomorphism class of the motif"
    per_k = True

    def rows(self, graph: Graph, ksets: np.ndarray) -> np.ndarray:
        """(m, k) to (m, d)."""
        return shape(graph, ksets)

    def fit_graphs(
        self, graphs: Sequence[Graph], k: int, settings: None, *, seed: int, quiet: bool
    ) -> dict[str, Pooled]:
        """The shares of shapes, which are a mean over the connected k-sets of a graph."""
        return {"mean": lambda others: shape_shares(others, k)}
