"""A shop of few products and a handful of graphs, with recipes on them."""

from pathlib import Path

import numpy as np
import pytest
from conftest import random_graph

from mhmgnn.datasets.dataset import GraphDataset
from mhmgnn.datasets.market import generate
from mhmgnn.paper.recipe import Recipe
from mhmgnn.paper.run import Bench

SETS = """
[cell]
task = "hyperedge"
dataset = "market"
k = 3
table = "tab:none"

[run.subgraphs]
size = 12

[run.train]
steps = 2
batch = 2

[published]
"Raw Features" = [0.6, 0.01]
"MHM-GNN (Rnd)" = [0.5, 0.0]
"MHM-GNN" = [0.7, 0.02]
"""
GRAPHS = """
[cell]
task = "whole-graph"
dataset = "few"
{k}
table = "tab:none"

[run.model]
encoder = "gin"

[run.subgraphs]
noise = "edges"

[run.train]
steps = 1
batch = 2

[published]
{published}
"""


@pytest.fixture(autouse=True)
def quick_probe(one_penalty: None) -> None:
    """No score here hangs on how strong the penalty is."""


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    """Hyperedges of the market at k = 3, hardly trained."""
    path = tmp_path / "market.toml"
    path.write_text(SETS)
    return Recipe.load(path)


@pytest.fixture
def graph_recipes(tmp_path: Path) -> list[Recipe]:
    """The part of a whole-graph table that has no k, and k = 3."""
    texts = {
        "few": GRAPHS.format(k="", published='"NetLSD" = [0.5, 0.0]'),
        "few-3": GRAPHS.format(k="k = 3", published='"MHM-GNN (Rnd)" = [0.5, 0.0]\n"MHM-GNN" = [0.6, 0.0]'),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text)
    return [Recipe.load(tmp_path / f"{name}.toml") for name in texts]


def few_graphs() -> GraphDataset:
    """Graphs of two classes without features: one class has more edges."""
    labels = np.arange(36) % 2
    graphs = tuple(random_graph(seed, edges=14 + 8 * int(labels[seed])) for seed in range(36))
    return GraphDataset("few", graphs, labels)


@pytest.fixture
def bench() -> Bench:
    """What items share, on the small data."""
    small = {"market": generate(seed=0, products=240), "few": few_graphs()}
    return Bench(load=small.__getitem__)
