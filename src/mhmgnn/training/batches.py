"""Training graphs -> batches of weighted motifs, data and noise; a batch depends on its step alone."""

from collections.abc import Callable, Collection, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mhmgnn.config import RunConfig, SetsConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features, MotifBatch, batch, edge_attributes
from mhmgnn.nn.motifs.features import node_features
from mhmgnn.nn.motifs.whole import WholeBatch, whole
from mhmgnn.runtime import threads as cores
from mhmgnn.subgraphs.exact import edge_codes
from mhmgnn.subgraphs.fire import forest_fire
from mhmgnn.subgraphs.sample import Sampled, sample_sets
from mhmgnn.subgraphs.subgraph import Subgraph
from mhmgnn.training.noise.edges import with_added_edges
from mhmgnn.training.noise.features import shuffled


class TrainingBatch(NamedTuple):
    """Graphs of one step, the data first and then its noise, as the motifs on their k-sets."""

    motifs: MotifBatch | WholeBatch
    weights: Tensor  # (s,) float32, of each k-set in the energy of its graph
    owner: Tensor  # (s,) int64, the graph it is of
    is_data: Tensor  # (graphs,) float32, 1 for data and 0 for noise

    def data(self) -> tuple[MotifBatch, Tensor]:
        """The motifs of the data, without its noise, and their weights."""
        assert isinstance(self.motifs, MotifBatch), "a whole graph is no k-set"
        x, rows, adjacency, attr = self.motifs
        mine = self.is_data[self.owner] == 1
        kept = MotifBatch(x, rows[mine], adjacency[mine], None if attr is None else attr[mine])
        return kept, self.weights[mine]


class Drawn(NamedTuple):
    """A training graph with the k-sets that stand for it."""

    graph: Subgraph
    sampled: Sampled


class Sampler:
    """Draws the batches of a run from one graph (forest-fire subgraphs) or from many (as they are)."""

    def __init__(self, graphs: Sequence[Graph], config: RunConfig, seed: int) -> None:
        self.graphs = graphs
        self.config = config
        self.features = stack_features([node_features(graph, config.model) for graph in graphs])
        self.first = np.cumsum([0, *(graph.num_nodes for graph in graphs)])
        self.kinds = noise_kinds(graphs, config)
        for_graphs, for_noise, for_tours = np.random.SeedSequence(seed).spawn(3)
        self.graph_key, self.noise_key = (
            np.uint64(part.generate_state(1, np.uint64)[0]) for part in (for_graphs, for_noise)
        )
        self.tour_entropy = for_tours.generate_state(4).tolist()

    def batch(
        self, step: int, *, of: Collection[int] | None = None, rank: int = 0, world: int = 1
    ) -> dict[int, TrainingBatch]:
        """The batch of a step, or the share of it that one of `world` processes takes.

        The same data comes with each kind of noise, by its number in `kinds`; `of` names those wanted.
        """
        numbers = step * self.config.train.batch + np.arange(self.config.train.batch)[rank::world]
        data = self.training_graphs(numbers)
        if self.config.model.encoder == "whole":
            return {0: self._whole_batch(data, numbers)}
        drawn = self._draw(data, numbers, 0)
        noises = {"features": self._shuffled, "edges": self._with_edges}
        placed = self._placed(drawn)
        return {
            number: self._join([placed, *noises[kind](drawn, placed, numbers)], len(data))
            for number, kind in enumerate(self.kinds)
            if of is None or number in of
        }

    def training_graphs(self, numbers: np.ndarray) -> list[Subgraph]:
        """The training graphs of these numbers; their nodes are rows of `features`."""
        if len(self.graphs) == 1:
            size, burning = self.config.subgraphs.size, self.config.subgraphs.burning
            return forest_fire(self.graphs[0], size, numbers, key=self.graph_key, burning=burning)
        chosen = []
        for number in numbers.tolist():
            epoch, place = divmod(number, len(self.graphs))
            order = np.random.default_rng([int(self.graph_key), epoch]).permutation(len(self.graphs))
            graph, start = self.graphs[order[place]], self.first[order[place]]
            chosen.append(Subgraph.frozen(np.arange(start, start + graph.num_nodes), *graph.rows))
        return chosen

    def sample(self, graph: Subgraph, sets: SetsConfig, *words: int) -> Sampled:
        """The weighted k-sets of one training graph; `words` tell its random stream from others."""
        rng = np.random.default_rng([*self.tour_entropy, *words])
        return sample_sets(Graph(graph.indptr, graph.indices), self.config.train.k, sets, rng)

    def motifs(self, graph: Subgraph, ksets: np.ndarray) -> MotifBatch:
        """The motifs on k-sets of one training graph, each node with its own features."""
        nodes = graph.nodes[ksets]
        codes = edge_codes(graph.rows, ksets)
        return batch(self.features, nodes, codes, edge_attr=self._edge_attributes(nodes))

    def _draw(self, graphs: list[Subgraph], numbers: np.ndarray, noise: int) -> list[Drawn]:
        def one(task: tuple[Subgraph, int]) -> Drawn:
            return Drawn(task[0], self.sample(task[0], self.config.sets, task[1], noise))

        tasks = zip(graphs, numbers.tolist(), strict=True)
        return list(cores.side_by_side(one, tasks, cores.available()))

    def _placed(self, drawn: list[Drawn]) -> "_Part":
        """Motifs with each node's own features."""
        nodes = [item.graph.nodes[item.sampled.sample.ksets] for item in drawn]
        bits = [edge_codes(item.graph.rows, item.sampled.sample.ksets) for item in drawn]
        sizes = [len(part) for part in nodes]
        weights = [item.sampled.sample.weights / self._scale(item.sampled) for item in drawn]
        owner = np.repeat(np.arange(len(drawn)), sizes)
        return _Part(np.concatenate(nodes), np.concatenate(bits), np.concatenate(weights), owner)

    def _with_edges(self, drawn: list[Drawn], data: "_Part", numbers: np.ndarray) -> list["_Part"]:
        """The motifs of the training graphs with edges added to them."""
        parts = []
        for noise in range(self.config.subgraphs.noises):
            graphs = [
                with_added_edges(item.graph, number, noise, key=self.noise_key)
                for item, number in zip(drawn, numbers.tolist(), strict=True)
            ]
            parts.append(self._placed(self._draw(graphs, numbers, noise + 1)))
        return parts

    def _shuffled(self, drawn: list[Drawn], data: "_Part", numbers: np.ndarray) -> list["_Part"]:
        """The motifs of the data with features shuffled among the nodes of each training graph."""
        parts = []
        sizes = np.array([item.graph.nodes.size for item in drawn])
        orders = shuffled(sizes, numbers, key=self.noise_key, noises=self.config.subgraphs.noises)
        for noise in range(self.config.subgraphs.noises):
            nodes = [
                item.graph.nodes[order[noise][item.sampled.sample.ksets]]
                for item, order in zip(drawn, orders, strict=True)
            ]
            parts.append(data._replace(nodes=np.concatenate(nodes)))
        return parts

    def _scale(self, sampled: Sampled) -> float:
        """What energies are divided by: the number of k-sets for the mean, nothing for the sum."""
        return max(sampled.size, 1.0) if self.config.train.energy == "mean" else 1.0

    def _join(self, parts: list["_Part"], num_data: int) -> TrainingBatch:
        nodes = np.concatenate([part.nodes for part in parts])
        owner = np.concatenate([part.owner + i * num_data for i, part in enumerate(parts)])
        weights = np.concatenate([part.weights for part in parts])
        bits = np.concatenate([part.bits for part in parts])
        attr = self._edge_attributes(parts[0].nodes)  # noise by shuffled features has the edges of its data
        if attr is not None:
            attr = np.concatenate([attr] * len(parts))
        is_data = torch.zeros(num_data * len(parts))
        is_data[:num_data] = 1
        return TrainingBatch(
            batch(self.features, nodes, bits, edge_attr=attr),
            torch.from_numpy(weights.astype(np.float32)),
            torch.from_numpy(owner),
            is_data,
        )

    def _edge_attributes(self, nodes: np.ndarray) -> np.ndarray | None:
        """Attributes of the edges inside k-sets given as rows of the features; None where there are none."""
        if self.graphs[0].edge_attr is None:
            return None
        k, width = nodes.shape[1], self.graphs[0].edge_attr.shape[1]
        found = np.empty((len(nodes), k, k, width), np.float32)
        of_graph = np.searchsorted(self.first, nodes[:, 0], side="right") - 1
        for number in np.unique(of_graph):
            mine = of_graph == number
            found[mine] = edge_attributes(self.graphs[number], nodes[mine] - self.first[number])
        return found

    def _whole_batch(self, data: list[Subgraph], numbers: np.ndarray) -> TrainingBatch:
        """Every training graph as one motif (k = n), and its noise."""
        noises = self.config.subgraphs.noises
        if self.kinds == ("edges",):
            graphs = [*data]
            for noise in range(noises):
                graphs += [
                    with_added_edges(graph, number, noise, key=self.noise_key)
                    for graph, number in zip(data, numbers.tolist(), strict=True)
                ]
            motifs = whole([self._with_features(graph) for graph in graphs])
        else:
            sizes = np.array([graph.nodes.size for graph in data])
            start = np.cumsum(sizes) - sizes
            orders = shuffled(sizes, numbers, key=self.noise_key, noises=noises)
            rows = [np.arange(sizes.sum())]
            for noise in range(noises):
                rows.append(
                    np.concatenate([order[noise] + at for order, at in zip(orders, start, strict=True)])
                )
            motifs = whole([self._with_features(graph) for graph in data], rows=np.stack(rows))
        is_data = torch.zeros(motifs.num_graphs)
        is_data[: len(data)] = 1
        return TrainingBatch(motifs, torch.ones(motifs.num_graphs), torch.arange(motifs.num_graphs), is_data)

    def _with_features(self, graph: Subgraph) -> Graph:
        """A training graph as a graph of its own, with the features and edge attributes of its nodes."""
        source = np.repeat(graph.nodes, np.diff(graph.indptr))
        attr = self._edge_attributes(np.column_stack([source, graph.nodes[graph.indices]]))
        return Graph(*graph.rows, self.features[graph.nodes], None if attr is None else attr[:, 0, 1])


class _Part(NamedTuple):
    """The motifs of the data, or of one of its noises."""

    nodes: np.ndarray  # (s, k) rows of the features
    bits: np.ndarray  # (s,)
    weights: np.ndarray  # (s,)
    owner: np.ndarray  # (s,)


def noise_kinds(graphs: Sequence[Graph], config: RunConfig) -> tuple[str, ...]:
    """What makes noise: shuffled "features", added "edges", or both; "auto" takes all that the graph allows.

    A model of whole graphs (k = n) has one kind.
    """
    wanted, whole = config.subgraphs.noise, config.model.encoder == "whole"
    featureless, attributed = graphs[0].x is None, graphs[0].edge_attr is not None
    if wanted == "auto":
        if featureless:
            return ("edges",)
        return ("features",) if attributed or whole else ("features", "edges")
    if wanted == "both" and whole:
        raise DataError('noise "both" is for k-sets; the encoder "whole" takes "features" or "edges"')
    if wanted in ("features", "both") and featureless:
        raise DataError(f'noise "{wanted}" needs node features, and the graph has none; take "edges"')
    if wanted in ("edges", "both") and attributed:
        raise DataError(f'noise "{wanted}" adds edges, which would have no attributes; take "features"')
    return ("features", "edges") if wanted == "both" else (wanted,)


def stack_features(parts: Sequence[Features]) -> Features:
    """The features of all graphs, one below the other."""
    if len(parts) == 1:
        return parts[0]
    widths = sorted({part.shape[1] for part in parts})
    if len(widths) > 1:
        raise DataError(f"the graphs have {widths} node features; all need the same number")
    dense = [part for part in parts if isinstance(part, np.ndarray)]
    if len(dense) == len(parts):
        return np.concatenate(dense)
    return sparse.csr_array(sparse.vstack([sparse.csr_array(part) for part in parts], format="csr"))


def ahead(
    sampler: Sampler, steps: range, wanted: Callable[[], Collection[int]], *, rank: int, world: int
) -> Generator[dict[int, TrainingBatch]]:
    """The batches of `steps` in order, drawn ahead of their use in a thread of their own.

    `wanted` tells the kinds of noise when a batch is asked for; fewer may be wanted when it is used.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="sampler") as pool:
        waiting: list[Future[dict[int, TrainingBatch]]] = []
        for step in steps:
            waiting.append(pool.submit(sampler.batch, step, of=wanted(), rank=rank, world=world))
            if len(waiting) > sampler.config.train.ahead:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()
