"""The two k-node tasks of the paper: is this k-set a hyperedge, and how many leaves has its DAG?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.datasets.citations import Citations
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.hyperedges import Hyperedges, Match
from mhmgnn.errors import DataError
from mhmgnn.evaluation.probes.linear import Matrix, probe
from mhmgnn.evaluation.probes.score import Score
from mhmgnn.evaluation.tasks import candidates
from mhmgnn.evaluation.tasks.side import NO_LABEL, Drawing, Kind, Side, draw_side
from mhmgnn.graph import Graph, partition
from mhmgnn.models.predict import Embeds
from mhmgnn.subgraphs.exact import edge_codes

REGIONS = 8  # METIS parts of the training side: folds of the converged probe share none
CENSUS = 10**6  # hyperedges of size k that are all listed
FEW = 30  # positives on the test side, below which a score says little


@runtime_checkable
class Summing(Protocol):
    """A method whose rows are sums over nodes."""

    def sums(self, ksets: Any, *, graph: Graph | None = None) -> Matrix:
        """What `embed` gives, with the rows of the nodes kept apart where that saves time."""


@dataclass(frozen=True, eq=False)
class Task:
    """k-sets whose hidden labels are to be read off their vectors."""

    name: str  # "hyperedge" or "dag-leaves"
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


def hyperedges(
    dataset: Dataset[Any],
    k: int,
    *,
    match: Match = "exact",
    most: int = 10_000,
    by_class: bool = True,
    seed: int = 0,
) -> Task:
    """Is this k-set a hidden hyperedge?

    Citation networks: candidates have a node adjacent to all the others; label 1 if some node cites all the
    others. Else candidates are the k-cliques; label 1 if the k nodes are a hyperedge (`match` "exact") or
    part of one ("contained").

    A side keeps at most `most` k-sets: with `by_class` as many of each label as can be had, drawn uniformly
    within it, else drawn uniformly from all candidates. Balanced accuracy does not depend on how many k-sets
    a class has; by class it is known better.
    """
    truth = dataset.truth
    if isinstance(truth, Citations) and match != "exact":
        raise DataError(f"match is {match!r}; a citation network knows only 'exact'")

    def kind(graph: Graph, truth: Citations | Hyperedges) -> Kind:
        if isinstance(truth, Citations):
            return Kind(
                candidates.stars,
                lambda ksets: truth.has_citing_centre(ksets).astype(np.int64),
                rare=1,
                census=lambda nodes: _citing_sets(truth, nodes, k),
            )
        return Kind(
            candidates.cliques,
            lambda ksets: truth.holds(ksets, match).astype(np.int64),
            rare=1,
            census=lambda nodes: _hyperedges_inside(graph, truth, nodes, k) if match == "exact" else None,
        )

    return _task("hyperedge", dataset, kind, Drawing(k, most, by_class), seed)


def dag_leaves(
    dataset: Dataset[Any], k: int, *, most: int = 10_000, by_class: bool = True, seed: int = 0
) -> Task:
    """How many papers of this connected k-set cite none of the others, 1 to k - 1?

    k-sets without such a paper, where papers cite one another in a cycle, have no label and are left out.
    `most` and `by_class` are those of `hyperedges`.
    """
    if not isinstance(dataset.truth, Citations):
        raise DataError(f"{dataset.name} has no citations; leaves are counted in cora, citeseer and pubmed")

    def kind(graph: Graph, truth: Citations) -> Kind:
        def label(ksets: np.ndarray) -> np.ndarray:
            leaves = truth.leaves(ksets)
            return np.where(leaves > 0, leaves, NO_LABEL)

        def one_cites_all(nodes: np.ndarray) -> np.ndarray | None:
            ksets = _citing_sets(
                truth, nodes, k
            )  # k - 1 leaves: one paper cites the others, and no other does
            return None if ksets is None else ksets[truth.leaves(ksets) == k - 1]

        return Kind(candidates.connected, label, rare=k - 1, census=one_cites_all)

    return _task("dag-leaves", dataset, kind, Drawing(k, most, by_class), seed)


def _task(name: str, dataset: Dataset[Any], kind: Any, drawing: Drawing, seed: int) -> Task:
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
                kind=kind(piece.graph, piece.truth),
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


def _citing_sets(truth: Citations, nodes: np.ndarray, k: int) -> np.ndarray | None:
    """Every k-set inside `nodes` of a paper and k - 1 that it cites, (m, k); None if too many to list."""
    inside = np.isin(truth.citing, nodes) & np.isin(truth.cited, nodes)
    papers, first, counts = np.unique(truth.citing[inside], return_index=True, return_counts=True)
    if sum(comb(int(count), k - 1) for count in counts) > CENSUS:
        return None
    cited, found = truth.cited[inside], [np.empty((0, k), np.int64)]
    for count in np.unique(counts[counts >= k - 1]).tolist():
        chosen = np.array(list(combinations(range(count), k - 1)))
        same = counts == count
        others = cited[first[same, None, None] + chosen]  # (papers, choices, k - 1)
        centre = np.broadcast_to(papers[same, None, None], (*others.shape[:2], 1))
        found.append(np.concatenate([centre, others], axis=2).reshape(-1, k))
    return np.unique(np.sort(np.concatenate(found), axis=1), axis=0)


def _hyperedges_inside(graph: Graph, truth: Hyperedges, nodes: np.ndarray, k: int) -> np.ndarray:
    """Every hyperedge of k nodes, all in `nodes` and adjacent to one another, once, (m, k)."""
    of_size = np.flatnonzero(truth.sizes == k)
    ksets = np.unique(truth.members[truth.offsets[of_size, None] + np.arange(k)], axis=0)
    ksets = ksets[np.isin(ksets, nodes).all(axis=1)]
    every_pair = (1 << k * (k - 1) // 2) - 1
    return np.asarray(ksets[edge_codes(graph.rows, ksets) == every_pair])
