"""Do energies find real groups? python benchmarks/groups.py [SET ...]: ours beside every formula.

Steam, Rent and DBLP, and the hypergraphs of the folder in MHMGNN_DATA (test halves; dblp: a ball of 12,000
nodes). Cliques of 3 and 4 nodes are ranked by -energy: which are exactly a group, which lie inside one. With
counts on pairs and from pairs alone, three seeds. Labels are read for scoring alone. A row is kept in
results/groups/energy.jsonl as soon as it is there; rows that are there are not run again.
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
from mhmgnn.baselines.comparison.questions import ask_all, rank_by_energy, rank_by_formulas
from mhmgnn.baselines.comparison.rows import OURS
from mhmgnn.evaluation.ranking import Ranking
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.subgraphs.cliques import draw_cliques
from mhmgnn.subgraphs.rewire import rewire

KEPT = RESULTS / "groups" / "energy.jsonl"


def rows(name: str, counted: bool, seeds: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """Scores of each question by the formulas, and by the energy of each seed."""
    case = load(name)
    learn = case.learn if counted else replace(case.learn, weights=None)
    same = case.test is case.learn
    test = learn if same else case.test if counted else replace(case.test, weights=None)
    asked = ask_all(test, case.truth)

    def told(by: str, seed: int | None, found: Mapping[str, Ranking], **more: Any) -> dict[str, Any]:
        figures = {key: [round(one.auc, 4), round(one.precision, 4)] for key, one in found.items()}
        return {"set": name, "counts": counted, "by": by, "seed": seed, **more, **figures}

    for formula, found in rank_by_formulas(test, asked).items():
        yield told(formula, None, found)
    for seed in seeds:
        ours = Ours(learn, seed=seed)
        chance = round(chance_groups(ours, test, seed), 4)
        found = rank_by_energy(ours.reader(test), asked)
        yield told(OURS, seed, found, seconds=round(ours.seconds, 1), chance=chance)


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
    for counted in (False, True):
        for name in names:
            missing = tuple(seed for seed in seeds if not kept.has(name, counted, OURS, seed))
            if missing:
                kept.add(rows(name, counted, missing))


if __name__ == "__main__":
    main()
