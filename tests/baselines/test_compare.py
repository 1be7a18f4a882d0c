"""`compare`: the figures of the tables' functions, on groups in any form; and what it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli.test_model import run
from models.test_groups_shared import in_two
from training.test_groups import GROUPS, carts

import mhmgnn
from mhmgnn import DataError
from mhmgnn.baselines import completion, recovery
from mhmgnn.baselines.comparison import compare as comparing
from mhmgnn.baselines.comparison import ours
from mhmgnn.baselines.comparison.questions import (
    ask_all,
    complete_by_all,
    rank_by_energy,
    rank_by_formulas,
    recover_by_all,
)
from mhmgnn.baselines.comparison.rows import gather_rows
from mhmgnn.datasets.groups import hypergraph
from mhmgnn.evaluation.completion import hold_out

NAMED = [[f"node {v}, or so" if v % 7 else f'"{v}"' for v in group] for group in carts()[1]]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Little is learned, and the Bayesian method has half a second."""
    monkeypatch.setattr(ours, "GroupsConfig", lambda: GROUPS)
    monkeypatch.setattr(comparing, "SECONDS", 0.5)


@pytest.fixture(scope="module", name="found")
def comparison():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ours, "GroupsConfig", lambda: GROUPS)
        patch.setattr(comparing, "SECONDS", 0.5)
        return mhmgnn.compare(NAMED, seed=3)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def as_file(folder, kind):
    if kind == "hif.json":
        rows = [{"edge": i, "node": name} for i, group in enumerate(NAMED) for name in group]
        text = json.dumps({"incidences": rows})
    elif kind == "long.csv":
        rows = [f"{i},{quoted(name)}" for i, group in enumerate(NAMED) for name in group]
        text = "\n".join(["group,node", *rows])
    else:
        text = "\n".join("\t".join(map(quoted, group)) for group in NAMED)
        text = text if kind == "lines.tsv" else text.replace("\t", ",")
    (folder / kind).write_text(text)
    return folder / kind


def figures(answers):
    return {row.by: dict(row.figures) for row in answers.rows if row.by != "Bayesian"}


def test_figures_are_those_of_the_functions_under_the_tables(found):
    data = hypergraph(NAMED)
    held = hold_out(data.truth, data.graph.num_nodes, seed=3, counts=True)
    asked = ask_all(data.graph, data.truth)
    learned = ours.Ours(data.graph, seed=3)
    by_formula = rank_by_formulas(data.graph, asked)
    by_formula["mhmgnn"] = rank_by_energy(learned.reader(data.graph), asked)
    assert figures(found.sets) == {
        by: {key: one.auc for key, one in ranked.items()} for by, ranked in by_formula.items()
    }
    completed = complete_by_all(held)
    assert figures(found.completion) == {row.by: dict(row.figures) for row in completed}
    some = [by for by in (*recovery.RIVALS, "mhmgnn") if by != "Bayesian"]
    recovered = recover_by_all(data.graph, data.truth, learned.groups, seconds=1, seed=3, methods=some)
    assert figures(found.recovery) == {row.by: dict(row.figures) for row in recovered}


def test_every_method_has_a_row_and_says_why_if_it_is_absent(found):
    assert [row.by for row in found.completion.rows] == [*completion.RIVALS, "mhmgnn"]
    assert [row.by for row in found.recovery.rows] == [*recovery.RIVALS, "mhmgnn"]
    for answers in found.answers:
        assert all(bool(row.figures) != bool(row.absent) for row in answers.rows)


@pytest.mark.parametrize("kind", ["lines.csv", "lines.tsv", "long.csv", "hif.json"])
def test_a_file_of_any_form_gives_the_same_figures(tmp_path, found, kind):
    again = mhmgnn.compare(as_file(tmp_path, kind), seed=3)
    assert again.facts == found.facts
    assert figures(again.completion) == figures(found.completion)


def test_groups_of_one_node_are_left_out_and_told(found):
    again = mhmgnn.compare([*NAMED, ["alone"], [NAMED[0][0]]], seed=3)
    assert again.facts == {**found.facts, "left_out": 2}
    assert figures(again.sets) == figures(found.sets)


def test_where_there_is_nothing_to_learn_ours_is_absent_and_the_others_are_not():
    pairs = [[f"{i}", f"{i + 1}"] for i in range(30)]
    found = mhmgnn.compare(pairs, weights=False)
    for answers in (found.sets, found.recovery):
        assert answers.rows[-1].absent.startswith("there is nothing to learn groups from")
    assert found.completion.rows[-1].figures["mrr"] > 0  # walks need no groups
    assert found.recovery.rows[0].by == "every pair"
    assert found.recovery.rows[0].figures["f1"] == 1.0


def test_the_command_prints_every_row_and_draws_them(capsys, tmp_path, found):
    page = tmp_path / "page.html"
    code, out, _ = run(capsys, "compare", as_file(tmp_path, "lines.csv"), "--seed", 3, "--report", page)
    assert code == 0
    html = page.read_text()
    for answers in found.answers:
        assert answers.title in out
        for row in answers.rows:
            assert f"\n  {row.by} " in out
            assert row.by in html
    jaccard = next(row for row in found.completion.rows if row.by == "Jaccard")
    assert f"{jaccard.figures['mrr']:.3f}" in html


def test_json_has_the_figures(capsys, tmp_path, found):
    _, out, _ = run(capsys, "compare", as_file(tmp_path, "long.csv"), "--seed", 3, "--json")
    told = json.loads(out)
    rows = {row["by"]: row for row in told["completion"]}
    for row in found.completion.rows:
        assert rows[row.by]["mrr"] == row.figures["mrr"]
    assert (told["groups"], told["page"]) == (found.facts["groups"], None)


SHARED = """
import json, sys
from training.test_groups import GROUPS
from mhmgnn import DataError, compare
from mhmgnn.baselines.comparison import ours
from mhmgnn.baselines.recovery import bayesian
from mhmgnn.runtime.distributed import together

def absent(python):
    raise DataError("left out")

ours.GroupsConfig = lambda: GROUPS
bayesian.check_graph_tool = absent
with together() as crew:
    found = compare(json.loads(sys.argv[1]), seed=3, crew=crew)
rows = {answers.title: {row.by: row.figures for row in answers.rows} for answers in found.answers}
if crew.rank == 1:  # the second process knows all as well
    print(json.dumps(rows))
"""


def test_rows_of_methods_that_processes_divide_come_in_the_order_of_methods(found):
    for answers in found.answers:
        for rows in (answers.rows, answers.rows[:1]):
            for gathered in in_two(lambda crew, rows=rows: gather_rows(rows[crew.rank :: crew.world], crew)):
                assert gathered == rows


@pytest.mark.slow
def test_two_processes_find_the_figures_of_one(tmp_path, found):
    (tmp_path / "shared.py").write_text(SHARED)
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", tmp_path / "shared.py"]
    places = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    told = subprocess.run(
        [sys.executable, *map(str, words), json.dumps(NAMED)],
        env=os.environ | {"PYTHONPATH": places},
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    shared = json.loads(told.stdout)
    for answers in found.answers:
        rows = shared[answers.title]
        assert list(rows) == [row.by for row in answers.rows]
        assert {by: rows[by] for by in rows if by != "Bayesian"} == figures(answers)


BAD = {
    "empty": (b"", "holds no rows"),
    "one group": (b"a,b,c\n", "1 group of two nodes or more; at least 2 are needed"),
    "groups of one": (b"a\nb\nc\n", "none of 3 groups has two members"),
    "a huge group": (",".join(map(str, range(10_000))).encode() + b"\na,b,c\n", "leaves out the 1 largest"),
    "binary junk": (bytes(range(256)) * 20, "is not text"),
    "zeros": (b"\0" * 1000, "is not text"),
}


@pytest.mark.parametrize("bad", BAD)
def test_bad_input_is_one_error_and_nothing_is_written(capsys, tmp_path, bad):
    content, told = BAD[bad]
    (tmp_path / "groups.csv").write_bytes(content)
    words = ["compare", tmp_path / "groups.csv", "--report", tmp_path / "page.html"]
    code, out, err = run(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err
    assert [path.name for path in tmp_path.iterdir()] == ["groups.csv"]


def test_a_layout_or_a_page_that_cannot_be_is_refused_before_anything_is_learned(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr(ours, "fit_groups", None)
    path = as_file(tmp_path, "lines.csv")
    with pytest.raises(DataError, match="layout is 'rows'; it must be one of auto, lines, members"):
        mhmgnn.compare(path, layout="rows")
    code, _, err = run(capsys, "compare", path, "--report", tmp_path / "nowhere" / "page.html")
    assert code == 2
    assert "there is no folder" in err


def test_the_layout_can_be_stated_where_lines_of_two_names_leave_it_open(tmp_path):
    (tmp_path / "pairs.csv").write_text("a,b\nb,c\na,c\n")
    lines = comparing.read_group_file(tmp_path / "pairs.csv", layout="lines")
    table = comparing.read_group_file(tmp_path / "pairs.csv")
    assert list(lines.names) == ["a", "b", "c"]
    assert list(table.names) == ["b", "c"]
    assert lines.hyperedges.sizes.tolist() == [2, 2, 2]
