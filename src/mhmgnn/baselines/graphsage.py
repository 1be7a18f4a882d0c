"""GraphSAGE without labels: nodes that meet on short random walks get vectors that point the same way.

Hamilton, Ying, Leskovec, "Inductive Representation Learning on Large Graphs", NeurIPS 2017, arXiv:1706.02216.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mhmgnn.baselines.method import Arrays, NodeMethod, register
from mhmgnn.baselines.neighbours import Hood, Surroundings, by_degree, in_turn, surround
from mhmgnn.baselines.network import Trained
from mhmgnn.baselines.products import TwoWay, product
from mhmgnn.baselines.union import features_of, union
from mhmgnn.baselines.walks import uniform_walks
from mhmgnn.config import check_one_of, check_positive, check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.encoders.layers import unit_length
from mhmgnn.nn.stopping import EarlyStopping
from mhmgnn.runtime import console

STEPS = {"mean": 1000, "max": 1000, "lstm": 400}  # a step of lstm takes some eight times as long
SMOOTHING = 0.05  # weight of the newest loss in the smoothed one that training stops by


@dataclass(frozen=True, kw_only=True)
class SageSettings:
    """How GraphSAGE is trained; its authors' settings, but for steps and a learning rate to go with them."""

    aggregator: str = "mean"
    dim: int = 128  # of the vectors, and of all that is hidden
    near: int = 10  # neighbours of a node that the second layer reads, at most
    far: int = 25  # neighbours of each of those that the first layer reads, at most
    walk: int = 5  # nodes on a random walk; the first and each of the others are a pair
    negatives: int = 20  # nodes drawn for each batch, by degree^0.75
    batch: int = 512  # pairs a step
    learning_rate: float = 1e-3
    steps: int | None = None  # at most; None is what `STEPS` has for the aggregator
    patience: int = 200  # stop when for so many steps the smoothed training loss
    tolerance: float = 0.0  # has not fallen by more than this below the lowest so far

    def __post_init__(self) -> None:
        check_one_of("aggregator", self.aggregator, list(STEPS))
        check_whole("walk", self.walk, 2)
        if self.steps is not None:
            check_whole("steps", self.steps, 0)
        for name in ("dim", "near", "far", "negatives", "batch", "patience"):
            check_whole(name, getattr(self, name), 1)
        check_positive("learning_rate", self.learning_rate)
        if not self.tolerance >= 0:
            raise DataError(f"tolerance is {self.tolerance}; it must be a number of at least 0")


def fit_graphsage(
    graphs: Graph | Sequence[Graph], settings: SageSettings | None = None, *, seed: int, quiet: bool = True
) -> GraphSAGE:
    """Train on a graph, or on many side by side. `losses` of the result has one for each step."""
    settings = settings or SageSettings()
    check_whole("seed", seed, 0)
    graph = union(graphs).graph
    for_weights, for_steps = np.random.default_rng(seed).spawn(2)
    in_features = features_of(graph).shape[1]
    network = GraphSAGE.new_network(settings, in_features, int(for_weights.integers(2**63)))
    losses = _train(network, graph, settings, for_steps, quiet=quiet) if graph.num_edges else []
    return GraphSAGE(settings, in_features, network, losses)


class GraphSAGE(Trained[SageSettings, "_Sage"]):
    """Trained: a vector for each node of any graph with as many features."""

    @staticmethod
    def build(settings: SageSettings, in_features: int, seed: int) -> _Sage:
        """A network with fresh weights."""
        return _Sage(settings, in_features, seed)

    def nodes(self, graph: Graph) -> np.ndarray:
        """A vector of length 1 for each node, (n, dim) float32.

        mean and max read all neighbours. lstm, which was trained on short rows in random order, reads as many
        as in training, in an order drawn from its seed and the number of neighbours alone.
        """
        features = features_of(graph, self.in_features)
        if not graph.num_nodes:
            return np.empty((0, self.settings.dim), np.float32)
        every = np.arange(graph.num_nodes)
        if self.settings.aggregator == "lstm":
            sizes, keys = (self.settings.near, self.settings.far), by_degree(int(self._network.order))
        else:
            sizes, keys = (graph.num_nodes, graph.num_nodes), in_turn
        with torch.no_grad():
            vectors: np.ndarray = self._network(surround(graph, features, every, sizes, keys=keys)).numpy()
        return vectors


class _Method(NodeMethod[SageSettings]):
    """What the three aggregators have in common."""

    in_paper = True
    with_degrees = True

    def quick(self) -> SageSettings:
        """Fewer steps."""
        return replace(self.settings, steps=100)

    def fit_nodes(
        self, graphs: Graph | Sequence[Graph], settings: SageSettings, *, seed: int, quiet: bool
    ) -> GraphSAGE:
        """Train on a graph, or on many side by side."""
        return fit_graphsage(graphs, settings, seed=seed, quiet=quiet)

    def restore(self, settings: SageSettings, in_features: int, state: Arrays) -> GraphSAGE:
        """What `state` was taken from."""
        return GraphSAGE.restore(settings, in_features, state)


@register
class SageMean(_Method):
    """GraphSAGE that takes the mean of what neighbours send."""

    name, title, about = "sage-mean", "GS-mean", "GraphSAGE, mean"
    with_context = True
    settings = SageSettings(aggregator="mean")


@register
class SageMax(_Method):
    """GraphSAGE that takes the largest of what neighbours send."""

    name, title, about = "sage-max", "GS-max", "GraphSAGE, max-pooling"
    with_context = True
    settings = SageSettings(aggregator="max")


@register
class SageLstm(_Method):
    """GraphSAGE that reads what neighbours send one after another."""

    name, title, about = "sage-lstm", "GS-lstm", "GraphSAGE, LSTM"
    settings = SageSettings(aggregator="lstm")

    def in_tables(self) -> SageSettings:
        """100 steps, as good as 400 in trials."""
        return replace(self.settings, steps=100)


class _Mean(nn.Module):
    """The mean of what neighbours send."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.width = dim

    def forward(self, sent: Tensor, hood: Hood) -> Tensor:
        return functional.embedding_bag(
            hood.indices, sent, hood.indptr, mode="mean", include_last_offset=True
        )


class _Max(nn.Module):
    """The largest of what neighbours send through a layer, in each dimension; 0 without neighbours."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.width = dim
        self.bias = nn.Parameter(torch.zeros(dim))
        self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, sent: Tensor, hood: Hood) -> Tensor:
        largest = functional.embedding_bag(
            hood.indices, (sent + self.bias).relu(), hood.indptr, mode="max", include_last_offset=True
        )
        result: Tensor = self.out(largest)
        return result


class _Lstm(nn.Module):
    """What an LSTM remembers of neighbours read one after another; `sent` is what they do to its gates."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.width = 4 * dim
        self.gates = nn.Linear(dim, 4 * dim)
        self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, sent: Tensor, hood: Hood) -> Tensor:
        length = hood.indptr.diff()
        order = length.argsort(descending=True, stable=True)  # so that those still reading come first
        reading = [int((length > t).sum()) for t in range(int(length.max()))]
        first = hood.indptr[order]
        now = torch.cat([hood.indices[:0], *(hood.indices[first[:m] + t] for t, m in enumerate(reading))])
        read = functional.embedding(now, sent).split_with_sizes(reading)  # (m, 4 dim) each
        h = c = sent.new_zeros(len(length), self.gates.in_features)
        done = []
        for m, arrived in zip(reading, read, strict=True):
            done.append(h[m:])
            add, keep, new, show = (arrived + self.gates(h[:m])).chunk(4, dim=1)
            c = (1 + keep).sigmoid() * c[:m] + add.sigmoid() * new.tanh()  # 1: at first it forgets little
            h = show.sigmoid() * c.tanh()
        last = torch.cat([h, *reversed(done)])
        result: Tensor = self.out(last[order.argsort()])
        return result


AGGREGATORS: dict[str, type[_Mean] | type[_Max] | type[_Lstm]] = {"mean": _Mean, "max": _Max, "lstm": _Lstm}


class _Layer(nn.Module):
    r""":math:`W [h_v, AGGREGATE_{u \in N(v)} h_u] + b`, with features times weights once a node."""

    def __init__(self, aggregator: str, in_features: int, dim: int) -> None:
        super().__init__()
        aggregate = AGGREGATORS[aggregator](dim)
        self.aggregate = aggregate
        self.own = nn.Linear(in_features, dim)
        self.send = nn.Linear(in_features, aggregate.width, bias=False)

    def forward(self, x: Tensor | TwoWay, hood: Hood) -> Tensor:
        weight = torch.cat([self.own.weight, self.send.weight])
        widths = [self.own.out_features, self.send.out_features]
        own, sent = product(x, weight.T).split_with_sizes(widths, dim=1)
        aggregated: Tensor = self.aggregate(sent.contiguous(), hood)
        return functional.embedding(hood.own, own) + self.own.bias + aggregated


class _Sage(nn.Module):
    """Two layers, the first with ReLU; vectors of length 1."""

    order: Tensor

    def __init__(self, settings: SageSettings, in_features: int, seed: int) -> None:
        super().__init__()
        self.inner = _Layer(settings.aggregator, in_features, settings.dim)
        self.outer = _Layer(settings.aggregator, settings.dim, settings.dim)
        self.register_buffer("order", torch.tensor(seed))  # in which a trained lstm reads neighbours
        for name, parameter in self.named_parameters():
            nn.init.zeros_(parameter) if name.endswith("bias") else nn.init.xavier_uniform_(parameter)

    def forward(self, around: Surroundings) -> Tensor:
        h = self.inner(around.x, around.inner).relu()  # (n', dim)
        return unit_length(self.outer(h, around.outer))  # (m, dim)


def _train(
    network: _Sage, graph: Graph, settings: SageSettings, rng: np.random.Generator, *, quiet: bool
) -> list[float]:
    """The loss of each step until the smoothed loss settles."""
    features, sizes = features_of(graph), (settings.near, settings.far)
    steps = STEPS[settings.aggregator] if settings.steps is None else settings.steps
    chance = graph.degrees**0.75 / (graph.degrees**0.75).sum()
    adam = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    losses: list[float] = []
    smooth, stopping = 0.0, EarlyStopping(settings.patience, settings.tolerance)
    with console.progress(f"training GraphSAGE-{settings.aggregator}", quiet=quiet) as tell:
        for pairs, step in zip(_pairs(graph, settings, rng), range(steps), strict=False):
            negatives = rng.choice(graph.num_nodes, settings.negatives, p=chance)
            nodes, at = np.unique(np.concatenate([*pairs.T, negatives]), return_inverse=True)
            around = surround(graph, features, nodes, sizes, keys=lambda degrees: rng.random(degrees.sum()))
            adam.zero_grad()
            loss = _loss(network(around), torch.from_numpy(at), len(pairs))
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
            losses.append(loss.item())
            smooth = losses[0] if not step else (1 - SMOOTHING) * smooth + SMOOTHING * losses[-1]
            if stopping.has_settled(smooth):
                break
            tell((step + 1) / steps, f"loss {smooth:.3f}")
    return losses


def _pairs(graph: Graph, settings: SageSettings, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Pairs of nodes that meet, (batch, 2), without end: a walk from each node, all pairs shuffled, again."""
    starts = np.flatnonzero(graph.degrees)
    waiting = np.empty((0, 2), np.int32)
    while True:
        walks = uniform_walks(graph, starts, settings.walk, seed=int(rng.integers(2**63)))
        pairs = np.stack([np.repeat(starts, settings.walk - 1), walks[:, 1:].ravel()], axis=1)
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]  # a walk may come back
        waiting = np.concatenate([waiting, rng.permutation(pairs)])
        while len(waiting) >= settings.batch:
            yield waiting[: settings.batch]
            waiting = waiting[settings.batch :]


def _loss(vectors: Tensor, at: Tensor, pairs: int) -> Tensor:
    r""":math:`-\log \sigma(z_u \cdot z_v) - \sum_n \log \sigma(-z_u \cdot z_n)`, Eq. (1), over pairs."""
    z = functional.embedding(at, vectors)
    start, met, negative = z[:pairs], z[pairs : 2 * pairs], z[2 * pairs :]
    near, apart = (start * met).sum(dim=1), start @ negative.T
    return functional.softplus(-near).mean() + functional.softplus(apart).sum(dim=1).mean()
