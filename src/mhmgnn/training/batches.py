"""Training graphs -> batches of weighted motifs of data and noise; a batch is a function of its step."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from mhmgnn.config import RunConfig
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import MotifBatch, batch
from mhmgnn.nn.motifs.graphs import GraphBatch, batch_graphs
from mhmgnn.runtime import threads as cores
from mhmgnn.subgraphs.exact import edge_codes
from mhmgnn.subgraphs.sample import Sampled
from mhmgnn.training.noise.noise import Noise, TrainingGraph, noise_kinds
from mhmgnn.training.source import Source, motif_attributes


class TrainingBatch(NamedTuple):
    """The motifs on k-sets of the graphs of one step, data first, then its noise."""

    motifs: MotifBatch | GraphBatch
    weights: Tensor  # (s,) float32, the weight of each k-set in the energy of its graph
    owner: Tensor  # (s,) int64, the graph of each k-set
    is_data: Tensor  # (graphs,) float32, 1 for data and 0 for noise

    def data(self) -> tuple[MotifBatch, Tensor]:
        """The motifs of the data, without its noise, and their weights."""
        assert isinstance(self.motifs, MotifBatch), "a whole graph is no k-set"
        x, rows, adjacency, attr = self.motifs
        mine = self.is_data[self.owner] == 1
        kept = MotifBatch(x, rows[mine], adjacency[mine], None if attr is None else attr[mine])
        return kept, self.weights[mine]


class Sampler(ABC):
    """Draws the batches of a run: for each step one batch per kind of noise, all with the same data."""

    def __init__(self, source: Source, config: RunConfig) -> None:
        self.source, self.config = source, config
        self.kinds = noise_kinds(source.graphs, config)

    def batch(
        self, step: int, *, of: Collection[int] | None = None, rank: int = 0, world: int = 1
    ) -> dict[int, TrainingBatch]:
        """The batches of a step by kind of noise; process `rank` of `world` gets its share of the graphs.

        `of` are the kinds that are wanted, by their number in `kinds`.
        """
        numbers = step * self.config.train.batch + np.arange(self.config.train.batch)[rank::world]
        wanted = {number: noise for number, noise in enumerate(self.kinds) if of is None or number in of}
        return self._batches(self.source.draw(numbers), numbers, wanted)

    @abstractmethod
    def _batches(
        self, data: list[TrainingGraph], numbers: np.ndarray, kinds: dict[int, Noise]
    ) -> dict[int, TrainingBatch]: ...

    def _noise(
        self, noise: Noise, data: list[TrainingGraph], numbers: np.ndarray
    ) -> list[list[TrainingGraph]]:
        """The noise graphs of the data: for each of the M copies a list, parallel to `data`."""
        return [
            [
                noise.contrast(graph, number, copy, self.source.noise_key)
                for graph, number in zip(data, numbers.tolist(), strict=True)
            ]
            for copy in range(self.config.subgraphs.noises)
        ]


class KSetSampler(Sampler):
    """Batches of motifs on the connected k-sets of the training graphs."""

    def _batches(
        self, data: list[TrainingGraph], numbers: np.ndarray, kinds: dict[int, Noise]
    ) -> dict[int, TrainingBatch]:
        sampled = self._sample(data, numbers, 0)
        of_data = self._motifs(data, sampled)
        found = {}
        for kind, noise in kinds.items():
            of_noise = []
            for copy, graphs in enumerate(self._noise(noise, data, numbers), 1):
                theirs = sampled if noise.keeps_edges else self._sample(graphs, numbers, copy)
                of_noise.append(self._motifs(graphs, theirs))
            found[kind] = self._join([of_data, *of_noise], len(data))
        return found

    def _sample(self, graphs: list[TrainingGraph], numbers: np.ndarray, copy: int) -> list[Sampled]:
        def one(task: tuple[TrainingGraph, int]) -> Sampled:
            return self.source.sample(task[0], self.config.sets, task[1], copy)

        tasks = zip(graphs, numbers.tolist(), strict=True)
        return list(cores.side_by_side(one, tasks, cores.available()))

    def _motifs(self, graphs: list[TrainingGraph], sampled: list[Sampled]) -> "_Motifs":
        """The motifs on the sampled k-sets of all graphs, with the features that nodes have in each graph."""
        pairs = [(graph, one.sample.ksets) for graph, one in zip(graphs, sampled, strict=True)]
        nodes = [graph.subgraph.nodes[ksets] for graph, ksets in pairs]
        attr = [motif_attributes(graph, ksets) for graph, ksets in pairs]
        return _Motifs(
            np.concatenate(nodes),
            np.concatenate([edge_codes(graph.subgraph.rows, ksets) for graph, ksets in pairs]),
            np.concatenate([one.sample.weights / self._scale(one) for one in sampled]),
            np.repeat(np.arange(len(graphs)), [len(rows) for rows in nodes]),
            _concatenated(attr),
        )

    def _scale(self, sampled: Sampled) -> float:
        """The divisor of a graph's energy: its number of k-sets for the mean, 1 for the sum."""
        return max(sampled.size, 1.0) if self.config.train.energy == "mean" else 1.0

    def _join(self, parts: list["_Motifs"], num_data: int) -> TrainingBatch:
        """Data and the copies of its noise in one batch, which stores the features of each node once."""
        is_data = torch.zeros(num_data * len(parts))
        is_data[:num_data] = 1
        owner = np.concatenate([part.owner + i * num_data for i, part in enumerate(parts)])
        weights = np.concatenate([part.weights for part in parts])
        motifs = batch(
            self.source.features,
            np.concatenate([part.nodes for part in parts]),
            np.concatenate([part.bits for part in parts]),
            edge_attr=_concatenated([part.edge_attr for part in parts]),
        )
        return TrainingBatch(
            motifs, torch.from_numpy(weights.astype(np.float32)), torch.from_numpy(owner), is_data
        )


class _Motifs(NamedTuple):
    """The motifs of the data, or of a copy of its noise."""

    nodes: np.ndarray  # (s, k) rows of the features
    bits: np.ndarray  # (s,) which slots are adjacent
    weights: np.ndarray  # (s,)
    owner: np.ndarray  # (s,)
    edge_attr: np.ndarray | None  # (s, k, k, a)


class GraphSampler(Sampler):
    """Batches in which every training graph is one motif (k = n)."""

    def _batches(
        self, data: list[TrainingGraph], numbers: np.ndarray, kinds: dict[int, Noise]
    ) -> dict[int, TrainingBatch]:
        found = {}
        for kind, noise in kinds.items():
            copies = [data, *self._noise(noise, data, numbers)]
            graphs = [self.source.with_features(graph) for copy in copies for graph in copy]
            is_data = torch.zeros(len(graphs))
            is_data[: len(data)] = 1
            motifs, owner = batch_graphs(graphs), torch.arange(len(graphs))
            found[kind] = TrainingBatch(motifs, torch.ones(len(graphs)), owner, is_data)
        return found


def new_sampler(graphs: Sequence[Graph], config: RunConfig, seed: int) -> Sampler:
    """The sampler of a run with decided settings (see `settle`)."""
    return sampler_on(Source(graphs, config, seed), config)


def sampler_on(source: Source, config: RunConfig) -> Sampler:
    """The sampler of a run on a given source, which must have been made with the same settings."""
    return GraphSampler(source, config) if config.model.reads_graphs else KSetSampler(source, config)


def _concatenated(arrays: Sequence[np.ndarray | None]) -> np.ndarray | None:
    given = [array for array in arrays if array is not None]
    return np.concatenate(given) if given else None


def ahead(
    sampler: Sampler, steps: range, wanted: Callable[[], Collection[int]], *, rank: int, world: int
) -> Generator[dict[int, TrainingBatch]]:
    """The batches of `steps` in order, prefetched by a background thread.

    `wanted()` returns the kinds of noise when a batch is requested; it may return fewer by the time of use.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="sampler") as pool:
        waiting: list[Future[dict[int, TrainingBatch]]] = []
        for step in steps:
            waiting.append(pool.submit(sampler.batch, step, of=wanted(), rank=rank, world=world))
            if len(waiting) > sampler.config.train.ahead:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()
