import json
import re

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from mhmgnn import load
from mhmgnn.baselines.method import METHODS
from mhmgnn.cli import demo as shown
from mhmgnn.cli.commands.demo import _text
from mhmgnn.cli.main import app
from mhmgnn.cli.output import print_json, print_rows
from mhmgnn.config import RunConfig
from mhmgnn.datasets.sources import SOURCES
from mhmgnn.io.tables import read_table
from mhmgnn.runtime import console

PAIRS = "tea,cup\ncup,pot\npot,tea\npot,milk\nmilk,oats\noats,nuts\nnuts,milk\ntea,milk\nnuts,figs\n"
SETS = [["tea", "pot", "cup"], ["tea", "figs", "cup"], ["nuts", "oats", "milk"]]  # the second not connected
OF_KSETS = [name for name, method in METHODS.items() if method.of_ksets]
TINY = ["model.dim=8", "subgraphs.size=6", "train.batch=2", "train.steps=2"]
SETTINGS = [word for setting in TINY for word in ("--set", setting)]


def told(*words: object, code: int = 0) -> tuple[str, str]:
    """Stdout and stderr of a command."""
    ran = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    assert ran.exit_code == code, ran.output
    return ran.stdout, ran.stderr


def read(text: str):
    """A JSON document, as a program reads it that knows no NaN and no Infinity."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture(scope="module", name="fitted")
def fitted_run(tmp_path_factory):
    """The folder of a small run, with its pairs and sets beside it, and what `fit` printed."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "pairs.csv").write_text(PAIRS)
    (folder / "sets.csv").write_text("\n".join(map(",".join, SETS)))
    words = ["fit", folder / "pairs.csv", folder / "run", *SETTINGS, "--seed", "3", "--json"]
    return folder / "run", *told(*words)


def commands(of: typer.Typer) -> dict[str, list[str]]:
    """Every command by its words, with its options."""
    found = {}
    group = typer.main.get_command(of)
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        for words, one in {name: command, **getattr(command, "commands", {})}.items():
            if not hasattr(one, "commands"):
                path = name if one is command else f"{name} {words}"
                found[path] = [option for parameter in one.params for option in parameter.opts]
    return found


def test_every_command_but_those_that_print_paths_or_serve_has_json():
    without = [name for name, options in commands(app).items() if "--json" not in options]
    assert sorted(without) == ["data fetch", "serve"]


def test_what_is_no_number_of_json_is_null(capsys):
    print_json({"energy": float("inf"), "pair": (float("nan"), 1.5), "low": -float("inf")})
    assert read(capsys.readouterr().out) == {"energy": None, "pair": [None, 1.5], "low": None}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_rows_make_one_document_however_many_there_are(capsys, count):
    rows = [{"name": f'"{i}"', "energy": i / 2} for i in range(count)]
    print_rows(iter(rows))
    out = capsys.readouterr().out
    assert read(out) == rows
    assert out.endswith("]\n")


def test_fit_tells_how_it_ended(fitted):
    run, out, err = fitted
    facts, model = read(out), load(run)
    assert {name: facts[name] for name in ("steps", "loss", "settled")} == {
        name: model.facts[name] for name in ("steps", "loss", "settled")
    }
    assert (facts["run"], facts["k"], facts["seed"], facts["page"]) == (str(run), 3, 3, None)
    assert (facts["nodes"], facts["edges"], facts["features"]) == (7, 9, 0)
    assert facts["seconds"] > 0
    assert "learning sets of 3 nodes" in err  # notes on the way are not part of the document
    assert "all steps were done" not in err


def test_fit_of_a_baseline_tells_which(fitted, tmp_path):
    run, _, _ = fitted
    words = ["fit", run.parent / "pairs.csv", tmp_path / "run", "--baseline", "degrees", "-k", "4", "--json"]
    facts = read(told(*words)[0])
    assert (facts["baseline"], facts["k"], facts["run"]) == ("degrees", 4, str(tmp_path / "run"))
    assert (facts["nodes"], facts["edges"]) == (7, 9)


@pytest.mark.parametrize("command", ["energy", "embed"])
@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "parquet"])
def test_a_table_that_is_written_is_told_of(fitted, tmp_path, command, ending):
    run, _, _ = fitted
    out = tmp_path / f"table.{ending}"
    facts = read(told(command, run, run.parent / "sets.csv", "--out", out, "--json")[0])
    table = read_table(out, header=True)
    assert (facts["out"], facts["rows"], facts["columns"]) == (str(out), 3, table.column_names)
    assert facts["seconds"] > 0
    _, text = told(command, run, run.parent / "sets.csv", "--out", out)
    assert text == f"{out}: {facts['rows']} k-sets\n"


def test_without_a_place_the_energies_are_printed_and_inf_is_null(fitted):
    run, _, _ = fitted
    out, err = told("energy", run, run.parent / "sets.csv", "--json")
    rows, energies = read(out), load(run).energy(SETS).tolist()
    assert [row["names"] for row in rows] == SETS
    assert rows[1]["energy"] is None
    assert [rows[0]["energy"], rows[2]["energy"]] == pytest.approx([energies[0], energies[2]], abs=1e-5)
    assert err == ""


def test_without_a_place_the_vectors_are_printed(fitted):
    run, _, _ = fitted
    rows = read(told("embed", run, run.parent / "sets.csv", "--json")[0])
    assert [row["names"] for row in rows] == SETS
    np.testing.assert_allclose([row["vector"] for row in rows], load(run).embed(SETS), atol=1e-5)


@pytest.mark.parametrize("command", ["energy", "embed"])
def test_rows_are_printed_where_no_place_is_named(fitted, command):
    run, _, _ = fitted
    out, _ = told(command, run, run.parent / "sets.csv")
    for names in SETS:
        assert any(all(name in line for name in names) for line in out.splitlines())


def test_a_wrong_set_prints_no_half_of_a_document(fitted, tmp_path):
    (tmp_path / "sets.csv").write_text("tea,pot,cup\ntea,pot,jam\n")
    ran = CliRunner().invoke(app, ["energy", str(fitted[0]), str(tmp_path / "sets.csv"), "--json"])
    assert "'jam'" in str(ran.exception)
    assert ran.stdout == ""


def test_the_data_sets_are_listed_with_what_is_missing(tmp_path):
    (tmp_path / "tu").mkdir()
    (tmp_path / "tu" / "ENZYMES.zip").touch()
    facts = read(told("data", "list", "--data-dir", tmp_path, "--json")[0])
    text = told("data", "list", "--data-dir", tmp_path)[0]
    assert facts["folder"] == str(tmp_path)
    assert [row["name"] for row in facts["sets"]] == list(SOURCES)
    for row, line in zip(facts["sets"], text.splitlines(), strict=True):
        assert ("generated" in line) == row["generated"]
        assert line.endswith(", ".join(row["missing"]))
        assert (f"found in {tmp_path}" in line) == (not row["missing"] and not row["generated"])
        assert all(f"{size:,} {what}" in line for what, size in row["paper"].items() if what == "graphs")
    assert {row["name"] for row in facts["sets"] if not row["missing"]} == {"market", "enzymes"}


def test_the_baselines_are_listed_with_their_settings():
    rows = read(told("baselines", "list", "--json")[0])
    text = told("baselines", "list")[0]
    assert [row["name"] for row in rows] == OF_KSETS
    for row in rows:
        assert re.search(rf"^{re.escape(row['name'])} .*{re.escape(row['about'])}$", text, re.M)
        if row["settings"]:
            assert ", ".join(f"{key}={value}" for key, value in row["settings"].items()) in text
    assert {row["name"] for row in rows if not row["any_graph"]} == {
        name for name in OF_KSETS if not METHODS[name].inductive
    }


def test_a_report_tells_where_it_is_and_how_large(tmp_path):
    (tmp_path / "results" / "hyperedge").mkdir(parents=True)
    (tmp_path / "results" / "hyperedge" / "cora-3.jsonl").touch()
    page = tmp_path / "tables.html"
    facts = read(told("report", tmp_path / "results", "-o", page, "--json")[0])
    of = {"what": "tables", "of": str(tmp_path / "results")}
    assert facts == {"page": str(page), "bytes": page.stat().st_size, **of}
    _, text = told("report", tmp_path / "results", "-o", page)
    assert text == f"{facts['page']}: the {facts['what']} of {facts['of']}\n"


def test_a_plan_to_reproduce_names_the_files_that_are_missing(tmp_path):
    words = ["reproduce", "--list", "-k", "3", "--dataset", "steam", "--method", "DGI", "--runs", "2"]
    out, err = told(*words, "--results", tmp_path, "--page", tmp_path / "page.md", "--json")
    facts, lines = read(out), told(*words, "--results", tmp_path)[0].splitlines()
    assert (facts["asked"], facts["ran"], facts["failed"], facts["page"]) == (2, False, [], None)
    where = "{task} {dataset} k = {k}: {method}, seed {seed}"
    assert [where.format(**row) for row in facts["to_run"]] == lines
    assert all(row["file"].startswith(str(tmp_path)) for row in facts["to_run"])
    assert "2 of 2 results are to be measured" in err
    assert list(tmp_path.iterdir()) == []


def test_reproducing_nothing_tells_of_the_page(tmp_path):
    page = tmp_path / "docs" / "results.md"
    out, _ = told("reproduce", "--runs", "0", "--results", tmp_path / "none", "--page", page, "--json")
    facts = read(out)
    assert (facts["ran"], facts["to_run"], facts["page"]) == (True, [], str(page))
    assert page.is_file()


def test_the_demo_prints_the_figures_of_its_table(tmp_path, monkeypatch):
    config, found = RunConfig().with_settings([*TINY, "subgraphs.size=20"]), []
    whole = shown.demo

    def small(*, seed, run, quiet):
        found.append(whole(products=80, config=config, seed=seed, run=run, quiet=quiet))
        return found[0]

    monkeypatch.setattr(shown, "demo", small)
    page = tmp_path / "shop.html"
    facts = read(told("demo", "--seed", "2", "--page", page, "--json")[0])
    text = _text(found[0])
    assert f"Of {facts['triangles']:,} triangles, {facts['carts']:,} are exactly a cart" in text
    for row in facts["scores"]:
        assert re.search(rf"{row['method']} +{row['paper']:.3f}  {row['converged']:.3f}", text)
    for row in facts["best"]:
        assert f"  {'cart ' if row['cart'] else '     '} {', '.join(row['names'])}\n" in text
    for row in facts["completions"]:
        assert f"{row['energy']:9.3f}  {row['name']}" in text
    assert (facts["seed"], facts["run"], facts["page"]) == (2, None, str(page))
    assert page.is_file()


def test_quiet_hushes_notes_and_leaves_the_document(fitted):
    run, _, _ = fitted
    words = ["discover", run, "--cliques", "--json"]
    try:
        assert told("--quiet", *words) == (told(*words)[0], "")
    finally:
        console.tune(quiet=False, verbose=False)
