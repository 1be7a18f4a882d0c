"""Real groups -> how well mhmgnn and the baselines recover them from their pairs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mhmgnn.baselines.comparison.ours import Ours
from mhmgnn.baselines.comparison.questions import (
    ask_all,
    complete_by_all,
    rank_by_energy,
    rank_by_formulas,
    recover_by_all,
)
from mhmgnn.baselines.comparison.rows import OURS, Row, gather_rows, measure
from mhmgnn.baselines.completion import RIVALS as COMPLETERS
from mhmgnn.baselines.recovery import RIVALS as RECOVERERS
from mhmgnn.datasets.group_lines import read_group_file
from mhmgnn.datasets.groups import AnyGroups, Groups, hypergraph, read_groups
from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.errors import DataError
from mhmgnn.evaluation.completion import hold_out
from mhmgnn.evaluation.ranking import Ranking
from mhmgnn.graph import Graph
from mhmgnn.graph.names import Names
from mhmgnn.runtime.console import Tell, progress
from mhmgnn.runtime.distributed import ALONE, Crew

SECONDS = 20.0  # of processor time for the Bayesian method; the tables in docs give it more


class Answers(NamedTuple):
    """One question about hidden groups, and the figures of each method."""

    title: str
    columns: Mapping[str, str]  # the name of each figure in a row -> its title
    rows: tuple[Row, ...]

    def best(self, column: str) -> float | None:
        """The highest figure in a column."""
        return max((row.figures[column] for row in self.rows if column in row.figures), default=None)


class Comparison(NamedTuple):
    """The figures of mhmgnn and every baseline on a user's groups; for all of them higher is better."""

    facts: Mapping[str, Any]  # about the groups and their graph
    sets: Answers
    completion: Answers
    recovery: Answers

    @property
    def answers(self) -> tuple[Answers, Answers, Answers]:
        """All three."""
        return self.sets, self.completion, self.recovery


def compare(
    groups: AnyGroups,
    *,
    layout: str = "auto",
    largest: int | None = None,
    weights: bool = True,
    seed: int = 0,
    crew: Crew = ALONE,
    quiet: bool = True,
) -> Comparison:
    """Measure how well mhmgnn and every baseline find known groups from their pairs.

    `groups` is a file (see `datasets.group_lines.read_group_file`, which explains `layout`), a dict or a list
    of groups; groups above `largest` nodes are left out. With `weights` pairs have counts, which baselines of
    recovery ignore. Three questions are asked:

    - Which cliques of 3 and 4 nodes are groups, or lie inside one? Area under the ROC curve.
    - Who completes a new group? A fifth of the groups is held out, one member of each is hidden, and all
      other nodes are ranked.
    - Which groups were there? F1 and Jaccard index of exactly equal groups.

    Methods only see the pairs, never the groups. The processes of a `crew` divide methods and worlds among
    them, and each returns the same figures.
    """
    from_file = isinstance(groups, str | os.PathLike)
    found = read_group_file(groups, layout=layout) if from_file else read_groups(groups)  # type: ignore[arg-type]
    several = without_single(found)
    data = hypergraph(several, largest=largest, weights=weights)
    held = hold_out(data.truth, data.graph.num_nodes, seed=seed, counts=weights)
    facts = {
        "nodes": data.graph.num_nodes,
        "pairs": data.graph.num_edges,
        "groups": len(data.truth),
        "largest": int(data.truth.sizes.max()),
        "left_out": len(found.hyperedges) - len(data.truth),
        "held_out": len(held.queries),
        "counts": weights,
        "seed": seed,
    }
    with progress("compare", quiet=quiet) as tell:
        tell(0.0, "learning from all pairs")
        ours = _learn(data.graph, seed, crew)
        sets = _sets(data.graph, data.truth, ours)
        completed = _shared((*COMPLETERS, OURS), partial(complete_by_all, held), crew, tell, (0.4, 0.6))
        finder = _refuse(ours) if isinstance(ours, DataError) else ours.groups
        recover = partial(recover_by_all, data.graph, data.truth, finder, seconds=SECONDS, seed=seed)
        recovered = _shared(tuple(RECOVERERS), recover, crew, tell, (0.6, 0.9))
        recovered += tuple(recover(methods=(OURS,)))  # by all processes together
    return Comparison(
        facts,
        Answers(
            "Which cliques are groups, or lie inside one? Area under the ROC curve, 0.5 by chance",
            {name: f"k = {name}" for row in sets for name in row.figures},
            sets,
        ),
        Answers(
            f"Who completes a group never seen? {len(held.queries):,} groups, one member of each hidden",
            {"mrr": "mean reciprocal rank", "hits": "among the first ten"},
            completed,
        ),
        Answers(
            "Which groups were the pairs made of? Groups that are found exactly",
            {"f1": "F1", "jaccard": "Jaccard", "f1 of 3+": "F1, 3 nodes and more"},
            recovered,
        ),
    )


def without_single(groups: Groups) -> Groups:
    """The groups of two and more members, on the nodes that they hold."""
    held = groups.hyperedges
    kept = held.sizes > 1
    if not kept.any():
        raise DataError(
            f"none of {len(held):,} groups has two members; a comparison needs at least 2 groups that do"
        )
    members, place = np.unique(held.members[np.repeat(kept, held.sizes)], return_inverse=True)
    offsets = np.concatenate([[0], np.cumsum(held.sizes[kept])])
    names = Names.wrap(groups.names.array.take(pa.array(members)))
    return Groups(names, Hyperedges(place.astype(np.int64), offsets))


def _learn(graph: Graph, seed: int, crew: Crew) -> Ours | DataError:
    """A trained group energy, or the error that says why there is nothing to learn."""
    try:
        return Ours(graph, seed=seed, crew=crew)
    except DataError as error:
        return error


def _refuse(why: DataError) -> Any:
    def refuse(graph: Graph) -> None:
        raise why

    return refuse


def _sets(graph: Graph, truth: Hyperedges, ours: Ours | DataError) -> tuple[Row, ...]:
    asked = ask_all(graph, truth)
    rows = [Row(by, _areas(found), 0.0) for by, found in rank_by_formulas(graph, asked).items()]

    def by_energy() -> dict[str, float]:
        if isinstance(ours, DataError):
            raise ours
        return _areas(rank_by_energy(ours.reader(graph), asked))

    return (*rows, measure(OURS, by_energy))


def _areas(found: Mapping[str, Ranking]) -> dict[str, float]:
    return {name: one.auc for name, one in found.items()}


def _shared(
    methods: tuple[str, ...],
    run: Callable[..., Iterator[Row]],
    crew: Crew,
    tell: Tell,
    shares: tuple[float, float],
) -> tuple[Row, ...]:
    """A row for each method, run by one process of the crew; progress goes from one share to the other."""
    mine, found = methods[crew.rank :: crew.world], []
    low, high = shares
    for row in run(methods=mine):
        found.append(row)
        tell(low + (high - low) * len(found) / len(mine), row.by)
    return gather_rows(found, crew)
