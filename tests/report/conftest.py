"""A real run of a tiny shop, and its page."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from report.pages import CONFIG

from mhmgnn import Graph, fit
from mhmgnn.datasets.market import generate
from mhmgnn.evaluation.probes.score import tell
from mhmgnn.report.report import report
from mhmgnn.report.run import Labels, Task
from mhmgnn.subgraphs.cliques import list_cliques


class Shop(NamedTuple):
    """A run, and what it was trained on."""

    folder: Path
    graph: Graph
    labels: Labels
    task: Task


@pytest.fixture(scope="session")
def shop(tmp_path_factory) -> Shop:
    folder = tmp_path_factory.mktemp("runs") / "shop"
    market = generate(products=80, seed=1)
    fit(market.graph, 3, config=CONFIG, seed=5, run=folder)
    ksets = list_cliques(market.graph, 3)
    carts = np.where(market.truth.holds(ksets), "cart", "other")
    truth = np.array([0, 0, 0, 1, 1])
    score = tell(truth, np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0]))
    task = Task("Which are carts?", [("chance", score), ("mhmgnn", score)], classes={"0": "no", "1": "yes"})
    return Shop(folder, market.graph, Labels(ksets, carts.tolist()), task)


@pytest.fixture(scope="session")
def page(shop, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("pages") / "shop.html"
    return report(shop.folder, page=path).read_text(encoding="utf-8")
