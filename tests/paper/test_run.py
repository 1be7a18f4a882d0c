import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from mhmgnn import DataError
from mhmgnn.io.jsonl import LOCK
from mhmgnn.paper import run
from mhmgnn.paper.files import read_cell
from mhmgnn.paper.item import Item, items_of, read_result
from mhmgnn.paper.methods import OURS, RANDOM, methods_of
from mhmgnn.paper.recipe import Cell, recipes
from mhmgnn.paper.run import Bench, run_item


def test_an_item_writes_all_that_its_score_depends_on(tmp_path, recipe, bench):
    item = Item(recipe, OURS, 1)
    result = run_item(item, tmp_path, bench)
    path = tmp_path / "hyperedge" / "market-3.jsonl"
    assert read_result(path.read_text()) == json.loads(json.dumps(result))
    assert (result["task"], result["dataset"], result["k"]) == ("hyperedge", "market", 3)
    assert (result["method"], result["seed"], result["split_seed"]) == (OURS, 1, 1)
    assert result["config"]["train"]["steps"] == 2
    assert result["fit"]["steps"] == 2
    assert set(result["score"]) == {"paper", "converged"}
    guessed = np.array(result["confusion"]["paper"])
    recall = guessed.diagonal() / guessed.sum(axis=1)
    assert result["score"]["paper"] == pytest.approx(recall.mean())
    test = result["counts"]["test"]
    assert sum(test["kept"].values()) == guessed.sum()
    assert test["candidates"] >= sum(test["kept"].values())
    assert {"task", "fit", "score"} <= result["seconds"].keys()
    assert result["peak_bytes"] > 10**8
    assert {"mhmgnn", "torch", "numpy", "scikit-learn"} <= result["versions"].keys()
    assert {"commit", "dirty"} <= result.keys()


def test_the_random_row_has_the_models_settings_and_no_training(tmp_path, recipe, bench):
    trained, drawn = (run_item(Item(recipe, method, 0), tmp_path, bench) for method in (OURS, RANDOM))
    assert drawn["fit"]["steps"] == 0
    drawn["config"]["train"]["steps"] = trained["config"]["train"]["steps"]
    assert drawn["config"] == trained["config"]


def test_settings_given_stand_above_those_of_the_recipe_and_of_a_quick_run(recipe):
    assert Item(recipe, OURS, 0, quick=True).config.train.steps == 40
    given = Item(recipe, OURS, 0, quick=True, settings=("train.steps=7", "model.dim=8")).config
    assert (given.train.steps, given.model.dim, given.train.batch) == (7, 8, 2)


def test_a_run_has_a_split_of_its_own_and_a_method_without_chance_sees_it(tmp_path, recipe, bench):
    first, second = (run_item(Item(recipe, "Degrees", run), tmp_path, bench) for run in (0, 3))
    assert (first["split_seed"], second["split_seed"]) == (0, 3)
    assert first["counts"] != second["counts"]


def test_two_tasks_and_splits_share_one_fit(tmp_path, recipe, bench):
    plain = run_item(Item(recipe, OURS, 0), tmp_path, bench)
    split = run_item(Item(recipe, OURS, 0, cut=2), tmp_path, bench)
    assert (plain["seconds"]["fit_shared"], split["seconds"]["fit_shared"]) == (False, True)
    assert split["counts"] != plain["counts"]
    kept = read_cell(tmp_path / "hyperedge" / "market-3.jsonl")
    assert [key[4:6] for key in kept] == [(0, 0), (0, 2)]


def test_shuffled_labels_give_chance_on_average_where_the_true_ones_do_not(bench, seed):
    task = bench.task(Cell("hyperedge", "market", 3), 0, 200)

    class Truth:
        def embed(self, ksets, *, graph):
            side = task.train if ksets is task.train.ksets else task.test
            noise = np.random.default_rng(0).normal(size=(len(ksets), 2)) / 10
            return np.column_stack([side.labels, noise])  # one direction carries nearly all

    assert run._score(task, Truth())[0].paper == 1
    scores = np.array([one.paper for one in run._shuffled(task, Truth(), seed)[0]])
    assert abs(scores.mean() - 0.5) < 4 * scores.std(ddof=1) / np.sqrt(scores.size)
    assert scores.std() > 0.2  # of which one alone would say nothing


def test_a_shuffled_item_tells_every_shuffle(tmp_path, graph_recipes, bench, monkeypatch):
    monkeypatch.setattr(run, "SHUFFLES", 4)
    item = Item(graph_recipes[1], OURS, 0, shuffled=True)
    result = run_item(item, tmp_path, bench)
    assert read_cell(tmp_path / "whole-graph" / "few-3.jsonl").keys() == {item.key}
    assert item.key[3:] == (OURS, 0, 0, True)
    assert len(result["shuffles"]) == 4
    assert result["score"]["paper"] == pytest.approx(np.mean([one["paper"] for one in result["shuffles"]]))


@pytest.mark.parametrize("method", ["NetLSD", "Degrees"])
def test_baselines_of_whole_graphs_are_held_once_for_all_k(tmp_path, graph_recipes, bench, method):
    result = run_item(Item(graph_recipes[0], method, 0), tmp_path, bench)
    assert result["k"] is None
    kept = read_cell(tmp_path / "whole-graph" / "few.jsonl")
    assert [key[3:5] for key in kept] == [(method, 0)]
    assert result["counts"]["unlabelled"] == 18


def test_the_two_rows_of_dgi_come_from_one_training(tmp_path, graph_recipes, bench):
    joint, nodes = (
        run_item(Item(graph_recipes[0], f"DGI ({of})", 0), tmp_path, bench) for of in ("Joint", "Nodes")
    )
    assert (joint["pooling"], joint["seconds"]["fit_shared"]) == ("summary", False)
    assert nodes["pooling"] in ("mean", "sum", "mean and sum")
    assert nodes["seconds"]["fit_shared"]


@pytest.mark.parametrize("method", ["MHM-GNN", "MHM-GNN + degrees", "Motif shape"])
def test_whole_graphs_are_pooled_and_the_pooling_is_told(tmp_path, graph_recipes, bench, method):
    result = run_item(Item(graph_recipes[1], method, 0), tmp_path, bench)
    assert result["pooling"] in ("mean", "sum")
    assert sum(result["counts"]["test"]["kept"].values()) == 6


def test_the_models_own_row_sees_no_degrees_where_nodes_have_no_features(graph_recipes, bench):
    seen = {}
    for method in (OURS, "MHM-GNN + degrees"):
        item = Item(graph_recipes[1], method, 0)
        ways = bench.fitted("few", ("whole-graph", 0), item.way, item.config, 0, False).method
        line, star = ([(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3), (0, 4)])
        # the mean over paths of three nodes differs only if a node's degree outside the path is seen
        seen[method] = [ways["mean"]([_graph(edges)])[0] for edges in (line, star)]
    np.testing.assert_allclose(*seen[OURS], atol=1e-2)  # rounding, which `whiten` makes larger
    assert np.abs(np.subtract(*seen["MHM-GNN + degrees"])).max() > 0.1


def _graph(edges):
    from mhmgnn import Graph

    return Graph.from_edges(edges)


def test_a_run_killed_while_it_writes_leaves_no_half_file(tmp_path, recipe, bench, monkeypatch):
    item = Item(recipe, "Degrees", 0)

    def killed(path, target):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.replace", killed)
        with pytest.raises(KeyboardInterrupt):
            run_item(item, tmp_path / "results", bench)
    left = [path for path in (tmp_path / "results").rglob("*") if path.is_file() and path.name != LOCK]
    assert left == []
    item.path(tmp_path / "results").write_text('{"task": "hyper')
    assert read_cell(item.path(tmp_path / "results")) == {}


def test_the_items_of_a_table_are_methods_times_seeds_and_what_was_asked_beside(recipe):
    items = items_of([recipe], runs=2, one_cut=3, shuffled=True)
    names = {item.key[3:] for item in items}  # method, seed, split, shuffled
    assert len(names) == len(items) == 2 * len(methods_of(recipe)) + 3 * 2 + 2
    beside = {(OURS, 2, 1, False), ("MHM-GNN + degrees", 3, 1, False), (OURS, 1, 1, True)}
    assert beside <= names
    with pytest.raises(DataError, match="method is 'GS'; it must be one of Raw Features"):
        items_of([recipe], runs=1, methods=["GS"])


def test_an_item_survives_the_way_to_a_process(recipe):
    item = Item(recipe, OURS, 3, 1, settings=("train.steps=1",), quick=True)
    other = pickle.loads(pickle.dumps(item))
    assert replace(other, recipe=recipe).__dict__ == item.__dict__
    assert other.recipe.config == recipe.config


def test_no_two_rows_of_the_tables_share_a_key():
    keys = [Item(recipe, method, 0).key for recipe in recipes() for method in methods_of(recipe)]
    assert len(set(keys)) == len(keys)


def test_a_quick_item_of_real_data_has_the_papers_cell(tmp_path, data_dir):
    recipe = next(r for r in recipes() if r.cell == Cell("hyperedge", "cora", 3))
    result = run_item(Item(recipe, "Degrees", 0, quick=True), tmp_path, Bench())
    assert sum(result["counts"]["test"]["kept"].values()) == 2_000
    assert result["score"]["paper"] > 0.6
