"""Trials that the defaults of training were settled by, as Markdown rows; see docs/experiments.md.

    python benchmarks/trials.py market cora          all variants on these data sets, k = 3
    python benchmarks/trials.py dblp plain default   two variants on one
    python benchmarks/trials.py citeseer-4 default   k = 4

Only runs that the tables do not have: seeds, and so METIS cuts, from 100 on.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np

from mhmgnn import datasets, fit
from mhmgnn.config import RunConfig
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.energy import KSetModel
from mhmgnn.model import Model, new_network
from mhmgnn.paper.recipe import recipes
from mhmgnn.tasks.task import Task, dag_leaves, hyperedges

SEEDS = (100, 101, 102)
STEPS = (0, 10, 20, 40, 80)
MOST = 3_000  # k-sets a side

PLAIN = ("model.normalise=false",)
DEGREES = "model.degree_features=true"
VARIANTS: dict[str, tuple[str, ...]] = {
    "default": (),
    "plain": PLAIN,  # features as they are, as the paper has them
    "as-in-the-paper": (*PLAIN, "subgraphs.noise=features"),  # and vectors and encoder as in the paper
    "uneven": (),  # vectors as the encoder gives them
    "blind": (),  # an encoder that does not see the number of neighbours
    "near-3": (),  # its weights for that number begin 3 times as large
    "near-10": (),
    "every": ("sets.most=0",),  # the network sees all k-sets of a training graph that were had
    "sum": ("train.energy=sum",),
    "slow": ("train.learning_rate=0.0003",),
    "fast": ("train.learning_rate=0.003",),
    "noises": ("subgraphs.noises=4",),
    "features": ("subgraphs.noise=features",),  # noise shuffles features alone, as in the paper
    "edges": ("subgraphs.noise=edges",),  # noise adds edges alone
    "small": ("subgraphs.size=50",),
    "large": ("subgraphs.size=200",),
    "thin": ("subgraphs.burning=0.4",),
    "deep": ("model.layers=2",),
    "gin": ("model.encoder=gin",),
    "precise": ("sets.error=0.05",),
    "degrees": (DEGREES,),
    "degrees-0.3": (DEGREES, "model.degree_weight=0.3"),
    "degrees-3": (DEGREES, "model.degree_weight=3"),
    "degrees-uneven": (DEGREES,),
    "degrees-blind": (DEGREES,),
}


def changes(variant: str) -> ExitStack:
    """What a variant changes in the code, until it is closed: things that are no setting."""
    stack = ExitStack()
    if "uneven" in variant or variant == "as-in-the-paper":
        stack.enter_context(mock.patch.object(KSetModel, "even_out"))
    if "blind" in variant or variant == "as-in-the-paper":
        stack.enter_context(mock.patch("mhmgnn.train.loop.new_network", _with_near(0.0)))
    if variant.startswith("near-"):
        stack.enter_context(mock.patch("mhmgnn.train.loop.new_network", _with_near(float(variant[5:]))))
    return stack


def _with_near(times: float) -> Callable[..., KSetModel]:
    """What makes networks whose weights for the number of neighbours are so many times as large; 0 stays."""

    def make(*given: Any) -> KSetModel:
        network = new_network(*given)
        for name, weights in network.named_parameters():
            if name.endswith(".near"):
                weights.data *= times
                weights.requires_grad_(times > 0)
        return network

    return make


def config_of(name: str, k: int) -> RunConfig:
    """The settings of the data set's recipe, with batches small enough for a trial."""
    found = (recipe.config for recipe in recipes() if recipe.cell.place == f"hyperedge/{name}-{k}")
    settings = ["train.batch=25", "train.enough=0", "train.checkpoint_every=10"]
    return next(found, RunConfig()).with_settings(settings)


def tasks_of(dataset: Dataset, k: int) -> dict[str, list[Task]]:
    """The tasks of a data set, each on the splits set aside."""
    makers = {"hyperedges": hyperedges}
    if dataset.name in ("cora", "citeseer", "pubmed"):
        makers["DAG leaves"] = dag_leaves
    return {name: [make(dataset, k, most=MOST, seed=seed) for seed in SEEDS] for name, make in makers.items()}


def scores(model: Model, tasks: dict[str, list[Task]]) -> Iterator[str]:
    """For each task the mean over splits, by the paper's probe / by the converged one."""
    for splits in tasks.values():
        found = [task.score(model) for task in splits]
        means = (np.mean([getattr(score, probe) for score in found]) for probe in ("paper", "converged"))
        yield " / ".join(f"{mean:.3f}" for mean in means)


def rows(variant: str, dataset: Dataset, k: int, tasks: dict[str, list[Task]]) -> Iterator[list[str]]:
    """One training run, looked at after some steps and then gone on with."""
    with TemporaryDirectory() as folder, changes(variant):
        for steps in STEPS:
            config = config_of(dataset.name, k).with_settings([*VARIANTS[variant], f"train.steps={steps}"])
            run = Path(folder) / "run"
            model = fit(dataset.graph, k, config=config, seed=SEEDS[0], run=run, resume=run.exists())
            loss = "" if model.facts["loss"] is None else f"{model.facts['loss']:.2f}"
            yield [variant, str(steps), loss, *scores(model, tasks)]


def main(words: list[str]) -> None:
    """Run the variants named, or all, on the data sets named, or on the market."""
    variants = [word for word in words if word in VARIANTS] or list(VARIANTS)
    for word in [word for word in words if word not in VARIANTS] or ["market"]:
        name, _, size = word.partition("-")
        k = int(size or 3)
        dataset = datasets.load(name, seed=SEEDS[0])
        tasks = tasks_of(dataset, k)
        print(f"\n| {name}, k = {k} | steps | loss | {' | '.join(tasks)} |\n|{'---|' * (3 + len(tasks))}")
        for variant in variants:
            for cells in rows(variant, dataset, k, tasks):
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
