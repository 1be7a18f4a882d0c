import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mhmgnn
from mhmgnn import Graph, MHMError, RunConfig
from mhmgnn.datasets.files import raw_file

FAQ = (Path(__file__).parents[1] / "docs" / "faq.md").read_text()
MESSAGES = re.findall(r"^```text\n(.*?)\n```$", FAQ, re.S | re.M)
TEA = [["tea", "kettle"], ["tea", "cup"], ["kettle", "cup"], ["cup", "saucer"]]
SMALL = RunConfig().with_settings(["train.steps=1", "train.batch=2", "subgraphs.size=4"])


def tea(features: int = 0) -> Graph:
    return Graph.from_edges(TEA, features=np.ones((4, features)) if features else None)


def lollipop() -> Graph:
    """A clique of twelve with a tail: hard to return to."""
    clique = [(i, j) for i in range(12) for j in range(i)]
    return Graph.from_edges([*clique, *((i, i + 1) for i in range(11, 40))])


def written(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


def begun_twice() -> None:
    for _ in range(2):
        mhmgnn.fit(tea(2), config=SMALL, run="run")


FAULTS: dict[str, Callable[[], object]] = {
    "a data set is not there": lambda: raw_file("cora", "cora/cora.cites", "data"),
    "a data set is unknown": lambda: mhmgnn.datasets.load("coras"),
    "a file is not there": lambda: Graph.read("pears.csv"),
    "a name is unknown": lambda: tea().ksets([["tea", "cup", "sauser"]]),
    "an index is out of range": lambda: tea().ksets([[0, 1, 4]]),
    "a node comes twice": lambda: tea().ksets([["tea", "cup", "tea"]]),
    "a k-set has the wrong size": lambda: tea().ksets([["tea", "cup"]], k=3),
    "too few features by name": lambda: Graph.read(
        written("pairs.csv", "tea,cup\ncup,pot\n"), features=written("words.csv", "name,w\ntea,1\ncup,2\n")
    ),
    "too few features by row": lambda: Graph.read(
        written("edges.csv", "0,1\n1,2\n"), features=np.ones((2, 3))
    ),
    "a feature is no number": lambda: Graph.read(
        written("pairs.csv", "tea,cup\n"), features=written("words.csv", "name,w\ntea,1\ncup,much\n")
    ),
    "a count is zero": lambda: Graph.read(
        written("bought.csv", "source,target,count\ntea,cup,3\ncup,pot,0\n")
    ),
    "a line has more cells": lambda: Graph.read(written("ragged.csv", "a,b\nc,d\ne,f,g\n")),
    "k is too large for the graph": lambda: mhmgnn.connected_sets(tea(), k=5),
    "k is too large for anything": lambda: mhmgnn.connected_sets(lollipop(), k=17),
    "too many k-sets": lambda: mhmgnn.connected_sets(lollipop(), k=5, limit=100),
    "shapes of seven nodes": lambda: mhmgnn.estimate_sum(lollipop(), k=7, f="shape"),
    "tours do not return": lambda: mhmgnn.estimate_sum(
        lollipop(), k=4, method="k-walk", supernode=1, tours=50, max_steps=100
    ),
    "subgraphs smaller than k": lambda: RunConfig().with_settings(["train.k=5", "subgraphs.size=4"]),
    "a setting is unknown": lambda: RunConfig().with_settings(["train.lr=0.1"]),
    "a run was begun": begun_twice,
    "there is nothing to resume": lambda: mhmgnn.fit(tea(), config=SMALL, resume=True),
    "noise needs features": lambda: mhmgnn.fit(
        tea(), config=SMALL.with_settings(["subgraphs.noise=features"])
    ),
    "another number of features": lambda: mhmgnn.fit(tea(2), config=SMALL).embed([[0, 1, 2]], graph=tea(3)),
    "a node to complete is repeated": lambda: mhmgnn.fit(tea(), config=SMALL).complete(["tea", "tea"]),
    "no model is there": lambda: mhmgnn.load("runs/1"),
    "one class alone": lambda: mhmgnn.probe(np.ones((3, 2)), np.zeros(3), np.ones((2, 2)), np.array([0, 1])),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_faq_has_the_message_word_by_word(fault, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MHMError) as raised:
        FAULTS[fault]()
    assert str(raised.value) in MESSAGES


def test_every_message_of_the_faq_is_raised_above():
    assert len(set(MESSAGES)) == len(MESSAGES) == len(FAULTS)
