"""Who completes a group never seen? python benchmarks/completion.py [SET ...]: ours beside every rival.

A fifth of the groups is held out, by seed, and the others are projected over the same nodes; of each group
held out one random member is hidden, and all nodes that are not given are ranked: mean reciprocal rank, where
ties count half, and the share of hidden members among the first ten. A group held out that is there again
among the others is asked about all the same. With counts on pairs and from pairs alone, three seeds, and as
many more as make 1,000 questions: of 20 groups held out one more at the top moves the mean by 0.05. Of Steam
and Rent these are the groups of the later year. A row is kept in results/groups/completion.jsonl as soon as
it is there; rows that are there are not run again.
"""

import sys
from collections.abc import Iterator
from typing import Any

import torch
from cases import HYPERGCN, SETS, Kept, chosen, load
from record import RESULTS

from mhmgnn.baselines.comparison.questions import complete_by_all
from mhmgnn.baselines.comparison.rows import OURS
from mhmgnn.baselines.completion import RIVALS
from mhmgnn.evaluation.completion import hold_out, split

KEPT = RESULTS / "groups" / "completion.jsonl"
QUESTIONS = 1_000  # of each set, at least


def enough(name: str, seeds: tuple[int, ...]) -> range:
    """The seeds, and more where they make too few questions."""
    asked = len(split(load(name).truth, seed=seeds[0])[1])
    return range(1, 1 + max(len(seeds), -(-QUESTIONS // asked)))


def rows(name: str, counted: bool, seed: int, wanted: set[str]) -> Iterator[dict[str, Any]]:
    """What each of the `wanted` methods has."""
    case = load(name)
    held = hold_out(case.truth, case.test.num_nodes, seed=seed, counts=counted)
    for row in complete_by_all(held, methods=wanted):
        told = {"set": name, "counts": counted, "by": row.by, "seed": seed, "queries": len(held.queries)}
        if row.absent:
            yield {**told, "absent": row.absent}
        else:
            figures = {key: round(value, 4) for key, value in row.figures.items()}
            yield {**told, **figures, "seconds": round(row.seconds, 2)}


def main() -> None:
    """Run what is missing of the sets named, or of all."""
    torch.set_num_threads(1)
    names, seeds = chosen(sys.argv[1:], (*SETS, *HYPERGCN))
    trial = "--trial" in sys.argv
    kept = Kept(KEPT, trial=trial)
    for name in names:
        for counted in (True, False):
            for seed in seeds if trial else enough(name, seeds):
                missing = {by for by in (*RIVALS, OURS) if not kept.has(name, counted, by, seed)}
                if missing:
                    kept.add(rows(name, counted, seed, missing))


if __name__ == "__main__":
    main()
