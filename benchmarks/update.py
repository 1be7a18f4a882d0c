"""Is an update as good as a fresh fit, in how much of its time? python benchmarks/update.py [SET ...]

The generated shop, three hypergraphs of the folder in MHMGNN_DATA with counts on their pairs, and a million
edges for the time alone. A fifth of the groups is hidden; of the others a tenth are the pairs of tonight. A
run is fitted without these, which `update` adds; two are fitted on all, with seeds of their own, as far apart
as chance brings them. AUC of energies is over the cliques of the graph of all that are shown, MRR over groups
that are hidden, one member of each. Rows that the file has are not measured again: delete it to begin anew.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from cases import read_groups
from record import Record

import mhmgnn
from mhmgnn import Graph, Model, RunConfig, fit, generate, load, update
from mhmgnn.baselines.comparison.questions import ask_all, rank_by_energy
from mhmgnn.datasets.files import data_folder
from mhmgnn.datasets.hyperedges import Hyperedges, count_together
from mhmgnn.evaluation.completion import Query, complete_all, hold_out, split
from mhmgnn.models.completion import Completer, Tuning
from mhmgnn.models.groups import GroupReader

TONIGHT = 0.1  # of the groups that are shown
TOLERANCE = 0.0105  # of figures with three digits
ANOTHER = 1_000  # added to the seed of the second fresh fit
SETS = {"school2": (1, 2, 3), "enron": (1, 2, 3), "shop": (1,), "hosts": (1, 2, 3), "a million edges": (1,)}


class Night(NamedTuple):
    """A graph by day, what comes by night, both together, and what is asked of those who know all."""

    day: Graph
    night: Graph
    both: Graph
    truth: Hyperedges | None  # of `both`; None where only the time is measured
    queries: tuple[Query, ...]


def night_of(name: str, seed: int) -> Night:
    """The case of a set."""
    if name == "a million edges":
        both = generate.planted_groups(100_000, 100_000, stray=150_000).graph
        return _cut(both, seed)
    if name == "shop":
        shop = mhmgnn.datasets.load("market")
        truth, x, n = shop.truth, shop.graph.x, shop.graph.num_nodes
    else:
        truth, x = read_groups(data_folder() / "hypergraphs" / name / "test.txt.gz"), None
        n = int(truth.members.max()) + 1
    queries = hold_out(truth, n, seed=seed, counts=True).queries
    shown, _ = split(truth, seed=seed)
    day, night = split(shown, seed=seed, share=TONIGHT)

    def graph(groups: Hyperedges, features: Any = x) -> Graph:
        seen = count_together(groups, n)
        return Graph.from_edges(seen.pairs, weights=seen.times, num_nodes=n, features=features)

    return Night(graph(day), graph(night, None), graph(shown), shown, queries)


def _cut(both: Graph, seed: int) -> Night:
    """A tenth of the pairs, at random, as those of the night."""
    owner = np.repeat(np.arange(both.num_nodes), both.degrees)
    pairs = np.column_stack([owner, both.indices])[owner < both.indices]
    late = np.random.default_rng(seed).random(len(pairs)) < TONIGHT
    day, night = (
        Graph.from_edges(pairs[mine], features=x, num_nodes=both.num_nodes, weights=False)
        for mine, x in ((~late, both.x), (late, None))
    )
    return Night(day, night, both, None, ())


def scores(model: Model, night: Night) -> dict[str, float]:
    """AUC of each question, and MRR, in the model's own graph, which is that of all."""
    if night.truth is None or model.group_energy is None or model.graph is None:
        return {}
    reader = GroupReader(model.group_energy, model.graph, at_home=True)
    ranked = rank_by_energy(reader, ask_all(model.graph, night.truth))
    mrr = complete_all(Completer(model.graph, Tuning(**model.facts["completion"])).scores, night.queries).mrr
    return {f"AUC {name}": one.auc for name, one in ranked.items()} | {"MRR": mrr}


def timed(work: Callable[[], Model]) -> tuple[Model, float, float]:
    """What comes of it, and seconds on the clock and of the processors."""
    began, busy = time.perf_counter(), time.process_time()
    model = work()
    return model, time.perf_counter() - began, time.process_time() - busy


def row(name: str, seed: int, folder: Path) -> dict[str, object]:
    """Fit by day, update by night, and fit on all, twice."""
    night = night_of(name, seed)
    config = RunConfig()
    fit(night.day, 3, config=config, seed=seed, run=folder / "run")
    updated, seconds, busy = timed(lambda: update(folder / "run", night.night).model)
    fresh, fresh_seconds, fresh_busy = timed(
        lambda: fit(night.both, 3, config=config, seed=seed, run=folder / "fresh")
    )
    mine, theirs = scores(updated, night), scores(fresh, night)
    brief = config.with_settings(["train.steps=1"])  # of the vectors, which these scores do not look at
    other = scores(fit(night.both, 3, config=brief, seed=seed + ANOTHER), night) if mine else {}
    found = load(folder / "run").graph
    assert found is not None, "a run of one graph"
    assert found.num_edges == night.both.num_edges, "the same pairs"
    return {
        "set": name,
        "seed": seed,
        "edges": night.both.num_edges,
        "fit s": fresh_seconds,
        "update s": seconds,
        "share of the time": seconds / fresh_seconds,
        "share of processor time": busy / fresh_busy,
        **{
            f"{key}, fit / other seed / update": f"{theirs[key]:.3f} / {other[key]:.3f} / {mine[key]:.3f}"
            for key in mine
        },
    }


def verdict(rows: list[dict[str, Any]]) -> list[str]:
    """How far below a fresh fit an update is, beside another fresh fit."""
    behind = [
        (row["set"], key, fresh - other, fresh - updated)
        for row in rows
        for key, shown in row.items()
        if " / " in str(shown)
        for fresh, other, updated in [map(float, shown.split(" / "))]
    ]
    if not behind:
        return []
    values = np.array([one[2:] for one in behind])
    cases = sorted({one[:2] for one in behind})
    means = np.array([values[[one[:2] == case for one in behind]].mean(axis=0) for case in cases])
    says = "{} more than 0.01 below a fresh fit: another one {}, update {}; at most {:.3f} and {:.3f} below."
    return [
        says.format(what, *(found > TOLERANCE).sum(axis=0), *found.max(axis=0))
        for what, found in (
            (f"Of {len(values)} values,", values),
            (f"Of {len(means)} means over the seeds of a set,", means),
        )
    ]


def main() -> None:
    """Measure what is missing of the sets named, or of all."""
    torch.set_num_threads(1)
    about = " ".join((__doc__ or "").split("\n\n")[1].split())
    record = Record("update", "Updates", about, by=("set", "seed"))
    for name in sys.argv[1:] or SETS:
        for seed in SETS[name]:
            if record.has(name, seed):
                continue
            with tempfile.TemporaryDirectory() as scratch:
                record.add(row(name, seed, Path(scratch)))
            load = f"Load of the machine, over a minute: {os.getloadavg()[0]:.1f}."
            record.write([*verdict(record.rows), load])


if __name__ == "__main__":
    main()
