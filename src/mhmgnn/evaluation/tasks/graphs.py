"""Graphs with hidden classes -> those that train without labels, that train a probe and that test it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mhmgnn.datasets.dataset import GraphDataset
from mhmgnn.errors import DataError
from mhmgnn.evaluation.probes.linear import accuracy_inside, probe
from mhmgnn.evaluation.probes.score import Score
from mhmgnn.graph import Graph

Pooled = Callable[[Sequence[Graph]], np.ndarray]  # graphs to one row each


class GraphSide(NamedTuple):
    """Graphs with their classes."""

    graphs: tuple[Graph, ...]
    labels: np.ndarray  # (graphs,) int64


class PooledScore(NamedTuple):
    """The score of the pooling, or of several together, that did best inside the training side."""

    pooling: str
    score: Score


@dataclass(frozen=True, eq=False)
class GraphTask:
    """Whole graphs whose hidden classes are to be read off their vectors."""

    dataset: str
    unlabelled: tuple[Graph, ...]  # what a method learns from; the probe never meets them
    train: GraphSide
    test: GraphSide

    def score(self, embed: Pooled) -> Score:
        """How well linear probes on the rows of `embed` tell the classes of the test side."""
        return self._score(embed(self.train.graphs), embed(self.test.graphs))

    def best(self, ways: Mapping[str, Pooled]) -> PooledScore:
        """The score of one of several poolings, or of all of them side by side.

        Which is chosen by cross-validation inside the training side.
        """
        train = {name: embed(self.train.graphs) for name, embed in ways.items()}
        choices = [*((name,) for name in ways), tuple(ways)]
        rows = {names: np.hstack([train[name] for name in names]) for names in choices}
        names = max(choices, key=lambda names: accuracy_inside(rows[names], self.train.labels))
        test = np.hstack([ways[name](self.test.graphs) for name in names])
        return PooledScore(" and ".join(names), self._score(rows[names], test))

    def _score(self, train_x: np.ndarray, test_x: np.ndarray) -> Score:
        """Both probes meet standardised columns: a sum over a graph is as large as the graph."""
        return probe(train_x, self.train.labels, test_x, self.test.labels, standardise=True)

    def describe(self) -> str:
        """Graphs on each side and their classes, as a few lines."""
        lines = [f"whole graphs of {self.dataset}", f"to learn from, without labels: {len(self.unlabelled)}"]
        for title, side in (("train", self.train), ("test", self.test)):
            names, counts = np.unique(side.labels, return_counts=True)
            of_class = ", ".join(
                f"{count} of class {name}" for name, count in zip(names, counts, strict=True)
            )
            lines.append(f"{title}: {len(side.graphs)} graphs; {of_class}")
        return "\n".join(lines)


def whole_graphs(dataset: GraphDataset, *, seed: int = 0) -> GraphTask:
    """Half of the graphs to learn from; of the other half two thirds train a probe and one third tests it.

    Dense attributes are standardised by the half to learn from; columns that hold 0 and 1 alone stay.
    """
    if len(dataset.graphs) < 6:
        raise DataError(f"{dataset.name} has {len(dataset.graphs)} graphs; a split needs at least 6")
    order = np.random.default_rng(seed).permutation(len(dataset.graphs))
    half = len(order) // 2
    third = (len(order) - half) // 3
    parts = (order[:half], order[half + third :], order[half : half + third])
    unlabelled, *others = ([dataset.graphs[i] for i in part] for part in parts)
    scale = _measured(unlabelled)
    train, test = (
        GraphSide(tuple(map(scale, graphs)), dataset.labels[part])
        for graphs, part in zip(others, parts[1:], strict=True)
    )
    return GraphTask(dataset.name, tuple(map(scale, unlabelled)), train, test)


def _measured(graphs: Sequence[Graph]) -> Callable[[Graph], Graph]:
    """A function that standardises the attributes of a graph by the means and deviations of `graphs`."""
    rows = [graph.x for graph in graphs if isinstance(graph.x, np.ndarray)]
    if not rows:
        return lambda graph: graph
    seen = np.concatenate(rows)
    plain = ((seen == 0) | (seen == 1)).all(axis=0) | (seen == seen[0]).all(axis=0)
    mean = np.where(plain, 0, seen.mean(axis=0, dtype=np.float64))
    deviation = np.where(plain, 1, seen.std(axis=0, dtype=np.float64))
    return lambda graph: replace(graph, x=((graph.x - mean) / deviation).astype(np.float32))
