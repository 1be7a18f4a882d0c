"""Do energies find real groups? python benchmarks/groups.py [SET ...]: ours beside every formula.

Steam, Rent and DBLP, and the hypergraphs of the folder in MHMGNN_DATA (test halves; dblp: a ball of 12,000
nodes). Cliques of 3 and 4 nodes are ranked by -energy: which are exactly a group, which lie inside one. With
counts on pairs and from pairs alone, three seeds. Also: the same with as many connected sets that are no
cliques among them, what probability these have, and how probabilities hold in worlds held back. Labels are
read for scoring alone. A row is kept in results/groups/energy.jsonl as soon as it is there; rows that are
there are not run again.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from cases import SETS, Kept, chosen, load
from record import RESULTS

from mhmgnn.baselines.comparison.ours import Ours
from mhmgnn.baselines.comparison.questions import Asked, ask_all, rank_by_energy, rank_by_formulas
from mhmgnn.baselines.comparison.rows import OURS
from mhmgnn.evaluation.ranking import Question, Ranking, rank
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models.groups import MATCHES, GroupReader
from mhmgnn.subgraphs.cliques import draw_cliques
from mhmgnn.subgraphs.loose import loose_sets
from mhmgnn.subgraphs.rewire import rewire

KEPT = RESULTS / "groups" / "energy.jsonl"


def rows(name: str, counted: bool, seeds: tuple[int, ...], formulas: bool) -> Iterator[dict[str, Any]]:
    """Scores of each question by the formulas, if asked for, and by the energy of each seed."""
    case = load(name)
    learn = case.learn if counted else replace(case.learn, weights=None)
    same = case.test is case.learn
    test = learn if same else case.test if counted else replace(case.test, weights=None)
    asked = ask_all(test, case.truth)

    def told(by: str, seed: int | None, found: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        return {"set": name, "counts": counted, "by": by, "seed": seed, **more, **found}

    for formula, found in rank_by_formulas(test, asked).items() if formulas else ():
        yield told(formula, None, rounded(found))
    for seed in seeds:
        ours = Ours(learn, seed=seed)
        reader = ours.reader(test)
        found = rounded(rank_by_energy(reader, asked)) | among_all(reader, asked)
        more = {"seconds": round(ours.seconds, 1), "chance": round(chance_groups(ours, test, seed), 4)}
        yield told(OURS, seed, found, **more, reliability=errors(ours.facts["reliability"]))


def rounded(found: Mapping[str, Ranking]) -> dict[str, list[float]]:
    """Area and average precision of each question."""
    return {key: [round(one.auc, 4), round(one.precision, 4)] for key, one in found.items()}


def among_all(reader: GroupReader, asked: Asked) -> dict[str, Any]:
    """Areas with as many connected sets that are no cliques among the cliques, and the mean of their chances.

    None of them is a group or lies inside one: a group is a clique of its projection.
    """
    found: dict[str, Any] = {}
    for (k, match), question in asked.items():
        loose = loose_sets(reader.graph, k, 2 * len(question.ksets), np.random.default_rng(k))
        loose = loose[: len(question.ksets)]
        both = Sets.of_rows(np.concatenate([question.ksets, loose]))
        energies = reader.energies(both)[:, MATCHES.index(match)].astype(np.float64)
        no = np.zeros(len(loose), bool)
        mixed = Question(np.empty(0), np.concatenate([question.labels, no]), np.ones(both.num))
        chance = 1 / (1 + np.exp(energies[len(question.ksets) :]))
        found[f"chance of others {k} {match}"] = round(float(chance.mean()), 5)
        if (ranked := rank(mixed, -energies)) is not None:
            found[f"all {k} {match}"] = round(ranked.auc, 4)
    return found


def errors(curves: dict[str, dict[str, list[list[float]]]]) -> dict[str, float]:
    """Mean |probability - share that came true| over the sets of worlds held back, of each curve."""
    return {
        f"{kind} {match}": round(sum(abs(chance - share) * weight for chance, share, weight in rows), 4)
        for kind, by_match in curves.items()
        for match, rows in by_match.items()
    }


def chance_groups(ours: Ours, graph: Graph, seed: int) -> float:
    """The share of triangles taken for groups, or inside one, in the graph rewired with degrees kept."""
    rng = np.random.default_rng(seed)
    other = rewire(graph, rng)
    ksets, _ = draw_cliques(other, 3, 5_000, rng)
    if not len(ksets):
        return 0.0
    energies = ours.reader(other).energies(Sets.of_rows(ksets))
    return float((energies < 0).mean(axis=0).max())


def main() -> None:
    """Run what is missing of the sets named, or of all."""
    torch.set_num_threads(1)
    names, seeds = chosen(sys.argv[1:], SETS)
    kept = Kept(KEPT, trial="--trial" in sys.argv)
    for name in names:
        for counted in (False, True):
            missing = tuple(seed for seed in seeds if not kept.has(name, counted, OURS, seed))
            if missing:
                kept.add(rows(name, counted, missing, not kept.has(name, counted, "Jaccard", None)))


if __name__ == "__main__":
    main()
