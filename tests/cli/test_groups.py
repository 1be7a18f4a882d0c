"""`mhmgnn groups`: what the library finds, printed or written."""

import csv
import json
from dataclasses import replace

import pytest
from cli.test_model import run
from training.test_groups import GROUPS, TINY, carts

import mhmgnn
from mhmgnn import DataError, Graph, RunConfig


@pytest.fixture(scope="module", name="place")
def trained_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups") / "run"
    graph = carts()[0]
    named = replace(graph, names=None)
    names = [f"node, {i}" for i in range(graph.num_nodes)]
    owner = [(u, v) for u, v in zip(*named.to_scipy().nonzero(), strict=True) if u < v]
    counts = None if graph.weights is None else graph.to_scipy(counts=True)
    weights = False if counts is None else [float(counts[u, v]) for u, v in owner]
    graph = Graph.from_edges(owner, names=names, weights=weights)
    config = replace(RunConfig().with_settings(TINY), groups=GROUPS)
    mhmgnn.fit(graph, 3, config=config).save(folder)
    return folder


def test_json_has_the_groups_of_the_library(capsys, place):
    code, out, _ = run(capsys, "groups", place, "--top", 5, "--sizes", "3:4", "--json")
    assert code == 0
    found = json.loads(out)
    expected = mhmgnn.load(place).groups(top=5, sizes=(3, 4))
    assert len(expected.groups) == 5
    assert [row["nodes"] for row in found["groups"]] == [list(group.nodes) for group in expected.groups]
    assert [row["probability"] for row in found["groups"]] == [one.probability for one in expected.groups]
    assert {len(row["nodes"]) for row in found["groups"]} <= {3, 4}


def test_groups_go_to_the_file_that_is_named(capsys, place, tmp_path):
    out = tmp_path / "groups.csv"
    code, printed, told = run(capsys, "groups", place, "--out", out, "--with", "node, 3")
    assert (code, printed) == (0, "")
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert f"{out}: {len(rows)} groups" in told
    expected = mhmgnn.load(place).groups(with_nodes=["node, 3"])
    assert [next(csv.reader([row["members"]])) for row in rows] == [
        list(one.names) for one in expected.groups
    ]
    assert all("node, 3" in row["members"] for row in rows)


def test_a_least_probability_gives_all_that_reach_it(place):
    model = mhmgnn.load(place)
    every, likely = (model.groups(probability=least).groups for least in (0.0, 0.5))
    assert likely == tuple(group for group in every if group.probability >= 0.5)
    assert len(likely) < len(every)


def test_lines_are_printed_where_no_file_is_named(capsys, place):
    _, out, _ = run(capsys, "groups", place, "--top", 3)
    best = mhmgnn.load(place).groups(top=3).groups
    assert out.splitlines() == [f"{one.probability:10.4f}  {', '.join(one.names)}" for one in best]


def test_a_search_that_was_cut_short_says_so(capsys, place, monkeypatch):
    from mhmgnn.models import model

    search = model.reconstruct
    monkeypatch.setattr(
        model, "reconstruct", lambda reader, **asked: search(reader, **asked)._replace(complete=False)
    )
    _, out, told = run(capsys, "groups", place, "--top", 1, "--json")
    assert "the search was cut short" in told
    assert json.loads(out)["complete"] is False


@pytest.mark.parametrize(
    "asked, told",
    [
        (["--sizes", "six"], "--sizes is 'six'; give the least and the most, such as 3:6"),
        (["--sizes", "6:3"], "the largest size is 3; it must be"),
        (["--probability", "2"], "probability is 2.0; it must be from 0 to 1"),
        (["--top", "0"], "top"),
        (["--with", "nobody"], "'nobody'"),
        (["--out", "groups.doc"], "the ending must be one of"),
        (["--long"], "name a file with --out"),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else "",
)
def test_what_cannot_be_is_one_error_and_nothing_is_written(
    capsys, place, tmp_path, monkeypatch, asked, told
):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "groups", place, *asked)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err
    assert list(tmp_path.iterdir()) == []


def test_a_model_without_groups_is_refused(tmp_path):
    config = RunConfig().with_settings([*TINY, "groups.worlds=0"])
    model = mhmgnn.fit(carts()[0], 3, config=config)
    with pytest.raises(DataError, match="this model knows no groups"):
        model.groups()
