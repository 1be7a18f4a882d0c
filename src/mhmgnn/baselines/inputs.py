"""Which features of a graph a baseline reads."""

from dataclasses import dataclass, replace

from mhmgnn.config import ModelConfig
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.features import node_features


@dataclass(frozen=True)
class Inputs:
    """Features as they are, or with rows divided by their sum, with degree bins beside them, or both."""

    normalise: bool
    degree_features: bool

    def of(self, graph: Graph) -> Graph:
        """The graph with these features; without any it stays without, unless degrees are asked for."""
        if graph.x is None and not self.degree_features:
            return graph
        config = ModelConfig(normalise=self.normalise, degree_features=self.degree_features)
        return replace(graph, x=node_features(graph, config))
