"""A user's labels -> a score by cross-validation; on request no node is on both sides of a fold."""

from typing import NamedTuple

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError
from mhmgnn.evaluation.probes.linear import Matrix, check_rows, probe
from mhmgnn.evaluation.probes.score import Score
from mhmgnn.graph import Graph
from mhmgnn.graph.partition import split


class CrossValidated(NamedTuple):
    """The score over folds, and how many rows were tested in one of them."""

    score: Score  # its runs are the folds
    tested: int
    left_out: int  # rows that cross METIS parts: a fold that tests one would have a node on both sides


def cross_validate(
    x: Matrix,
    labels: np.ndarray,
    *,
    folds: int = 5,
    apart: tuple[Graph, np.ndarray] | None = None,
    seed: int = 0,
) -> CrossValidated:
    """Score the rows of each fold by probes that were trained on the others.

    Folds have the same share of each class. With `apart`, the graph and the (m, k) k-sets of the rows, they
    share no node: METIS cuts the graph into as many parts as folds, a fold tests the k-sets inside its part,
    and trains on those that have no node there.
    """
    check_whole("folds", folds, 2)
    labels = np.asarray(labels)
    check_rows("labelled", x, labels)
    classes, counts = np.unique(labels, return_counts=True)
    if classes.size < 2 or counts.min() < 2:
        rare = f"class {classes[counts.argmin()]!s} has {counts.min()}"
        raise DataError(f"{classes.size} classes, {rare}; a probe needs two classes with two rows each")
    sides = _random(labels, folds, seed) if apart is None else _apart(*apart, folds, seed)
    scores, tested = [], 0
    for train, test in sides:
        if (
            train.size
            and test.size
            and np.unique(labels[train]).size > 1
            and np.unique(labels[test]).size > 1
        ):
            scores.append(probe(x[train], labels[train], x[test], labels[test]))
            tested += test.size
    if not scores:
        raise DataError(
            f"no fold has two classes on both sides; take fewer folds than {folds}"
            + ("" if apart is None else ", or let them share nodes")
        )
    return CrossValidated(Score.over(scores), tested, len(labels) - tested)


Fold = tuple[np.ndarray, np.ndarray]  # rows to train on, rows to test


def _random(labels: np.ndarray, folds: int, seed: int) -> list[Fold]:
    from sklearn.model_selection import StratifiedKFold

    smallest = int(np.unique(labels, return_counts=True)[1].min())
    kind = StratifiedKFold(min(folds, smallest), shuffle=True, random_state=seed)
    return list(kind.split(labels, labels))


def _apart(graph: Graph, ksets: np.ndarray, folds: int, seed: int) -> list[Fold]:
    part = split(graph, folds, seed=seed)[ksets]
    return [
        (np.flatnonzero((part != fold).all(axis=1)), np.flatnonzero((part == fold).all(axis=1)))
        for fold in range(folds)
    ]
