"""Further pairs join a trained run: what changes, what stays, and that a kill leaves one run or the other."""

import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch

from mhmgnn import DataError, Graph, RunConfig, fit, load, update
from mhmgnn.cli.doctor import inspect
from mhmgnn.datasets.market import generate
from mhmgnn.io.atomic import take_lock
from mhmgnn.models.completion_tuning import tune
from mhmgnn.training.groups import fit_groups

CONFIG = RunConfig().with_settings(
    ["model.dim=8", "subgraphs.size=20", "train.steps=10", "train.batch=2", "groups.worlds=4"]
)


@pytest.fixture(scope="module")
def shop():
    return generate(products=80, seed=1).graph


@pytest.fixture(scope="module")
def trained(shop, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "shop"
    fit(shop, 3, config=CONFIG, seed=5, run=folder)
    return folder


@pytest.fixture
def run(trained, tmp_path):
    shutil.copytree(trained, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def tonight(shop):
    """A known pair once more, and a pair that is new."""
    names = list(shop.names)
    known = [names[0], names[int(shop.indices[0])]]
    far = next(node for node in range(1, shop.num_nodes) if node not in set(shop.indices[: shop.indptr[1]]))
    return Graph.from_edges([known, [names[0], names[far]]], weights=[2, 1])


def whole(run):
    return all(part.whole for part in inspect(run))


def test_counts_are_added_and_the_former_run_is_kept(run, shop, tonight):
    before = load(run)
    found = update(run, tonight)
    after = load(run)
    assert after.graph.num_edges == shop.num_edges + 1
    assert after.graph.weights.sum() == shop.weights.sum() + 2 * 3
    assert (found.facts["pairs"], found.facts["again"]) == (1, 1)
    assert after.facts["updates"] == [found.facts]
    assert whole(run)
    assert whole(run / "previous")
    kset = [[0, 1, 2]]
    assert load(run / "previous").energy(kset).tolist() == before.energy(kset).tolist()


def test_the_updated_run_answers_as_the_model_that_update_returns(run, tonight):
    model = update(run, tonight).model
    loaded = load(run)
    assert loaded.complete([0], top=5) == model.complete([0], top=5)
    assert loaded.energy([[0, 1]]).tolist() == model.energy([[0, 1]]).tolist()


def test_a_new_node_joins_and_is_found(run, shop, tmp_path):
    names = list(shop.names)
    with pytest.raises(DataError, match=r"node 'kayak' is new, and nodes have features"):
        update(run, Graph.from_edges([["kayak", names[0]]]))
    table = tmp_path / "words.csv"
    table.write_text("node," + ",".join(f"f{i}" for i in range(shop.num_features)) + "\n")
    with table.open("a") as file:
        file.write("kayak," + ",".join(["1"] + ["0"] * (shop.num_features - 1)) + "\n")
    model = update(run, Graph.from_edges([["kayak", names[0]], ["kayak", names[1]]]), features=table).model
    assert model.graph.label(model.graph.num_nodes - 1) == "kayak"
    assert "kayak" in {one.name for one in model.complete([names[0], names[1]], top=200)}
    assert model.embed([["kayak", names[0], names[1]]]).shape == (1, 8)


def test_the_network_stays_where_it_does_as_well_as_before(run, tonight):
    before = load(run)
    before.facts["loss"] = 10.0
    before.save(run)
    ksets = [[1, 2, 3], [3, 4, 5]]  # without node 0, whose pairs change
    found = update(run, tonight)
    assert found.facts["steps"] == 0
    assert found.model.energy(ksets, kind="noise").tolist() == before.energy(ksets, kind="noise").tolist()


def test_a_network_that_does_worse_goes_on_learning(run, tonight):
    before = load(run)
    before.facts["loss"] = -1.0
    before.config = before.config.with_settings(["train.enough=0"])
    before.save(run)
    found = update(run, tonight)
    assert found.facts["steps"] == 1  # a tenth of ten
    weights = (model.network.state_dict()["whitening"].numpy() for model in (found.model, before))
    assert not np.array_equal(*weights)


def test_groups_learn_half_of_what_a_few_worlds_teach(run, tonight, monkeypatch):
    before = dict(load(run).group_energy.named_parameters())
    told = []

    def two_more(*args, **kwargs):
        found = fit_groups(*args, **kwargs)
        told.append(found.facts["reliability"])
        for name, value in found.energy.named_parameters():
            value.data = before[name] + 2
        return found

    monkeypatch.setattr("mhmgnn.training.update.fit_groups", two_more)
    found = update(run, tonight).model
    for name, value in found.group_energy.named_parameters():
        torch.testing.assert_close(value, before[name] + 1)
    assert found.facts["groups"]["reliability"] not in told  # but that of the energy that is kept


def test_completion_is_tuned_anew_on_the_grown_graph(run, tonight):
    before = load(run)
    before.facts["completion"] |= {"direct": 0.99}  # as if the graph before had asked for it
    before.save(run)
    found = update(run, tonight).model
    assert found.facts["completion"] == tune(found.graph)._asdict()


def test_the_same_pairs_are_added_once_unless_said_again(run, tonight):
    edges = update(run, tonight).model.graph.weights.sum()
    assert update(run, tonight).facts is None
    assert load(run).graph.weights.sum() == edges
    assert update(run, tonight, again=True).model.graph.weights.sum() == edges + 6
    assert len(load(run).facts["updates"]) == 2


def test_known_pairs_need_nothing_where_nothing_is_counted(shop, tmp_path, capsys):
    pairs = Graph(*shop.rows, names=shop.names)
    fit(pairs, 3, config=CONFIG.with_settings(["groups.worlds=0", "train.steps=1"]), run=tmp_path / "run")
    names = list(shop.names)
    known = Graph.from_edges([[names[0], names[int(shop.indices[0])]]], weights=False)
    assert update(tmp_path / "run", known, quiet=False).facts is None
    assert "nothing is needed: all of these pairs are known" in capsys.readouterr().err
    assert not (tmp_path / "run" / "previous").exists()


def test_files_of_a_user_stay_in_the_run(run, tonight):
    (run / "notes.txt").write_text("mine")
    (run / ".graph.0a1b2c3d").mkdir()
    update(run, tonight)
    assert (run / "notes.txt").read_text() == "mine"
    assert not (run / "previous" / "notes.txt").exists()
    assert (run / "log.csv").read_bytes() == (run / "previous" / "log.csv").read_bytes()
    assert {path.name for path in run.parent.iterdir()} == {"run"}


def test_two_updates_at_once_are_one_clear_error(run, tonight):
    with (run / ".lock").open("a+") as lock:
        take_lock(lock, "")
        with pytest.raises(DataError, match=r"another run, pid \d+, writes into this folder"):
            update(run, tonight)


def test_the_lock_goes_on_with_the_run(run, tonight):
    lock = (run / ".lock").stat().st_ino
    update(run, tonight)
    assert (run / ".lock").stat().st_ino == lock


KILLED = """
import os, signal, sys
import mhmgnn.io.atomic as atomic, mhmgnn.models.run_folder as folder
from mhmgnn import Graph, update
run, where = sys.argv[1:]
def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)
def then_die(function):
    def both(*args, **kwargs):
        function(*args, **kwargs)
        die()
    return both
if where == "while it saves":
    folder.Model.save = then_die(folder.Model.save)
elif where == "before the swap":
    atomic._replace_folder = die
else:
    swap = atomic._replace_folder
    def last(new, path):
        swap(new, path)
        if path.name == "run":
            die()
    atomic._replace_folder = last
update(run, Graph.load(sys.argv[1] + "/../tonight"))
"""


@pytest.mark.parametrize("where", ["while it saves", "before the swap", "after the swap"])
def test_a_kill_leaves_the_old_run_or_the_new_one(run, tonight, where):
    tonight.save(run.parent / "tonight")
    edges = load(run).graph.num_edges
    child = subprocess.run([sys.executable, "-c", KILLED, str(run), where], check=False)
    assert child.returncode == -signal.SIGKILL
    assert whole(run)
    assert load(run).graph.num_edges == edges + (where == "after the swap")
    found = update(run, tonight)  # goes on as if nothing had been
    assert load(run).graph.num_edges == edges + 1
    assert (found.facts is None) == (where == "after the swap")
    assert {path.name for path in run.parent.iterdir()} == {"run", "tonight"}


def test_a_model_of_many_graphs_takes_no_pairs(tmp_path, shop):
    fit([shop, shop], 3, config=CONFIG.with_settings(["train.steps=1"]), run=tmp_path / "run")
    with pytest.raises(DataError, match="pairs can be added to one graph alone"):
        update(tmp_path / "run", shop)
