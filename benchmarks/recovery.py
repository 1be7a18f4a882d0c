"""Which groups were the pairs made of? python benchmarks/recovery.py [SET ...]: ours beside every rival.

The test halves of the hypergraphs of the folder in MHMGNN_DATA, projected to pairs alone, whole. All distinct
groups found are compared with all true ones: F1 and Jaccard of equal groups, of all sizes and of three nodes
and more. Ours and the Bayesian method have three seeds, the others none. `--counts` gives ours the counts
(the others read pairs alone), `--rivals` leaves ours out. A row is kept in results/groups/recovery.jsonl as
soon as it is there; rows that are there are not run again.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from cases import HYPERGCN, HYPERGRAPHS, Kept, chosen, load
from record import RESULTS

from mhmgnn.baselines.comparison.ours import Ours
from mhmgnn.baselines.comparison.questions import SEEDED, recover_by_all
from mhmgnn.baselines.comparison.rows import OURS
from mhmgnn.baselines.recovery import RIVALS

KEPT = RESULTS / "groups" / "recovery.jsonl"
SECONDS = 60.0  # of the Bayesian method


def rows(name: str, counted: bool, seed: int | None, wanted: list[str]) -> Iterator[dict[str, Any]]:
    """What each of the `wanted` methods has."""
    case = load(name, whole=True)
    graph = case.test if counted else replace(case.test, weights=None)
    ours = Ours(graph, seed=seed) if OURS in wanted and seed is not None else None
    recover = None if ours is None else ours.groups
    for row in recover_by_all(graph, case.truth, recover, methods=wanted, seconds=SECONDS, seed=seed or 0):
        told = {"set": name, "counts": counted, "by": row.by, "seed": seed}
        if row.absent:
            yield {**told, "absent": row.absent}
        else:
            figures = {key: round(value, 4) for key, value in row.figures.items()}
            learned = {"learned": round(ours.seconds, 1)} if ours is not None and row.by == OURS else {}
            yield {**told, **figures, "seconds": round(row.seconds, 2), **learned}


def main() -> None:
    """Run what is missing of the sets named, or of all."""
    torch.set_num_threads(1)
    names, seeds = chosen(sys.argv[1:], (*HYPERGRAPHS, *HYPERGCN))
    counted = "--counts" in sys.argv
    kept = Kept(KEPT, trial="--trial" in sys.argv)
    ours = [] if "--rivals" in sys.argv else [OURS]
    for name in names:
        if not counted:
            plain = [by for by in RIVALS if by not in SEEDED and not kept.has(name, False, by, None)]
            kept.add(rows(name, False, None, plain)) if plain else None
        for seed in seeds:
            seeded = ours if counted else [*SEEDED, *ours]
            missing = [by for by in seeded if not kept.has(name, counted, by, seed)]
            kept.add(rows(name, counted, seed, missing)) if missing else None


if __name__ == "__main__":
    main()
