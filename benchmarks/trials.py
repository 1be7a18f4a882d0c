"""Trials that the defaults of training were settled by, as rows of results/trials; see docs/experiments.md.

    python benchmarks/trials.py market cora          all variants on these data sets, k = 3
    python benchmarks/trials.py dblp plain default   two variants on one
    python benchmarks/trials.py citeseer-4 default   k = 4
    python benchmarks/trials.py proteins-3 default gin degrees

Only runs that the tables do not have: seeds, and so METIS cuts, from 100 on. A model of whole graphs is
trained once and scored on several draws of the half that it did not see.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from record import keep_trial

from mhmgnn import Graph, datasets, fit, probe
from mhmgnn.config import RunConfig
from mhmgnn.datasets.dataset import Dataset, GraphDataset
from mhmgnn.evaluation.probes.score import Score
from mhmgnn.evaluation.tasks import dag_leaves, hyperedges
from mhmgnn.evaluation.tasks.graphs import whole_graphs
from mhmgnn.models.model import Model
from mhmgnn.nn.energy import KSetModel, new_network
from mhmgnn.paper.methods import with_ones
from mhmgnn.paper.recipe import recipes

SEEDS = (100, 101, 102)
STEPS = (0, 10, 20, 40, 80)
MOST = 3_000  # k-sets a side
DRAWS = 8  # of the sides of a probe of whole graphs

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
        stack.enter_context(mock.patch.object(KSetModel, "whiten"))
    if "blind" in variant or variant == "as-in-the-paper":
        stack.enter_context(mock.patch("mhmgnn.training.settle.new_network", _with_near(0.0)))
    if variant.startswith("near-"):
        stack.enter_context(mock.patch("mhmgnn.training.settle.new_network", _with_near(float(variant[5:]))))
    return stack


def _with_near(times: float) -> Callable[..., KSetModel]:
    """What makes networks whose weights for the number of neighbours are so many times as large; 0 stays."""

    def make(*given: Any) -> KSetModel:
        network = new_network(*given)
        for name, weights in network.named_parameters():
            if name.endswith(".per_neighbour"):
                weights.data *= times
                weights.requires_grad_(times > 0)
        return network

    return make


def config_of(name: str, k: int) -> RunConfig:
    """The settings of the data set's recipe, with batches small enough for a trial, and no early end."""
    places = (f"hyperedge/{name}-{k}", f"whole-graph/{name}-{k}")
    found = next((recipe.config for recipe in recipes() if recipe.cell.place in places), RunConfig())
    most = min(found.train.batch, 25)
    settings = [f"train.batch={most}", "train.enough=0", "train.patience=1000", "train.checkpoint_every=10"]
    return found.with_settings(settings)


class Trial(NamedTuple):
    """What a model learns from, and what is told of it: a title and a way to its figures for each column."""

    graphs: Graph | list[Graph]
    titles: list[str]
    scores: Callable[[Model], list[list[Score]]]  # of each column, over the splits


def of_ksets(dataset: Dataset, k: int) -> Trial:
    """The tasks of a graph, each on the splits set aside."""
    makers = {"hyperedges": hyperedges}
    if dataset.name in ("cora", "citeseer", "pubmed"):
        makers["DAG leaves"] = dag_leaves
    tasks = [[make(dataset, k, most=MOST, seed=seed) for seed in SEEDS] for make in makers.values()]
    return Trial(
        dataset.graph, list(makers), lambda model: [[task.score(model) for task in each] for each in tasks]
    )


def of_graphs(dataset: GraphDataset) -> Trial:
    """Whole graphs by each pooling and by both side by side; where features are missing they are ones."""
    task = whole_graphs(dataset, seed=SEEDS[0])
    ones = task.unlabelled[0].x is None
    learned, others = (
        [with_ones(graph) if ones else graph for graph in graphs]
        for graphs in (task.unlabelled, task.train.graphs + task.test.graphs)
    )
    labels = np.concatenate([task.train.labels, task.test.labels])
    third = len(labels) // 3
    orders = [np.random.default_rng(draw).permutation(len(labels)) for draw in range(DRAWS)]

    def scores(model: Model) -> list[list[Score]]:
        means, total = (model.embed_graphs(others, pool=pool) for pool in ("mean", "sum"))
        return [
            [
                probe(x[at[third:]], labels[at[third:]], x[at[:third]], labels[at[:third]], standardise=True)
                for at in orders
            ]
            for x in (means, total, np.hstack([means, total]))
        ]

    return Trial(learned, ["mean", "sum", "mean and sum"], scores)


def mean(scores: list[Score]) -> dict[str, float]:
    """The mean over splits, by each probe."""
    means = Score.over(scores)
    return {"paper": round(means.paper, 4), "converged": round(means.converged, 4)}


def rows(variant: str, name: str, k: int, trial: Trial) -> Iterator[dict[str, Any]]:
    """One training run, looked at after some steps and then gone on with."""
    with TemporaryDirectory() as folder, changes(variant):
        for steps in STEPS:
            config = config_of(name, k).with_settings([*VARIANTS[variant], f"train.steps={steps}"])
            run = Path(folder) / "run"
            model = fit(trial.graphs, k, config=config, seed=SEEDS[0], run=run, resume=run.exists())
            loss = model.facts["loss"]
            yield {
                **{"dataset": name, "k": k, "variant": variant, "steps": steps},
                "loss": None if loss is None else round(loss, 4),
                "scores": dict(zip(trial.titles, map(mean, trial.scores(model)), strict=True)),
                "command": f"python benchmarks/trials.py {name}-{k} {variant}",
            }


def main(words: list[str]) -> None:
    """Run the variants named, or all, on the data sets named, or on the market."""
    variants = [word for word in words if word in VARIANTS] or list(VARIANTS)
    for word in [word for word in words if word not in VARIANTS] or ["market"]:
        name, _, size = word.rpartition("-") if word[-1].isdigit() else (word, "", "3")
        dataset = datasets.load(name, seed=SEEDS[0])
        trial = of_graphs(dataset) if isinstance(dataset, GraphDataset) else of_ksets(dataset, int(size))
        for variant in variants:
            for row in rows(variant, name, int(size), trial):
                keep_trial(f"{name}-{size}", row)


if __name__ == "__main__":
    main(sys.argv[1:])
