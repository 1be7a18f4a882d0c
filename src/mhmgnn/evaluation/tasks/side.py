"""Candidates and the hidden truth -> labelled k-sets of one side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mhmgnn.evaluation.tasks.candidates import Candidates
from mhmgnn.graph import Graph
from mhmgnn.graph.partition import induced

POOL = 20  # candidates drawn for each k-set that is kept, so that rare labels are met
NO_LABEL = -1


class Labelling(NamedTuple):
    """Which k-sets are asked about, and what the answers are."""

    draw: Callable[[Graph, int, int, np.random.Generator], Candidates]  # from a graph: k, at most so many
    label: Callable[[np.ndarray], np.ndarray]  # k-sets, (m, k), to labels, (m,) int64
    rare: int = 1  # the label that few candidates have
    census: Callable[[np.ndarray], np.ndarray | None] | None = None  # lists that label inside some nodes


class Drawing(NamedTuple):
    """How k-sets are drawn."""

    k: int
    most: int  # k-sets a side
    by_class: bool  # whether to draw equally many of each label, where there are enough


@dataclass(frozen=True, eq=False)
class Side:
    """Labelled k-sets that train a probe, or test it."""

    graph: Graph  # that the k-sets are of
    ksets: np.ndarray  # (m, k) int64, rows sorted
    labels: np.ndarray  # (m,) int64
    regions: np.ndarray  # (m,) int64: the METIS region that the k-set lies in, the lowest if several
    candidates: float  # how many k-sets there are to draw from
    exact: bool  # whether they were counted and drawn exactly, not by tours
    by_label: dict[int, float]  # how many candidates have each label
    counted: bool  # whether these are counts; else shares of the candidates that were drawn


def draw_side(
    graph: Graph,
    nodes: np.ndarray,
    region: np.ndarray,
    *,
    labelling: Labelling,
    drawing: Drawing,
    seed: list[int],
) -> Side:
    """Labelled k-sets of `graph` inside `nodes`, (m,) in rising order; `region`, (n,), is that of each node.

    By class, k-sets come from a pool of POOL times as many candidates; those of the rare label from a census
    of all of them, where they can be listed.
    """
    rng = np.random.default_rng(seed)
    k, most, by_class = drawing
    drawn = labelling.draw(induced(graph, nodes), k, POOL * most if by_class else most, rng)
    ksets = nodes[drawn.ksets]
    labels = labelling.label(ksets)
    census = labelling.census(nodes) if by_class and labelling.census is not None else None
    if census is not None:
        others = labels != labelling.rare
        ksets = np.concatenate([ksets[others], census])
        labels = np.concatenate([labels[others], np.full(len(census), labelling.rare)])
    known = np.flatnonzero(labels != NO_LABEL)
    keep = known[_of_each(labels[known], most, rng)] if by_class else known
    return Side(
        graph=graph,
        ksets=ksets[keep],
        labels=labels[keep],
        regions=region[ksets[keep]].min(axis=1),
        candidates=drawn.total,
        exact=drawn.exact,
        by_label=_shares(labels, drawn.total, None if census is None else labelling.rare),
        counted=len(drawn.ksets) == drawn.total,
    )


def _shares(labels: np.ndarray, total: float, known: int | None) -> dict[int, float]:
    """How many of `total` candidates have each label, as drawn; those of label `known` are all there."""
    counts = dict(zip(*(column.tolist() for column in np.unique(labels, return_counts=True)), strict=True))
    sure = counts.get(known, 0) if known is not None else 0
    drawn = len(labels) - sure
    return {
        label: float(count) if label == known else (total - sure) * count / drawn
        for label, count in counts.items()
    }


def _of_each(labels: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most `most` places, equally many of each label where there are enough, uniform within a label."""
    order = rng.permutation(labels.size)
    names, counts = np.unique(labels, return_counts=True)
    kept, left = [], most
    for waiting, i in zip(range(names.size, 0, -1), np.argsort(counts, kind="stable"), strict=True):
        share = min(int(counts[i]), left // waiting)  # what a rare label leaves goes to the others
        kept.append(order[labels[order] == names[i]][:share])
        left -= share
    return np.sort(np.concatenate([np.empty(0, np.int64), *kept]))
