"""The trained thing a user holds: vectors and energies of k-sets, completions and discoveries."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from mhmgnn.config import RunConfig, SetsConfig, check_one_of, check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.models.checkpoint import load_model, save_model
from mhmgnn.models.search import completions, lowest, with_each
from mhmgnn.nn.encoders.build import build
from mhmgnn.nn.energy import Energy, KSetModel
from mhmgnn.nn.motifs.batch import Features, MotifBatch, gather
from mhmgnn.nn.motifs.features import node_features
from mhmgnn.nn.motifs.whole import whole
from mhmgnn.runtime import memory
from mhmgnn.subgraphs.estimate import estimate_sum
from mhmgnn.subgraphs.exact import LIMIT, is_connected
from mhmgnn.subgraphs.result import Estimate, exactly
from mhmgnn.subgraphs.sample import sample_sets

CHUNK = 2**15  # k-sets that go through the network at a time
POOLS = ("mean", "sum")
POOLED = SetsConfig(exact=20_000, tours=200, supernode=1_000, most=0)  # how the k-sets of a graph are pooled


class Candidate(NamedTuple):
    """A node that completes a set, and the energy of the completed set."""

    name: str
    node: int
    energy: float


class Found(NamedTuple):
    """A k-set that was discovered."""

    names: tuple[str, ...]
    nodes: tuple[int, ...]
    energy: float


class Discovery(NamedTuple):
    """k-sets of lowest energy, best first."""

    sets: tuple[Found, ...]
    exact: bool  # whether all connected k-sets were looked at


def new_network(config: RunConfig, in_features: int, edge_features: int, seed: int) -> KSetModel:
    """A network with weights drawn from the seed alone; torch's own generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model, k = config.model, config.train.k
        return KSetModel(
            *(
                Energy(build(model.encoder, in_features, dim, model.layers, edge_features, k), dim)
                for dim in parts_of(config)
            )
        )


def parts_of(config: RunConfig) -> tuple[int, ...]:
    """The dimensions of the vector that each kind of noise teaches."""
    dim = config.model.dim
    return (dim,) if config.subgraphs.noise != "both" else ((dim + 1) // 2, dim // 2)


class Model:
    """A trained model, with the graph it was trained on unless that was many graphs."""

    def __init__(
        self, network: KSetModel, config: RunConfig, facts: dict[str, Any], graph: Graph | None
    ) -> None:
        self.network = network.eval()
        self.config = config
        self.facts = facts  # where it comes from: features, seed, data, losses
        self.graph = graph
        self._features: tuple[Graph, Features] | None = None  # those of the graph used last

    @property
    def k(self) -> int:
        """Nodes in a set."""
        return self.config.train.k

    def embed(self, ksets: Any, *, graph: Graph | None = None) -> np.ndarray:
        """The vector of each k-set, (m, dim) float32, of length 4; k-sets by index or by name."""
        graph = self._graph_of_sets(graph)
        rows = graph.ksets(ksets, k=self.k)
        size = 4 * len(rows) * self.config.model.dim
        advice = "embed them in parts, or write them to a file with `mhmgnn embed`, which does"
        memory.check(f"the vectors of {len(rows):,} k-sets", size, advice)
        out = np.empty((len(rows), self.config.model.dim), np.float32)
        for low, vectors in self._run(graph, rows, self.network.embed):
            out[low : low + len(vectors)] = vectors
        return out

    def energy(self, ksets: Any, *, graph: Graph | None = None) -> np.ndarray:
        """The energy of each k-set, (m,) float32: low where it belongs together, inf if not connected."""
        graph = self._graph_of_sets(graph)
        rows = graph.ksets(ksets, k=self.k)
        energies = np.full(len(rows), np.inf, np.float32)
        connected = is_connected(graph, rows)
        energies[connected] = self._energies(graph, rows[connected])
        return energies

    def graph_energy(
        self,
        graph: Graph | None = None,
        *,
        seed: int = 0,
        precision: float | None = None,
        limit: int = LIMIT,
    ) -> Estimate:
        """The energy of a whole graph, Eq. (3): the sum over its connected k-sets, with its error."""
        graph = self._graph(graph)
        if self.config.model.encoder == "whole":
            with torch.no_grad():
                return exactly(float(self.network(whole([self._ready(graph)]))))
        return estimate_sum(
            graph,
            self.k,
            lambda ksets: self._energies(graph, ksets),
            seed=seed,
            precision=precision,
            limit=limit,
        )

    def complete(self, nodes: Sequence[Any], *, top: int = 10, graph: Graph | None = None) -> list[Candidate]:
        """The nodes that complete k - 1 `nodes` to a connected k-set, lowest energy first; exact."""
        graph = self._graph_of_sets(graph)
        check_whole("top", top, 1)
        if len(nodes) != self.k - 1:
            raise DataError(f"{len(nodes)} nodes are given; a model of k = {self.k} completes {self.k - 1}")
        start = graph.ksets([list(nodes)], k=self.k - 1)[0]
        near = completions(graph, start)
        energies = self._energies(graph, with_each(start, near))
        best = np.lexsort((near, energies))[:top]
        return [Candidate(graph.label(int(near[i])), int(near[i]), float(energies[i])) for i in best]

    def discover(
        self,
        *,
        top: int = 100,
        require: Sequence[Any] = (),
        exclude: Sequence[Any] = (),
        cliques: bool = False,
        limit: int = LIMIT,
        seed: int = 0,
        graph: Graph | None = None,
    ) -> Discovery:
        """The connected k-sets of lowest energy, each once; with `require` in each and `exclude` in none.

        `cliques` keeps to k-sets whose nodes are all adjacent, as those of a cart or an author list are.
        Exact where there are at most `limit` k-sets, else by descent from random ones; `exact` says which.
        """
        graph = self._graph_of_sets(graph)
        check_whole("top", top, 1)
        ranked = lowest(
            graph,
            self.k,
            lambda ksets: self._energies(graph, ksets),
            top,
            require=_nodes(graph, require),
            exclude=_nodes(graph, exclude),
            cliques=cliques,
            limit=limit,
            seed=seed,
        )
        found = (
            Found(tuple(graph.label(node) for node in kset), tuple(kset), energy)
            for kset, energy in zip(ranked.ksets.tolist(), ranked.energies.tolist(), strict=True)
        )
        return Discovery(tuple(found), ranked.exact)

    def embed_graphs(self, graphs: Sequence[Graph], *, pool: str = "mean", seed: int = 0) -> np.ndarray:
        """The vector of each whole graph, (graphs, dim) float32.

        A model of k-sets gives the `pool`, "mean" or "sum", of the vectors of all connected k-sets of a
        graph, estimated by tours where they are many; zeros where it has none. The encoder "whole" (k = n)
        reads a graph as one motif.
        """
        if self.config.model.encoder == "whole":
            with torch.no_grad():
                return np.asarray(self.network.embed(whole([self._ready(graph) for graph in graphs])).numpy())
        check_one_of("pool", pool, POOLS)
        out = np.zeros((len(graphs), self.config.model.dim), np.float32)
        for row, graph in zip(out, graphs, strict=True):
            sampled = sample_sets(self._graph(graph), self.k, POOLED, np.random.default_rng(seed))
            for low, vectors in self._run(graph, sampled.sample.ksets, self.network.embed):
                row += sampled.sample.weights[low : low + len(vectors)].astype(np.float32) @ vectors
            row /= max(sampled.size, 1.0) if pool == "mean" else 1.0
        return out

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model, and the graph it was trained on, to a folder that `mhmgnn.load` reads."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if self.graph is not None:
            self.graph.save(folder / "graph")
        save_model(folder / "model", self.network.state_dict(), self.config, self.facts)

    def _graph(self, graph: Graph | None) -> Graph:
        graph = self.graph if graph is None else graph
        if graph is None:
            raise DataError("the model was trained on many graphs; say which graph is meant: graph=...")
        given, wanted = (graph.num_features, self.facts["graph_features"])
        if given != wanted:
            raise DataError(f"the graph has {given} node features; the model was trained on {wanted}")
        edges = 0 if graph.edge_attr is None else graph.edge_attr.shape[1]
        if edges != self.facts["edge_features"]:
            wanted = self.facts["edge_features"]
            raise DataError(f"the graph has {edges} edge attributes; the model was trained on {wanted}")
        return graph

    def _ready(self, graph: Graph) -> Graph:
        """The graph with the features that the network reads."""
        return replace(graph, x=node_features(self._graph(graph), self.config.model))

    def _graph_of_sets(self, graph: Graph | None) -> Graph:
        if self.config.model.encoder == "whole":
            raise DataError("this model reads whole graphs (k = n), not k-sets; use embed_graphs")
        return self._graph(graph)

    def _energies(self, graph: Graph, ksets: np.ndarray) -> np.ndarray:
        """Energies of k-sets that are known to be connected, (m,) float32."""
        out = np.empty(len(ksets), np.float32)
        for low, energies in self._run(graph, ksets, self.network):
            out[low : low + len(energies)] = energies
        return out

    def _run(self, graph: Graph, ksets: np.ndarray, network: Any) -> Iterator[tuple[int, np.ndarray]]:
        """What `network` makes of the motifs on the k-sets, a chunk at a time."""
        if self._features is None or self._features[0] is not graph:
            self._features = graph, node_features(graph, self.config.model)
        for low in range(0, len(ksets), CHUNK):
            motifs: MotifBatch = gather(graph, ksets[low : low + CHUNK], features=self._features[1])
            with torch.no_grad():
                result: Tensor = network(motifs)
            yield low, result.numpy()


def load(path: str | os.PathLike[str]) -> Model:
    """A saved model, with its graph mapped into memory."""
    folder = Path(path)
    if (folder / "baseline").is_dir():
        raise DataError(
            f"{folder} holds a baseline, which has vectors and no energies; `embed` and `probe` take it"
        )
    saved = load_model(folder / "model")
    graph = Graph.load(folder / "graph") if (folder / "graph").is_dir() else None
    facts = saved.facts
    sizes = (facts["in_features"], facts["edge_features"])
    try:
        if saved.config.model.layers > len(saved.state):
            raise RuntimeError(f"{len(saved.state)} tensors for {saved.config.model.layers} layers")
        with torch.device("meta"):  # shapes without memory, for the config may ask for any
            wanted = new_network(saved.config, *sizes, seed=0).state_dict()
        for name in wanted.keys() & saved.state.keys():
            if wanted[name].shape != saved.state[name].shape:
                raise RuntimeError(f"{name} is of another shape")
        network = new_network(saved.config, *sizes, seed=0)
        network.load_state_dict(saved.state)
    except (RuntimeError, TypeError, OverflowError) as error:
        raise DataError(f"the weights in {folder / 'model'} do not fit its config: {error}") from None
    return Model(network, saved.config, facts, graph)


def _nodes(graph: Graph, nodes: Sequence[Any]) -> list[int]:
    """Node indices from names or indices."""
    return [int(graph.ksets([[node]], k=1)[0, 0]) for node in nodes]
