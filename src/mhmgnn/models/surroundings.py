"""What lies around the nodes and pairs of a run's graph: measured once, and mapped by all who use the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mhmgnn.context.context import Context, describe, read_sets
from mhmgnn.context.reference import random_cliques
from mhmgnn.context.scale import SIZES, Scale
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.io.arrays import is_stored, load_arrays, save_arrays

KIND = FOLDER = "context"
REFERENCE = 400  # random cliques of each size, by which context is standardised


class Surroundings(NamedTuple):
    """The context of a graph, and what is usual of the context of its cliques."""

    context: Context
    scale: Scale

    @classmethod
    def of(cls, graph: Graph) -> Surroundings:
        """Measured anew."""
        context = describe(graph)
        cliques = random_cliques(graph, REFERENCE, np.random.default_rng(0)).values()
        usual = Sets.join([Sets.of_rows(some.ksets) for some in cliques])
        return cls(context, Scale.of(read_sets(context, usual), usual.sizes))

    def keep_in(self, run: Path, data: str) -> None:
        """Write them into the folder of a run; `data` is the fingerprint of the graph."""
        arrays = {
            "nodes": self.context.nodes,
            "pairs": self.context.pairs,
            "mean": self.scale.mean,
            "spread": self.scale.spread,
        }
        save_arrays(run / FOLDER, KIND, arrays, {"data": data, "columns": list(self.context.set_columns)})

    @classmethod
    def kept_in(cls, run: Path, graph: Graph, data: str) -> Surroundings | None:
        """Those of a run; None if it has none, or of another graph, or of an mhmgnn with other columns."""
        if not is_stored(run / FOLDER):
            return None
        arrays, facts = load_arrays(run / FOLDER, KIND)
        names = _columns(graph)
        if facts.get("data") != data or facts.get("columns") != list(names.set_columns):
            return None
        columns = len(names.set_columns)
        shapes = {
            "nodes": (graph.num_nodes, len(names.node_columns)),
            "pairs": (graph.indices.size, len(names.pair_columns)),
            "mean": (SIZES.size, columns),
            "spread": (SIZES.size, columns),
        }
        _check(run / FOLDER, arrays, shapes)
        context = names._replace(graph=graph, nodes=arrays["nodes"], pairs=arrays["pairs"])
        return cls(context, Scale(arrays["mean"], arrays["spread"]))


def _columns(graph: Graph) -> Context:
    """A context with the columns that this mhmgnn gives the graph: that of a single edge."""
    return describe(Graph.from_edges([[0, 1]], weights=False if graph.weights is None else [1]))


def _check(path: Path, arrays: dict[str, np.ndarray], shapes: dict[str, tuple[int, int]]) -> None:
    for name, shape in shapes.items():
        found: Any = arrays.get(name)
        if found is None or found.shape != shape or found.dtype != np.float32:
            raise DataError(
                f"{path} is damaged: its {name} do not fit the graph; delete it, and it is measured anew"
            )
