"""What each part of a vector adds: python benchmarks/parts.py

Cells of the paper's tables on the trial cut of seed 100, which no table has: balanced accuracy (the paper's
probe / the converged one) of all parts, without one of them, and of one alone.
"""

import sys

from record import Record

from mhmgnn.evaluation.probes.linear import probe
from mhmgnn.evaluation.tasks.task import Task
from mhmgnn.models.model import Model
from mhmgnn.models.vector import OTHERS
from mhmgnn.paper.recipe import recipes
from mhmgnn.paper.run import Bench
from mhmgnn.training.loop import fit

SEED, MOST = 100, 10_000
PLACES = (
    *("hyperedge/cora-4", "hyperedge/citeseer-3", "hyperedge/pubmed-3", "hyperedge/dblp-3"),
    *("hyperedge/steam-3", "hyperedge/rent-3", "dag-leaves/cora-4", "dag-leaves/citeseer-4"),
    "dag-leaves/pubmed-3",
)


def score(model: Model, task: Task, parts: list[str]) -> str:
    """By both probes, from these parts alone."""
    train, test = (model.embed(side.ksets, graph=side.graph, parts=parts) for side in (task.train, task.test))
    found = probe(train, task.train.labels, test, task.test.labels, regions=task.train.regions)
    return f"{found.paper:.3f} / {found.converged:.3f}"


def row(place: str, bench: Bench) -> dict[str, object]:
    """Fit a model for the cell and score its parts."""
    recipe = next(one for one in recipes() if one.cell.place == place)
    task = bench.task(recipe.cell, SEED, MOST)
    assert isinstance(task, Task), "cells of k-sets"
    model = fit(bench.dataset(recipe.cell.dataset).graph, config=recipe.config, seed=SEED)
    noises = [name for name in model.parts if name not in OTHERS]
    kinds = {"noises": noises} | {name: [name] for name in OTHERS if name in model.parts}
    found: dict[str, object] = {"cell": place, "all": score(model, task, list(model.parts))}
    for name, own in kinds.items():
        found[f"without {name}"] = score(model, task, [one for one in model.parts if one not in own])
    return found | {f"{name} alone": score(model, task, own) for name, own in kinds.items()}


if __name__ == "__main__":
    record = Record(
        "parts", "Parts of a vector", " ".join((__doc__ or "").split("\n\n")[1].split()), by=("cell",)
    )
    shared = Bench()
    for one in sys.argv[1:] or PLACES:
        if not record.has(one):
            record.add(row(one, shared))
            record.write()
