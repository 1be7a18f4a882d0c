"""The source of training graphs: forest-fire samples of one graph, or many graphs as they are."""

from collections.abc import Sequence

import numpy as np

from mhmgnn.config import RunConfig, SetsConfig
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import MotifBatch, batch, edge_attributes
from mhmgnn.nn.motifs.features import node_features, stack_features
from mhmgnn.subgraphs.exact import edge_codes
from mhmgnn.subgraphs.fire import forest_fire
from mhmgnn.subgraphs.sample import Sampled, sample_sets
from mhmgnn.subgraphs.subgraph import Subgraph
from mhmgnn.training.noise.noise import TrainingGraph


class Source:
    """Draws training graphs by number, and k-sets in them; the same number always gives the same graph."""

    def __init__(self, graphs: Sequence[Graph], config: RunConfig, seed: int) -> None:
        self.graphs = graphs
        self.k, self.subgraphs = config.train.k, config.subgraphs
        self.features = stack_features([node_features(graph, config.model) for graph in graphs])
        self.first = np.cumsum([0, *(graph.num_nodes for graph in graphs)])
        for_graphs, for_noise, for_tours = np.random.SeedSequence(seed).spawn(3)
        self.graph_key, self.noise_key = (
            np.uint64(part.generate_state(1, np.uint64)[0]) for part in (for_graphs, for_noise)
        )
        self.tour_entropy = for_tours.generate_state(4).tolist()

    def draw(self, numbers: np.ndarray) -> list[TrainingGraph]:
        """The training graphs of these numbers; their nodes are rows of `features`."""
        if len(self.graphs) == 1:
            size, burning = self.subgraphs.size, self.subgraphs.burning
            cut = forest_fire(self.graphs[0], size, numbers, key=self.graph_key, burning=burning)
        else:
            cut = [self._of_many(number) for number in numbers.tolist()]
        return [TrainingGraph(subgraph, self._edge_attr(subgraph)) for subgraph in cut]

    def sample(self, graph: TrainingGraph, sets: SetsConfig, *words: int) -> Sampled:
        """A weighted sample of k-sets of one training graph; `words` select its random stream."""
        rng = np.random.default_rng([*self.tour_entropy, *words])
        return sample_sets(Graph(*graph.subgraph.rows), self.k, sets, rng)

    def motifs(self, graph: TrainingGraph, ksets: np.ndarray) -> MotifBatch:
        """The motifs on k-sets of one training graph, each node with its own features."""
        codes = edge_codes(graph.subgraph.rows, ksets)
        attr = motif_attributes(graph, ksets)
        return batch(self.features, graph.subgraph.nodes[ksets], codes, edge_attr=attr)

    def with_features(self, graph: TrainingGraph) -> Graph:
        """A training graph as a graph of its own, with the features of its nodes."""
        return Graph(*graph.subgraph.rows, self.features[graph.subgraph.nodes], graph.edge_attr)

    def _of_many(self, number: int) -> Subgraph:
        """The graph at a number; every graph comes once an epoch, in a new random order each time."""
        epoch, place = divmod(number, len(self.graphs))
        order = np.random.default_rng([int(self.graph_key), epoch]).permutation(len(self.graphs))
        graph, start = self.graphs[order[place]], self.first[order[place]]
        return Subgraph.frozen(np.arange(start, start + graph.num_nodes), *graph.rows)

    def _edge_attr(self, subgraph: Subgraph) -> np.ndarray | None:
        """Attributes of the edges of a training graph, (2e, a); None where edges have none."""
        if self.graphs[0].edge_attr is None:
            return None
        nodes, indptr, indices = subgraph
        of = int(np.searchsorted(self.first, nodes[0], side="right")) - 1 if nodes.size else 0
        ends = np.column_stack([np.repeat(nodes, np.diff(indptr)), nodes[indices]]) - self.first[of]
        found = edge_attributes(self.graphs[of], ends)
        assert found is not None, "all graphs have edge attributes, or none"
        return np.ascontiguousarray(found[:, 0, 1])


def motif_attributes(graph: TrainingGraph, ksets: np.ndarray) -> np.ndarray | None:
    """Attributes of the edges inside k-sets of a training graph, (s, k, k, a); None where there are none."""
    if graph.edge_attr is None:
        return None
    return edge_attributes(Graph(*graph.subgraph.rows, None, graph.edge_attr), ksets)
