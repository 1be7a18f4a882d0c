"""Labelled k-sets on two sides: what a task about k-sets hands on, and how the sides are cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.evaluation.probes.linear import Matrix, probe
from mhmgnn.evaluation.probes.score import Score
from mhmgnn.evaluation.tasks.side import NO_LABEL, Drawing, Labelling, Side, draw_side
from mhmgnn.graph import Graph, partition
from mhmgnn.models.predict import Embeds

REGIONS = 8  # METIS parts of the training side: folds of the converged probe share none
FEW = 30  # positives on the test side, below which a score says little


@runtime_checkable
class Summing(Protocol):
    """A method whose rows are sums over nodes."""

    def sums(self, ksets: Any, *, graph: Graph | None = None) -> Matrix:
        """What `embed` gives, with the rows of the nodes kept apart where that saves time."""


@dataclass(frozen=True, eq=False)
class Task:
    """k-sets whose hidden labels are to be read off their vectors."""

    name: str  # of its kind
    dataset: str
    k: int
    graph: Graph  # what a method may learn from, without labels
    train: Side
    test: Side

    def score(self, method: Embeds) -> Score:
        """How well linear probes on the vectors of `method` tell the labels of the test side."""
        rows = method.sums if isinstance(method, Summing) else method.embed
        x = [rows(side.ksets, graph=side.graph) for side in (self.train, self.test)]
        return probe(x[0], self.train.labels, x[1], self.test.labels, regions=self.train.regions)

    def describe(self) -> TaskInfo:
        """How many candidates there are, how many of each label, and what was left out and why."""
        return TaskInfo(self.name, self.dataset, self.k, *map(_side_info, (self.train, self.test)))


class SideInfo(NamedTuple):
    """What a person wants to know of one side."""

    candidates: float
    exact: bool
    by_label: dict[int, float]  # of the candidates
    counted: bool  # whether these are counts; else shares of the candidates that were drawn
    kept: dict[int, int]  # of the k-sets that the probe meets
    without_label: float  # candidates left out as their papers cite one another in a cycle


class TaskInfo(NamedTuple):
    """What a person wants to know of a task. `print` shows it as a few lines."""

    name: str
    dataset: str
    k: int
    train: SideInfo
    test: SideInfo

    def __str__(self) -> str:
        lines = [f"{self.name} on {self.dataset}, k = {self.k}"]
        for title, side in (("train", self.train), ("test", self.test)):
            total, about = ("" if sure else "about " for sure in (side.exact, side.counted))
            labels = ", ".join(
                f"label {label}: {side.kept.get(label, 0):,} of {about}{count:,.0f}"
                for label, count in side.by_label.items()
            )
            lines.append(f"{title}: {total}{side.candidates:,.0f} candidates; kept {labels}")
            if side.without_label:
                lines.append(f"  left out: {about}{side.without_label:,.0f} whose papers cite in a cycle")
        few = min(self.test.kept.values(), default=0)
        if few < FEW:
            lines.append(f"  the test side has a label with {few} k-sets only; the score says little")
        return "\n".join(lines)


def draw_task(
    name: str,
    dataset: Dataset[Any],
    labelling: Callable[[Graph, Any, int], Labelling],
    drawing: Drawing,
    seed: int,
) -> Task:
    """Two sides: one year and the next where there are two, else two METIS halves."""
    check_whole("k", drawing.k, 2)
    check_whole("most", drawing.most, 2)
    if dataset.later is None:
        half = partition.split(dataset.graph, 2, seed=seed)
        places = [(dataset, half == 0), (dataset, half == 1)]
    else:
        places = [(year, np.ones(year.graph.num_nodes, bool)) for year in (dataset, dataset.later)]
    sides = []
    for number, (piece, inside) in enumerate(places):
        region = partition.regions(piece.graph, inside.astype(np.int64), REGIONS, seed=seed)
        sides.append(
            draw_side(
                piece.graph,
                np.flatnonzero(inside),
                region,
                labelling=labelling(piece.graph, piece.truth, drawing.k),
                drawing=drawing,
                seed=[seed, drawing.k, number],
            )
        )
    return Task(name, dataset.name, drawing.k, dataset.graph, *sides)


def _side_info(side: Side) -> SideInfo:
    names, counts = np.unique(side.labels, return_counts=True)
    by_label = dict(side.by_label)
    without = by_label.pop(NO_LABEL, 0.0)
    kept = dict(zip(names.tolist(), counts.tolist(), strict=True))
    return SideInfo(side.candidates, side.exact, by_label, side.counted, kept, without)
