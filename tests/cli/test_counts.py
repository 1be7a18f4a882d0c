"""Counts on the command line: what is taken, what is said, what decides."""

import json

import pytest
from typer.testing import CliRunner

from mhmgnn import load
from mhmgnn.cli.main import app
from mhmgnn.errors import DataError

NODES = ["tea", "cup", "pot", "milk", "oats", "nuts"]
PAIRS = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]
TINY = ["model.dim=8", "subgraphs.size=6", "train.batch=2", "train.steps=1", "train.checkpoint_every=1"]
SETTINGS = [word for setting in TINY for word in ("--set", setting)]


def told(*words: object) -> tuple[str, str]:
    """Stdout and stderr of a command."""
    ran = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    return ran.stdout, ran.stderr


@pytest.fixture(name="pairs")
def pairs_file(tmp_path):
    lines = [f"{NODES[a]},{NODES[b]},{10 * a + 1},{i + 2}" for i, (a, b) in enumerate(PAIRS)]
    (tmp_path / "pairs.csv").write_text("\n".join(["source,target,price,count", *lines]))
    return tmp_path / "pairs.csv"


@pytest.mark.parametrize("method", [[], ["--baseline", "degrees"]])
@pytest.mark.parametrize(
    ("weights", "said", "counts"),
    [
        ([], "counts: column 'count', 2 to 8, mean 5\ncolumns not used: price\n", (2, 8, 5)),
        (["--weights", "price"], "counts: column 'price', 1 to 51, mean ", (1, 51, 177 / 7)),
        (["--weights", "2"], "counts: column 'price', 1 to 51, mean ", (1, 51, 177 / 7)),
        (["--weights", "none"], "columns not used: price, count\n", None),
    ],
)
def test_fit_says_which_counts_it_took(pairs, tmp_path, method, weights, said, counts):
    settings = method or SETTINGS
    out, err = told("fit", pairs, tmp_path / "run", *weights, *settings, "--json")
    assert said in err
    found = json.loads(out)["counts"]
    assert counts == (found and pytest.approx((found["least"], found["most"], found["mean"])))


def test_a_run_keeps_the_counts_of_its_graph_and_goes_on_with_them_alone(pairs, tmp_path):
    words = ["fit", pairs, tmp_path / "run", *SETTINGS]
    told(*words, "--quiet")
    assert load(tmp_path / "run").graph.strengths.sum() == 2 * sum(range(2, 9))
    told(*words, "--quiet", "--resume", "--set", "train.steps=2")
    with pytest.raises(DataError, match="holds a run on other data"):
        told(*words, "--quiet", "--resume", "--weights", "none")


def test_fit_is_quiet_about_counts_if_asked(pairs, tmp_path):
    assert told("fit", pairs, tmp_path / "run", *SETTINGS, "--quiet")[1] == ""


def test_a_wrong_count_is_refused_with_its_line(pairs, tmp_path):
    pairs.write_text(pairs.read_text() + "\ntea,oats,1,0\n")
    ran = CliRunner().invoke(app, ["fit", str(pairs), str(tmp_path / "run"), *SETTINGS])
    assert "pairs.csv, line 9, column 'count': 0.0 given; a count must be above 0" in str(ran.exception)
    assert not (tmp_path / "run").exists()


def test_count_takes_pairs_alone_and_names_the_columns_that_it_leaves(pairs):
    out, err = told("count", pairs, "-k", "3", "--json")
    assert json.loads(out)["value"] == 6
    assert err == "columns not used: price, count\n"
    pairs.write_text(pairs.read_text().replace(",2\n", ",0\n"))
    assert json.loads(told("count", pairs, "-k", "3", "--json")[0])["value"] == 6
