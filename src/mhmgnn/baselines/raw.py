"""The raw features of the nodes, summed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mhmgnn.baselines.method import Arrays, NodeMethod, register
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features


def raw_features(graph: Graph) -> Features:
    """The features of the nodes as they came, (n, p)."""
    if graph.x is None:
        raise DataError("the graph has no node features to sum; give some, or take the baseline degrees")
    return graph.x


class RawFeatures:
    """The features themselves."""

    def nodes(self, graph: Graph) -> Features:
        """(n, p)."""
        return raw_features(graph)

    def state(self) -> dict[str, np.ndarray]:
        """Nothing was learned."""
        return {}


@register
class Raw(NodeMethod[None]):
    """Sums of the features of the nodes."""

    name, title = "raw", "Raw Features"
    about = "sum of the raw features"
    settings = None
    seeded = False
    in_paper = True
    with_degrees = True
    with_context = True

    def fit_nodes(
        self, graphs: Graph | Sequence[Graph], settings: None, *, seed: int, quiet: bool
    ) -> RawFeatures:
        """Learn nothing."""
        return RawFeatures()

    def restore(self, settings: None, in_features: int, state: Arrays) -> RawFeatures:
        """Nothing is needed."""
        return RawFeatures()
