"""Three questions about hidden groups, put to ours and to every rival: sets, completion, recovery."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import get_args

import numpy as np

from mhmgnn.baselines import completion, recovery
from mhmgnn.baselines.comparison.rows import OURS, Row, measure
from mhmgnn.baselines.formulas import formulas
from mhmgnn.baselines.recovery import Recovered
from mhmgnn.baselines.recovery.bayesian import bayesian
from mhmgnn.datasets.hyperedges import Hyperedges, Match
from mhmgnn.evaluation.completion import HeldOut, Scorer, complete_all
from mhmgnn.evaluation.ranking import Question, Ranking, ask, rank
from mhmgnn.evaluation.recovery import compare_groups
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models.completion import Completer
from mhmgnn.models.groups import MATCHES, GroupReader

SIZES = (3, 4)
SEEDED = ("Bayesian",)  # rivals that are given a seed
LEAST = {"": 2, " of 3+": 3}  # what figures of groups of at least so many nodes are called
Asked = Mapping[tuple[int, str], Question]  # by k and match


def ask_all(graph: Graph, truth: Hyperedges) -> Asked:
    """Cliques of 3 and of 4 nodes: which are groups, which lie inside one?"""
    return {(k, match): ask(graph, truth, k, match) for k in SIZES for match in get_args(Match)}


def rank_all(asked: Asked, score: Callable[[int, str], np.ndarray]) -> dict[str, Ranking]:
    """How well a score of each question ranks, by "3 exact" and so on; without those of one answer alone."""
    ranked = {f"{k} {match}": rank(question, score(k, match)) for (k, match), question in asked.items()}
    return {name: found for name, found in ranked.items() if found is not None}


def rank_by_formulas(graph: Graph, asked: Asked) -> dict[str, dict[str, Ranking]]:
    """How well each formula ranks the cliques."""
    values = {key: formulas(graph, question.ksets) for key, question in asked.items()}

    def score(formula: str, k: int, match: str) -> np.ndarray:
        return values[k, match][formula]

    return {name: rank_all(asked, partial(score, name)) for name in next(iter(values.values()))}


def rank_by_energy(reader: GroupReader, asked: Asked) -> dict[str, Ranking]:
    """How well the group energy ranks them."""

    def score(k: int, match: str) -> np.ndarray:
        energies = reader.energies(Sets.of_rows(asked[k, match].ksets))
        return -energies[:, MATCHES.index(match)]

    return rank_all(asked, score)


def complete_by_all(held: HeldOut, *, methods: Collection[str] | None = None) -> Iterator[Row]:
    """How high ours and each rival rank the hidden members; of all, or of some methods."""
    known = {**completion.RIVALS, OURS: lambda graph: Completer(graph).scores}

    def run(method: Callable[[Graph], Scorer]) -> dict[str, float]:
        return complete_all(method(held.graph), held.queries)._asdict()

    for by, method in known.items():
        if methods is None or by in methods:
            yield measure(by, partial(run, method))


def recover_by_all(
    graph: Graph,
    truth: Hyperedges,
    ours: Callable[[Graph], Recovered] | None,
    *,
    seconds: float,
    seed: int,
    methods: Collection[str] | None = None,
) -> Iterator[Row]:
    """How many groups each rival, and ours if it is there, recovers; of all, or of some methods.

    The Bayesian method has `seconds` seconds, and a `seed`.
    """
    known: dict[str, Callable[[Graph], Recovered]] = dict(recovery.RIVALS)
    known["Bayesian"] = partial(bayesian, seconds=seconds, seed=seed)
    if ours is not None:
        known[OURS] = ours

    def run(method: Callable[[Graph], Recovered]) -> dict[str, float]:
        return recovery_figures(method(graph), truth)

    for by, method in known.items():
        if methods is None or by in methods:
            yield measure(by, partial(run, method))


def recovery_figures(found: Recovered, truth: Hyperedges) -> dict[str, float]:
    """F1 and Jaccard of all groups and of those of three nodes and more, and how many were found."""
    figures: dict[str, float] = {}
    for called, least in LEAST.items():
        if (score := compare_groups(found.sets, truth, least=least)) is not None:
            figures |= {f"{name}{called}": value for name, value in score._asdict().items()}
    return {**figures, "groups": found.sets.num, "complete": found.complete}
