"""A model whose motif is a whole graph (k = n)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import torch

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.models.model import Model
from mhmgnn.nn.motifs.features import node_features
from mhmgnn.nn.motifs.graphs import batch_graphs
from mhmgnn.subgraphs.exact import LIMIT
from mhmgnn.subgraphs.result import Estimate, exactly


class GraphModel(Model):
    """A trained model of whole graphs; questions about k-sets are refused."""

    def graph_energy(
        self,
        graph: Graph | None = None,
        *,
        seed: int = 0,
        precision: float | None = None,
        limit: int = LIMIT,
    ) -> Estimate:
        """The exact energy of a graph: the graph is one motif, so nothing is sampled."""
        with torch.no_grad():
            return exactly(float(self.network(batch_graphs([self._ready(self._graph(graph))]))))

    def _pooled(self, graphs: Sequence[Graph], pool: str, *, seed: int) -> np.ndarray:
        """What the network makes of each graph, (graphs, dim) float32; there is nothing to pool."""
        with torch.no_grad():
            return np.asarray(self.network.embed(batch_graphs(list(map(self._ready, graphs)))).numpy())

    def _ready(self, graph: Graph) -> Graph:
        """The graph with the features that the network reads."""
        return replace(graph, x=node_features(self._graph(graph), self.config.model))

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise DataError("this model reads whole graphs (k = n), not k-sets; use embed_graphs")

    embed = energy = complete = discover = groups = similar = _refuse
