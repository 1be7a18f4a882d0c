"""Trials that the defaults of training were settled by, as Markdown rows; see docs/experiments.md.

    python benchmarks/trials.py market cora          all variants on these data sets
    python benchmarks/trials.py dblp plain shares    two variants on one

Only runs that the tables do not have: seeds, and so METIS cuts, from 100 on.
"""

import sys
from collections.abc import Iterator

import numpy as np

from mhmgnn import datasets, fit
from mhmgnn.config import RunConfig
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.model import Model
from mhmgnn.paper.recipe import recipes
from mhmgnn.tasks.task import Task, dag_leaves, hyperedges

SEEDS = (100, 101, 102)
STEPS = (10, 20, 40, 80)
MOST = 3_000  # k-sets a side
K = 3

PLAIN = ("model.normalise=false",)
DEGREES = "model.degree_features=true"
VARIANTS: dict[str, tuple[str, ...]] = {
    "plain": PLAIN,  # features as they are, as the paper has them
    "shares": (),  # features divided by their sum: the default
    "sum": (*PLAIN, "train.energy=sum"),
    "slow": (*PLAIN, "train.learning_rate=0.0003"),
    "fast": (*PLAIN, "train.learning_rate=0.003"),
    "noises": (*PLAIN, "subgraphs.noises=4"),
    "small": (*PLAIN, "subgraphs.size=50"),
    "large": (*PLAIN, "subgraphs.size=200"),
    "thin": (*PLAIN, "subgraphs.burning=0.4"),
    "deep": (*PLAIN, "model.layers=2"),
    "precise": ("sets.error=0.05",),
    "degrees-0.3": (*PLAIN, DEGREES, "model.degree_weight=0.3"),
    "degrees-1": (*PLAIN, DEGREES),
    "shares-degrees-0.3": (DEGREES, "model.degree_weight=0.3"),
    "shares-degrees-1": (DEGREES,),
    "shares-degrees-3": (DEGREES, "model.degree_weight=3"),
}


def config_of(name: str) -> RunConfig:
    """The settings of the data set's recipe, with batches small enough for a trial."""
    found = (recipe.config for recipe in recipes() if recipe.cell.place == f"hyperedge/{name}-{K}")
    return next(found, RunConfig()).with_settings(["train.batch=25", "train.enough=0"])


def tasks_of(dataset: Dataset) -> dict[str, list[Task]]:
    """The tasks of a data set, each on the splits set aside."""
    makers = {"hyperedges": hyperedges}
    if dataset.name in ("cora", "citeseer", "pubmed"):
        makers["DAG leaves"] = dag_leaves
    return {name: [make(dataset, K, most=MOST, seed=seed) for seed in SEEDS] for name, make in makers.items()}


def scores(model: Model, tasks: dict[str, list[Task]]) -> Iterator[str]:
    """For each task the mean over splits, by the paper's probe / by the converged one."""
    for splits in tasks.values():
        found = [task.score(model) for task in splits]
        means = (np.mean([getattr(score, probe) for score in found]) for probe in ("paper", "converged"))
        yield " / ".join(f"{mean:.3f}" for mean in means)


def main(words: list[str]) -> None:
    """Run the variants named, or all, on the data sets named, or on the market."""
    variants = [word for word in words if word in VARIANTS] or list(VARIANTS)
    for name in [word for word in words if word not in VARIANTS] or ["market"]:
        dataset = datasets.load(name, seed=SEEDS[0])
        tasks = tasks_of(dataset)
        print(f"\n| {name} | steps | loss | {' | '.join(tasks)} |\n|{'---|' * (3 + len(tasks))}")
        for variant in variants:
            for steps in STEPS:
                config = config_of(name).with_settings([*VARIANTS[variant], f"train.steps={steps}"])
                model = fit(dataset.graph, K, config=config, seed=SEEDS[0])
                cells = [variant, str(steps), f"{model.facts['loss']:.2f}", *scores(model, tasks)]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
