"""`mhmgnn update`: what it takes, what it says."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from mhmgnn import DataError, Graph, RunConfig, fit, load
from mhmgnn.cli.main import app

PAIRS = [["tea", "cup"], ["cup", "pot"], ["pot", "tea"], ["pot", "milk"], ["milk", "tea"], ["milk", "oats"]]
CONFIG = RunConfig().with_settings(["model.dim=4", "subgraphs.size=4", "train.batch=2", "train.steps=1"])


@pytest.fixture(scope="module", params=[False, True], ids=["pairs", "counts"])
def trained(request, tmp_path_factory):
    graph = Graph.from_edges(PAIRS, weights=[2] * len(PAIRS) if request.param else False)
    folder = tmp_path_factory.mktemp("shop") / "run"
    fit(graph, config=CONFIG, run=folder)
    return folder, request.param


@pytest.fixture
def run(trained, tmp_path):
    shutil.copytree(trained[0], tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def counted(trained):
    return trained[1]


@pytest.fixture
def tonight(tmp_path):
    file = tmp_path / "tonight.csv"
    file.write_text("one,other,count,shop\ntea,cup,3,north\ntea,figs,1,south\n")
    return file


def told(*words) -> tuple[str, str]:
    ran = CliRunner().invoke(app, ["update", *map(str, words)], catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    return ran.stdout, ran.stderr


def test_it_says_what_came_and_which_columns_were_not_used(run, tonight, counted):
    said = told(run, tonight)[1]
    assert "columns not used: shop" in said
    assert ("the run was trained on pairs without counts: the pairs alone are added" in said) != counted
    assert "1 new nodes, 1 new pairs, 1 " + ("counted again" if counted else "known already") in said
    assert "now 6 nodes and 7 pairs" in said
    assert f"the former run is {run / 'previous'}" in said
    after = load(run).graph
    assert after.names is not None
    assert list(after.names)[-1] == "figs"
    if counted:
        assert after.weights.max() == 5


def test_the_second_time_it_says_that_nothing_is_needed(run, tonight):
    told(run, tonight, "--quiet")
    out, said = told(run, tonight, "--json")
    assert "nothing is needed: the last update added these very pairs" in said
    assert json.loads(out)["changed"] is False
    assert json.loads(told(run, tonight, "--again", "--json")[0])["changed"] != (
        load(run).graph.weights is None
    )


def test_counts_asked_for_where_the_run_has_none_are_an_error(run, tonight, counted):
    if counted:
        told(run, tonight, "--weights", "count", "--quiet")
        return
    with pytest.raises(DataError, match="say --weights none, or fit anew with counts"):
        told(run, tonight, "--weights", "count")
    told(run, tonight, "--weights", "none", "--quiet")


def test_a_column_that_is_not_there_is_named(run, tonight):
    with pytest.raises(DataError, match="no column 'times'"):
        told(run, tonight, "--weights", "times")
