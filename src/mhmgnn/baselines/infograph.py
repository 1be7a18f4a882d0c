"""InfoGraph: vectors of graphs that tell the graph's own nodes from those of other graphs.

Sun, Hoffmann, Verma, Tang, "InfoGraph: Unsupervised and Semi-supervised Graph-Level Representation Learning
via Mutual Information Maximization", ICLR 2020, arXiv:1908.01000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import GINConv, global_add_pool

from mhmgnn.baselines.method import Method, register
from mhmgnn.baselines.network import BestWeights, Trained
from mhmgnn.baselines.union import Union, features_of, union
from mhmgnn.config import check_positive, check_whole
from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks.graphs import Pooled
from mhmgnn.graph import Graph
from mhmgnn.runtime import console


@dataclass(frozen=True, kw_only=True)
class InfoGraphSettings:
    """How InfoGraph is built and trained."""

    dim: int = 128  # of a graph's vector: the sums over nodes after each of the layers, end to end
    layers: int = 4
    batch: int = 128  # graphs at a time, at most: each node is told from the other graphs of its batch
    learning_rate: float = 1e-3
    epochs: int = 100  # at most
    patience: int = 10  # stop when for so many epochs the training loss
    tolerance: float = 0.0  # has not fallen by more than this below the lowest so far

    def __post_init__(self) -> None:
        check_whole("layers", self.layers, 1)
        check_whole("dim", self.dim, 1)
        if self.dim % self.layers:
            raise DataError(f"dim is {self.dim}; it must be a multiple of layers, {self.layers}")
        check_whole("batch", self.batch, 2)
        check_positive("learning_rate", self.learning_rate)
        check_whole("epochs", self.epochs, 0)
        check_whole("patience", self.patience, 1)
        if not self.tolerance >= 0:
            raise DataError(f"tolerance is {self.tolerance}; it must be a number of at least 0")


def fit_infograph(
    graphs: Sequence[Graph], settings: InfoGraphSettings | None = None, *, seed: int, quiet: bool = True
) -> InfoGraph:
    """Train on many graphs; those without features have ones. `losses` of the result is one an epoch."""
    settings = settings or InfoGraphSettings()
    check_whole("seed", seed, 0)
    if len(graphs) < 2:
        raise DataError(
            f"{len(graphs)} graphs are given; InfoGraph tells graphs apart and needs at least two"
        )
    _check(graphs)
    for_weights, for_batches = np.random.default_rng(seed).spawn(2)
    in_features = features_of(graphs[0]).shape[1]
    network = InfoGraph.new_network(settings, in_features, int(for_weights.integers(2**63)))
    losses = _train(network, graphs, settings, for_batches, quiet=quiet)
    return InfoGraph(settings, in_features, network, losses)


class InfoGraph(Trained[InfoGraphSettings, "_Network"]):
    """Trained: a vector for any graph with as many features."""

    @staticmethod
    def build(settings: InfoGraphSettings, in_features: int, seed: int) -> _Network:
        """A network with fresh weights."""
        return _Network(in_features, settings.dim, settings.layers)

    def graphs(self, graphs: Sequence[Graph]) -> np.ndarray:
        """A vector for each graph, (g, dim) float32; it does not depend on the graphs beside it."""
        _check(graphs)
        out = np.empty((len(graphs), self.settings.dim), np.float32)
        for low in range(0, len(graphs), self.settings.batch):
            together = union(graphs[low : low + self.settings.batch])
            features_of(together.graph, self.in_features)
            with torch.no_grad():
                out[low : low + together.num_graphs] = self._network.encode(together)[1].numpy()
        return out


@register
class InfoGraphMethod(Method[InfoGraphSettings]):
    """InfoGraph."""

    name, title = "infograph", "InfoGraph"
    about = "graphs that tell their own nodes from others"
    settings = InfoGraphSettings()
    in_paper = True
    with_degrees = True

    def fit_graphs(
        self, graphs: Sequence[Graph], k: int, settings: InfoGraphSettings, *, seed: int, quiet: bool
    ) -> dict[str, Pooled]:
        """Train on many graphs."""
        return {"graph": fit_infograph(graphs, settings, seed=seed, quiet=quiet).graphs}


class _FeedForward(nn.Module):
    """Three layers with a linear shortcut past them."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        layers = [part for _ in range(3) for part in (nn.Linear(dim, dim), nn.ReLU())]
        self.block, self.shortcut = nn.Sequential(*layers), nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.block(x) + self.shortcut(x)
        return out


class _Network(nn.Module):
    """GIN layers, each followed by ReLU and batch norm; and two networks before the scores."""

    def __init__(self, in_features: int, dim: int, layers: int) -> None:
        super().__init__()
        width = dim // layers
        widths = [in_features] + [width] * (layers - 1)
        self.layers = nn.ModuleList(
            GINConv(nn.Sequential(nn.Linear(before, width), nn.ReLU(), nn.Linear(width, width)))
            for before in widths
        )
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for _ in widths)
        self.of_nodes, self.of_graphs = _FeedForward(dim), _FeedForward(dim)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)

    def encode(self, together: Union) -> tuple[Tensor, Tensor]:
        """A vector for each node and for each graph, (n, dim) and (g, dim)."""
        graph, owner = together.graph, torch.from_numpy(together.owner)
        x = features_of(graph)
        h = torch.from_numpy(np.array(x) if isinstance(x, np.ndarray) else x.toarray())
        source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
        edges = torch.from_numpy(np.stack([source, graph.indices]))
        nodes = []
        for layer, norm in zip(self.layers, self.norms, strict=True):
            h = norm(functional.relu(layer(h, edges)))  # (n, dim / layers)
            nodes.append(h)
        local = torch.cat(nodes, dim=1)
        return local, global_add_pool(local, owner, size=together.num_graphs)

    def loss(self, together: Union) -> Tensor:
        local, whole = self.encode(together)
        scores = self.of_nodes(local) @ self.of_graphs(whole).T  # (n, g)
        return jensen_shannon(scores, torch.from_numpy(together.owner))


def jensen_shannon(scores: Tensor, owner: Tensor) -> Tensor:
    r"""The loss that lets nodes tell their own graph from others, by the Jensen-Shannon estimator.

    .. math:: \sum_v s(-T_{v, o(v)}) / n + \sum_v \sum_{G \ne o(v)} s(T_{v, G}) / (n (g - 1))

    with s(z) = log(1 + e^z); 2 log 2 where all scores are 0. `scores` T is (n, g), `owner` o is (n,).
    """
    n, g = scores.shape
    own = scores.gather(1, owner[:, None])  # (n, 1)
    other = functional.softplus(scores).scatter(1, owner[:, None], 0.0)
    return functional.softplus(-own).mean() + other.sum() / (n * (g - 1))


def _train(
    network: _Network,
    graphs: Sequence[Graph],
    settings: InfoGraphSettings,
    rng: np.random.Generator,
    *,
    quiet: bool,
) -> list[float]:
    """Train until the loss of an epoch falls no more; the loss of each epoch, the mean over its batches."""
    adam = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    losses: list[float] = []
    best = BestWeights(network, patience=settings.patience, tolerance=settings.tolerance)
    with console.progress("training InfoGraph", quiet=quiet) as tell:
        for epoch in range(settings.epochs):
            batches = np.array_split(rng.permutation(len(graphs)), -(-len(graphs) // settings.batch))
            total = 0.0
            for batch in batches:
                adam.zero_grad()
                loss = network.loss(union([graphs[i] for i in batch]))
                loss.backward()  # type: ignore[no-untyped-call]
                adam.step()
                total += loss.item()
            losses.append(total / len(batches))
            tell((epoch + 1) / settings.epochs, f"loss {losses[-1]:.3f}")
            if best.has_settled(losses[-1]):
                break
    best.put_back()
    return losses


def _check(graphs: Sequence[Graph]) -> None:
    empty = [i for i, graph in enumerate(graphs) if not graph.num_nodes]
    if empty:
        raise DataError(f"graph {empty[0]} has no nodes; InfoGraph needs at least one node a graph")
