"""Evaluation of scores: cliques labelled by hidden groups, and how well a score ranks the groups first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.datasets.hyperedges import Hyperedges, Match
from mhmgnn.graph import Graph
from mhmgnn.subgraphs.cliques import draw_cliques

MOST = 40_000  # cliques that are ranked; of more, a random sample
GROUPS = 10_000  # groups that are added to a sample, as they are few among cliques


class Question(NamedTuple):
    """Labelled cliques of k nodes: which of them are groups, or lie inside one?"""

    ksets: np.ndarray  # (s, k) int64
    labels: np.ndarray  # (s,) bool
    weights: np.ndarray  # (s,) how many cliques of the graph each one represents


class Ranking(NamedTuple):
    """How well a score ranks; chance has an AUC of 0.5 and the share of groups as precision."""

    auc: float  # area under the ROC curve
    precision: float  # average precision


def ask(graph: Graph, truth: Hyperedges, k: int, match: Match, *, seed: int = 0) -> Question:
    """The k-cliques of a graph, or a weighted sample of them, labelled by the true groups."""
    rng = np.random.default_rng(seed)
    ksets, total = draw_cliques(graph, k, MOST, rng)
    labels = truth.holds(ksets, match)
    weights = np.full(len(ksets), total / max(len(ksets), 1))
    if match == "contained" or total <= MOST:
        return Question(ksets, labels, weights)
    rows = np.array([truth[i] for i in np.flatnonzero(truth.sizes == k).tolist()]).reshape(-1, k)
    every = np.unique(rows, axis=0)
    some = rng.permutation(every)[:GROUPS]
    return Question(
        np.concatenate([ksets[~labels], some]),
        np.repeat([False, True], [int((~labels).sum()), len(some)]),
        np.concatenate([weights[~labels], np.full(len(some), len(every) / max(len(some), 1))]),
    )


def rank(question: Question, score: np.ndarray) -> Ranking | None:
    """How well a score, (s,), high for groups, ranks the cliques; None if all or none are groups."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    if question.labels.all() or not question.labels.any():
        return None
    precision = average_precision_score(question.labels, score, sample_weight=question.weights)
    return Ranking(float(roc_auc_score(question.labels, score)), float(precision))
