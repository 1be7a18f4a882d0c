"""Deep Graph Infomax: node vectors that tell a graph from itself with its features shuffled.

Velickovic, Fedus, Hamilton, Lio, Bengio, Hjelm, "Deep Graph Infomax", ICLR 2019, arXiv:1809.10341.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn
from torch.nn import functional

from mhmgnn.baselines.method import Arrays, NodeMethod, pool_nodes, register
from mhmgnn.baselines.network import BestWeights, Trained
from mhmgnn.baselines.products import TwoWay, product, two_way
from mhmgnn.baselines.union import Union, features_of, union
from mhmgnn.config import check_positive, check_whole
from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks.graphs import Pooled
from mhmgnn.graph import Graph
from mhmgnn.runtime import console


@dataclass(frozen=True, kw_only=True)
class DGISettings:
    """How DGI is trained; the defaults are its authors', except `dim` (512 there) and the limit of epochs."""

    dim: int = 128
    learning_rate: float = 1e-3
    epochs: int = 500  # at most; an epoch is one step on all nodes
    patience: int = 20  # stop when for so many epochs the training loss
    tolerance: float = 0.0  # has not fallen by more than this below the lowest so far

    def __post_init__(self) -> None:
        check_whole("dim", self.dim, 1)
        check_positive("learning_rate", self.learning_rate)
        check_whole("epochs", self.epochs, 0)
        check_whole("patience", self.patience, 1)
        if not self.tolerance >= 0:
            raise DataError(f"tolerance is {self.tolerance}; it must be a number of at least 0")


def fit_dgi(
    graphs: Graph | Sequence[Graph], settings: DGISettings | None = None, *, seed: int, quiet: bool = True
) -> DGI:
    """Train on a graph, or on many side by side, each with a summary and a shuffle of its own.

    The weights kept are those of the lowest training loss. `losses` of the result has one for each epoch.
    """
    settings = settings or DGISettings()
    check_whole("seed", seed, 0)
    together = union(graphs)
    for_weights, for_shuffles = np.random.default_rng(seed).spawn(2)
    in_features = features_of(together.graph).shape[1]
    network = DGI.new_network(settings, in_features, int(for_weights.integers(2**63)))
    losses = _train(network, together, settings, for_shuffles, quiet=quiet)
    return DGI(settings, in_features, network, losses)


class DGI(Trained[DGISettings, "_Infomax"]):
    """Trained: a vector for each node of any graph with as many features."""

    @staticmethod
    def build(settings: DGISettings, in_features: int, seed: int) -> _Infomax:
        """A network with fresh weights."""
        return _Infomax(in_features, settings.dim)

    def nodes(self, graph: Graph) -> np.ndarray:
        """A vector for each node, (n, dim) float32."""
        x = two_way(features_of(graph, self.in_features))
        if not graph.num_nodes:
            return np.empty((0, self.settings.dim), np.float32)
        with torch.no_grad():
            vectors: np.ndarray = self._network.encode(self._network.project(x), smoothing(graph)).numpy()
        return vectors

    def summary(self, graph: Graph) -> np.ndarray:
        """One vector for the whole graph, (dim,) float32: the sigmoid of the mean over its nodes."""
        if not graph.num_nodes:
            raise DataError("a graph without nodes has no summary; it needs at least one node")
        return torch.from_numpy(self.nodes(graph)).mean(dim=0).sigmoid().numpy()


@register
class DeepGraphInfomax(NodeMethod[DGISettings]):
    """DGI: vectors of nodes, and a summary of each graph."""

    name, title, about = "dgi", "DGI", "Deep Graph Infomax"
    settings = DGISettings()
    normalise = True  # as its authors do
    in_paper = True
    with_degrees = True
    with_context = True

    @property
    def graph_rows(self) -> Mapping[str, tuple[str, ...]]:
        """Two rows of one training."""
        return {"DGI (Nodes)": ("mean", "sum"), "DGI (Joint)": ("summary",)}

    def quick(self) -> DGISettings:
        """Fewer epochs."""
        return replace(self.settings, epochs=50)

    def fit_nodes(
        self, graphs: Graph | Sequence[Graph], settings: DGISettings, *, seed: int, quiet: bool
    ) -> DGI:
        """Train on a graph, or on many side by side."""
        return fit_dgi(graphs, settings, seed=seed, quiet=quiet)

    def fit_graphs(
        self, graphs: Sequence[Graph], k: int, settings: DGISettings, *, seed: int, quiet: bool
    ) -> dict[str, Pooled]:
        """The mean and the sum over nodes, and the summary."""
        trained = self.fit_nodes(graphs, settings, seed=seed, quiet=quiet)
        pooled = pool_nodes(trained.nodes)
        pooled["summary"] = lambda others: np.stack([trained.summary(graph) for graph in others])
        return pooled

    def restore(self, settings: DGISettings, in_features: int, state: Arrays) -> DGI:
        """What `state` was taken from."""
        return DGI.restore(settings, in_features, state)


def smoothing(graph: Graph) -> TwoWay:
    r"""The matrix of a GCN layer, :math:`D^{-1/2} (A + I) D^{-1/2}` with D the row sums of A + I, (n, n)."""
    share = sparse.diags_array(1 / np.sqrt(graph.degrees + 1.0))
    matrix = share @ (graph.to_scipy() + sparse.eye_array(graph.num_nodes)) @ share
    smooth = two_way(sparse.csr_array(matrix))
    assert isinstance(smooth, TwoWay), "sparse stays sparse"
    return smooth


class _Infomax(nn.Module):
    r"""A GCN layer with PReLU, and a bilinear discriminator :math:`h^T W s + b` of nodes and summaries."""

    def __init__(self, in_features: int, dim: int) -> None:
        super().__init__()
        self.layer = nn.Linear(in_features, dim)
        self.activation = nn.PReLU()
        self.discriminator = nn.Linear(dim, dim, bias=False)
        self.offset = nn.Parameter(torch.zeros(()))
        for linear in (self.layer, self.discriminator):
            nn.init.xavier_uniform_(linear.weight)
        nn.init.zeros_(self.layer.bias)

    def project(self, x: Tensor | TwoWay) -> Tensor:
        return product(x, self.layer.weight.T)  # (n, dim)

    def encode(self, projected: Tensor, smooth: TwoWay) -> Tensor:
        h: Tensor = self.activation(product(smooth, projected) + self.layer.bias)  # (n, dim)
        return h

    def loss(self, data: Tensor, noise: Tensor, owner: Tensor, means: Tensor | TwoWay) -> Tensor:
        """Binary cross-entropy of which of the two a node is from, given the summary of its own graph."""
        summary = product(means, data).sigmoid()  # (graphs, dim)
        wanted = functional.embedding(owner, self.discriminator(summary))  # (n, dim)
        fit, misfit = ((h * wanted).sum(dim=1) + self.offset for h in (data, noise))
        return (functional.softplus(-fit) + functional.softplus(misfit)).mean() / 2


def _train(
    network: _Infomax, together: Union, settings: DGISettings, rng: np.random.Generator, *, quiet: bool
) -> list[float]:
    """Train to the end and go back to the best weights; the loss of each epoch."""
    x, smooth = two_way(features_of(together.graph)), smoothing(together.graph)
    owner = torch.from_numpy(together.owner)
    means = two_way(_means(together))
    adam = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    losses: list[float] = []
    best = BestWeights(network, patience=settings.patience, tolerance=settings.tolerance)
    with console.progress("training DGI", quiet=quiet) as tell:
        for epoch in range(settings.epochs):
            adam.zero_grad()
            projected = network.project(x)
            lent = torch.from_numpy(_shuffle(together.owner, rng))
            shuffled = functional.embedding(lent, projected)
            data, noise = (network.encode(h, smooth) for h in (projected, shuffled))
            loss = network.loss(data, noise, owner, means)
            losses.append(loss.item())
            if best.has_settled(losses[-1]):
                break
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
            tell((epoch + 1) / settings.epochs, f"loss {losses[-1]:.3f}")
    best.put_back()
    return losses


def _means(together: Union) -> sparse.csr_array:
    """The matrix that takes the mean over the nodes of each graph, (graphs, n)."""
    n = together.owner.size
    share = 1 / np.bincount(together.owner)[together.owner]
    return sparse.csr_array((share, (together.owner, np.arange(n))), shape=(together.num_graphs, n))


def _shuffle(owner: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each node a node of the same graph that lends it its features, each lending once, (n,) int64."""
    return np.lexsort((rng.random(owner.size), owner))
