"""The context that a run keeps: the same answers without measuring it anew, and never of another graph."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from conftest import random_graph

import mhmgnn
from mhmgnn import DataError, Graph, RunConfig
from mhmgnn.cli.doctor import inspect
from mhmgnn.models import surroundings
from mhmgnn.models.surroundings import Surroundings

BRIEF = [
    *("train.steps=1", "train.batch=2", "model.dim=8", "groups.worlds=2", "groups.held_back=1"),
    *("groups.laws=4", "groups.examples=40", "groups.epochs=1"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    graph = random_graph(4, nodes=40, edges=220)
    folder = tmp_path_factory.mktemp("surroundings") / "run"
    return folder, mhmgnn.fit(graph, 3, config=RunConfig().with_settings(BRIEF), seed=1, run=folder)


def test_a_run_keeps_its_context_and_gives_the_same_answers_without_measuring_it(run, monkeypatch):
    folder, model = run
    sets = mhmgnn.connected_sets(model.graph, 3)
    measured = surroundings.describe

    def describe(graph: Graph):
        assert graph.num_nodes < model.graph.num_nodes, "the context of the run is there"
        return measured(graph)

    monkeypatch.setattr(surroundings, "describe", describe)
    loaded = mhmgnn.load(folder)
    np.testing.assert_array_equal(loaded.energy(sets), model.energy(sets))
    np.testing.assert_array_equal(loaded.embed(sets[:50]), model.embed(sets[:50]))
    assert loaded.complete([0, 1]) == model.complete([0, 1])


def test_a_run_without_it_measures_it_anew(run, tmp_path):
    folder, model = run
    shutil.copytree(folder, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "context")
    loaded = mhmgnn.load(tmp_path / "run")
    assert loaded.around is None
    sets = mhmgnn.connected_sets(model.graph, 3)
    np.testing.assert_array_equal(loaded.energy(sets), model.energy(sets))


def test_that_of_another_graph_or_with_other_columns_is_not_taken(run):
    folder, model = run
    data = model.facts["data"]
    assert Surroundings.kept_in(folder, model.graph, data) is not None
    assert Surroundings.kept_in(folder, model.graph, "of another") is None
    assert model.graph.weights is not None
    assert Surroundings.kept_in(folder, replace(model.graph, weights=None), data) is None
    assert Surroundings.kept_in(folder / "steps", model.graph, data) is None


def test_one_that_does_not_fit_the_graph_is_refused_and_doctor_finds_a_changed_byte(run, tmp_path):
    folder, model = run
    shutil.copytree(folder, tmp_path / "run")
    other = random_graph(5, nodes=40, edges=200)
    with pytest.raises(DataError, match="its pairs do not fit the graph; delete it"):
        Surroundings.kept_in(tmp_path / "run", other, model.facts["data"])
    file = tmp_path / "run" / "context" / "nodes.npy"
    file.write_bytes(file.read_bytes()[:-1] + b"\x55")
    found = {part.name: part.whole for part in inspect(tmp_path / "run")}
    assert found == {"model": True, "graph": True, "context": False}
