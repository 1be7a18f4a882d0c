import json

import numpy as np
import pytest
from typer.testing import CliRunner

from mhmgnn import DataError, fit
from mhmgnn.cli.main import app
from mhmgnn.config import RunConfig
from mhmgnn.datasets.market import generate
from mhmgnn.evaluation.labelled import probe_table
from mhmgnn.subgraphs.cliques import list_cliques

CONFIG = RunConfig().with_settings(["model.dim=8", "train.steps=0"])
pytestmark = pytest.mark.usefixtures("one_penalty")


@pytest.fixture(scope="module")
def market():
    return generate(products=80)


@pytest.fixture(scope="module")
def model(market):
    return fit(market.graph, 3, config=CONFIG)


@pytest.fixture
def table(market, tmp_path):
    """Triangles by name, with whether each holds a product of the first ten nodes."""
    ksets = list_cliques(market.graph, 3)[::7]
    rows = [
        ",".join([*map(market.graph.label, kset), "near" if min(kset) < 10 else "far"])
        for kset in ksets.tolist()
    ]
    path = tmp_path / "sets.csv"
    path.write_text("a,b,c,where\n" + "\n".join(rows) + "\n")
    return path


def test_labels_are_cross_validated_in_words(model, table):
    found = probe_table(model, table, folds=3)
    assert found.score.confusion.classes == ("far", "near")
    assert found.tested == found.score.confusion.paper.sum() == len(table.read_text().splitlines()) - 1
    assert found.left_out == 0


def test_the_label_may_stand_in_any_column(model, table, tmp_path):
    lines = [line.split(",") for line in table.read_text().splitlines()]
    moved = tmp_path / "moved.csv"
    moved.write_text("\n".join(",".join([line[3], *line[:3]]) for line in lines) + "\n")
    one, other = probe_table(model, table), probe_table(model, moved, label="where")
    assert (one.score.paper, one.score.converged) == (other.score.paper, other.score.converged)


def test_folds_that_are_apart_leave_out_sets_across_two_parts(model, table):
    found = probe_table(model, table, folds=2, apart=True)
    assert found.left_out > 0
    assert found.tested == found.score.confusion.converged.sum()


def test_the_command_prints_the_same_score_for_people_and_programs(model, table, tmp_path):
    model.save(tmp_path / "run")
    shown = CliRunner().invoke(app, ["probe", str(tmp_path / "run"), str(table)]).stdout
    read = json.loads(CliRunner().invoke(app, ["probe", str(tmp_path / "run"), str(table), "--json"]).stdout)
    assert f"paper's probe {read['paper']:.3f} ± {read['paper_std']:.3f}" in shown
    assert "over 5 folds" in shown
    assert np.sum(read["confusion"]["paper"]) == read["tested"]


@pytest.mark.parametrize(
    ("line", "message"),
    [("espresso machine,coffee grinder,near", "needs 3 of nodes and one of labels"), ("a,b,c,", "no label")],
)
def test_a_table_that_does_not_fit_is_refused(model, tmp_path, line, message):
    path = tmp_path / "bad.csv"
    path.write_text(f"{line}\n{line}\n")
    with pytest.raises(DataError, match=message):
        probe_table(model, path, header=False)


def test_a_column_that_is_not_there_is_refused(model, table):
    with pytest.raises(DataError, match="no column 'kind'; it has a, b, c, where"):
        probe_table(model, table, label="kind")
