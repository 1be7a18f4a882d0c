"""Three tasks on hidden groups, for mhmgnn and every baseline: scoring sets, completion, recovery."""

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
from mhmgnn.models.completion_tuning import tune
from mhmgnn.models.groups import MATCHES, GroupReader

SIZES = (3, 4)
SEEDED = ("Bayesian",)  # baselines that take a seed
LEAST = {"": 2, " of 3+": 3}  # suffix of a figure's name -> fewest nodes of the groups it counts
Asked = Mapping[tuple[int, str], Question]  # by k and match


def ask_all(graph: Graph, truth: Hyperedges) -> Asked:
    """Labelled cliques of 3 and 4 nodes, by k and match: which are groups, which lie inside one?"""
    return {(k, match): ask(graph, truth, k, match) for k in SIZES for match in get_args(Match)}


def rank_all(asked: Asked, score: Callable[[int, str], np.ndarray]) -> dict[str, Ranking]:
    """The ranking quality of a score by question, such as "3 exact"; without questions of only one answer."""
    ranked = {f"{k} {match}": rank(question, score(k, match)) for (k, match), question in asked.items()}
    return {name: found for name, found in ranked.items() if found is not None}


def rank_by_formulas(graph: Graph, asked: Asked) -> dict[str, dict[str, Ranking]]:
    """The ranking quality of each formula."""
    values = {key: formulas(graph, question.ksets) for key, question in asked.items()}

    def score(formula: str, k: int, match: str) -> np.ndarray:
        return values[k, match][formula]

    return {name: rank_all(asked, partial(score, name)) for name in next(iter(values.values()))}


def rank_by_energy(reader: GroupReader, asked: Asked) -> dict[str, Ranking]:
    """The ranking quality of the group energy."""

    def score(k: int, match: str) -> np.ndarray:
        energies = reader.energies(Sets.of_rows(asked[k, match].ksets))
        return -energies[:, MATCHES.index(match)]

    return rank_all(asked, score)


def complete_by_all(held: HeldOut, *, methods: Collection[str] | None = None) -> Iterator[Row]:
    """A row for each method of completion, or for those in `methods`: how high it ranks hidden members."""
    known = {**completion.RIVALS, OURS: lambda graph: Completer(graph, tune(graph)).scores}

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
    """A row for each method of recovery, or for those in `methods`: how many groups it finds.

    `ours` may be None. The Bayesian method takes `seconds` of processor time and the `seed`.
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
    """F1 and Jaccard index of all groups and of those of three and more nodes, and the number found."""
    figures: dict[str, float] = {}
    for called, least in LEAST.items():
        if (score := compare_groups(found.sets, truth, least=least)) is not None:
            figures |= {f"{name}{called}": value for name, value in score._asdict().items()}
    return {**figures, "groups": found.sets.num, "complete": found.complete}
