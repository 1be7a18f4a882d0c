import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mhmgnn import DataError
from mhmgnn.paper.bars import Bar, Panel, draw
from mhmgnn.paper.files import add_result
from mhmgnn.paper.goal import CLEARLY, READING, in_short, reasons, standings
from mhmgnn.paper.item import Item, read_result
from mhmgnn.paper.methods import OURS, PRODUCT, RANDOM
from mhmgnn.paper.pages import write_pages
from mhmgnn.paper.recipe import Cell, Figure, Recipe, recipes
from mhmgnn.paper.results import Results, figure
from mhmgnn.paper.tables import layout, tables

CORA = Cell("hyperedge", "cora", 3)
ALL = recipes()


def recipe_of(cell: Cell) -> Recipe:
    return next(recipe for recipe in ALL if recipe.cell == cell)


def put(folder: Path, cell: Cell, method: str, seed: int, paper: float, **more) -> None:
    """A result as a run leaves it."""
    result = {
        **{"task": cell.task, "dataset": cell.dataset, "k": cell.k, "method": method, "seed": seed},
        **{"split_seed": seed, "shuffled": False, "config": {}, "commit": "0123456789abcdef", "dirty": False},
        "score": {"paper": paper, "converged": paper + 0.01},
        "counts": {
            "train": {"kept": {"0": 9, "1": 9}},
            "test": {"kept": {"0": 99, "1": 25}, "candidates": 500},
        },
        "seconds": {"all": 36.0},
    }
    add_result(Item(recipe_of(cell), method, seed).path(folder), result | more)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    for seed in range(1, 6):
        put(folder, CORA, OURS, seed, 0.69 + 0.01 * seed)
        put(folder, CORA, RANDOM, seed, 0.5)
    put(folder, CORA, "Degrees", 1, 0.75)
    drawn = [{"paper": 0.3, "converged": 0.4}, {"paper": 0.72, "converged": 0.6}]
    put(folder, CORA, OURS, 1, 0.51, shuffled=True, shuffles=drawn)
    put(folder, CORA, OURS, 2, 0.60, split_seed=1)
    return folder


def column(results: Path, dataset: str, cell: Cell = CORA) -> dict[str, tuple[str, str]]:
    """What each row of a table has for a data set: ours, and published."""
    table = next(t for t in tables(ALL) if any(r.cell == cell for r in t.recipes))
    lines = [
        [part.strip() for part in line.split("|")[1:-1]] for line in layout(table, Results.read(results))
    ]
    at = lines[0].index(dataset)
    return {line[0]: (line[at], line[at + 1]) for line in lines[2:]}


def test_a_cell_has_the_mean_and_spread_of_its_runs_beside_the_published_figure(results):
    found = column(results, "cora")
    assert found[OURS] == ("0.720 ± 0.016 / 0.730 ± 0.016", "**0.618** ± 0.03")
    assert found[RANDOM] == ("0.500 ± 0.000 / 0.510 ± 0.000", "0.498 ± 0.00")


def test_the_best_of_a_column_is_in_bold_and_few_runs_are_told(results):
    found = column(results, "cora")
    assert found["Degrees"] == ("**0.750** / **0.760** (1 run)", "")
    assert sum("**" in ours for ours, _ in found.values()) == 1


def test_what_has_no_result_says_so_and_what_the_paper_lacks_is_empty(results):
    assert column(results, "cora")["GS-mean"] == ("not run", "0.490 ± 0.03")
    assert column(results, "steam")["node2vec"] == ("", "")
    assert column(results, "dblp")["node2vec"] == ("not run", "0.461 ± 0.05")


def test_shuffled_labels_and_training_seeds_on_one_split_stay_out_of_the_main_figure(results):
    found = Results.read(results)
    assert len(found.runs(CORA, OURS)) == 5
    assert figure(found.one_cut(CORA, OURS), "paper").mean == pytest.approx(0.65)
    assert figure(found.shuffled(CORA, OURS), "paper") == Figure(0.51, None)
    assert figure([], "paper") is None


def test_the_pages_have_every_table_its_checks_and_where_it_falls_short(results, tmp_path, monkeypatch):
    monkeypatch.setattr("mhmgnn.paper.goal.reasons", lambda: {"hyperedge/cora": "A likely reason."})
    page = tmp_path / "docs" / "results.md"
    pages = {path.name: path.read_text() for path in write_pages(results, page)}
    assert list(pages) == ["results.md", "hyperedge.md", "dag-leaves.md", "whole-graph.md"]
    titles = {name: [line for line in text.splitlines() if line[:3] == "## "] for name, text in pages.items()}
    assert titles.pop("results.md") == ["## In short", "## Where MHM-GNN falls short", "## Tables"]
    assert sum(map(len, titles.values())) == 7 + len(titles)
    assert {found[-1] for found in titles.values()} == {"## Where MHM-GNN falls short"}
    assert "Commits: 0123456789." in pages["results.md"]
    assert "| Hyperedge detection | 2 | 0 | 2 | 0 |" in pages["results.md"]
    assert (
        "(results/hyperedge.md): cora, citeseer, pubmed, dblp, steam, rent; 13 results."
        in pages["results.md"]
    )
    text = pages["hyperedge.md"]
    checks = next(line for line in text.splitlines() if line.startswith("| cora, k = 3 |"))
    assert "+0.220 / +0.220" in checks
    assert "| 0.510 (standard error 0.210) / 0.500 (standard error 0.100); chance 0.500 |" in checks
    assert "0.650 ± 0.071 / 0.660 ± 0.071, 2 seeds" in checks
    assert "25 hyperedges; kept 124 of 500 candidates (fewer than 30: the score says little)" in checks
    short = text.split("## Where MHM-GNN falls short")[1].strip().splitlines()
    assert short == [
        READING,
        "",
        "**hyperedge, cora.** A likely reason.",
        "",
        "- k = 3: MHM-GNN, the paper's probe, 0.720, is below (Degrees 0.750).",
        "- k = 3: MHM-GNN, the converged probe, 0.730, is below (Degrees 0.760).",
    ]


def test_reasons_are_given_for_tasks_and_data_sets_that_there_are():
    assert set(reasons()) <= {f"{recipe.cell.task}/{recipe.cell.dataset}" for recipe in ALL}


def test_in_short_has_ours_beside_the_published_figure_and_counts_the_cells_that_reach_the_goal(results):
    put(results, Cell("dag-leaves", "cora", 4), OURS, 1, 0.4495)
    put(results, Cell("dag-leaves", "cora", 4), PRODUCT, 1, 0.5)
    put(results, Cell("whole-graph", "enzymes", 3), OURS, 1, 0.9)
    lines = in_short(standings(ALL, Results.read(results)))
    assert lines == [
        "| mhmgnn, MHM-GNN (published) | cora |",
        "|---|---|",
        "| Hyperedge detection, k = 3 | -, 0.720 (0.618) |",
        "| DAG leaf counting, k = 4 | 0.500, 0.450 (0.452) |",
        "",
        "| mhmgnn, MHM-GNN (published) | enzymes |",
        "|---|---|",
        "| Whole-graph classification, k = 3 | -, 0.900 (0.445) |",
        "",
        "MHM-GNN, 1 to 5 runs a cell: by the paper's probe in 2 of 3 cells at least the published figure, "
        "in 2 at least every baseline measured beside it (in 3 none is clearly better); by the "
        "converged probe in 3 of 3 cells at least the published figure, in 2 at least every baseline "
        "measured beside it (in 3 none is clearly better).",
        "mhmgnn, 1 run a cell: by the paper's probe in 1 of 1 cells at least the published figure, "
        "in 1 at least every baseline measured beside it (in 1 none is clearly better); by the "
        "converged probe in 1 of 1 cells at least the published figure, in 1 at least every baseline "
        "measured beside it (in 1 none is clearly better).",
        CLEARLY,
    ]


def test_a_baseline_is_clearly_better_when_it_is_so_on_the_same_splits(results):
    cell = Cell("dag-leaves", "cora", 4)
    for seed, ours in enumerate([0.3, 0.5, 0.7], start=1):
        put(results, cell, OURS, seed, ours)
        put(results, cell, "Motif shape", seed, ours + 0.01 * seed)  # always better, by little
        put(results, cell, "Degrees", seed, 0.6)  # better in the mean, by chance
    put(results, cell, "DGI", 1, 0.9)  # a single run
    stand = [
        one for one in standings(ALL, Results.read(results)) if one.cell == cell and one.probe == "paper"
    ]
    assert [str(rival) for rival in stand[0].above] == ["(DGI 0.900)", "(Degrees 0.600)", "Motif shape 0.520"]


def test_shuffled_labels_far_from_chance_are_cried_out(results, tmp_path):
    drawn = [{"paper": 0.59 + 0.01 * i, "converged": 0.5} for i in range(3)]
    put(results, CORA, OURS, 1, 0.6, shuffled=True, shuffles=drawn)
    pages = write_pages(results, tmp_path / "results.md")
    assert "".join(page.read_text() for page in pages).count("NOT CHANCE") == 1


def test_baselines_without_k_are_held_against_every_k(results, tmp_path):
    put(results, Cell("whole-graph", "enzymes", 4), OURS, 0, 0.40)
    put(results, Cell("whole-graph", "enzymes", None), "InfoGraph", 0, 0.45)
    put(results, Cell("whole-graph", "enzymes", None), "InfoGraph + degrees", 0, 0.55)
    write_pages(results, tmp_path / "results.md")
    text = (tmp_path / "results" / "whole-graph.md").read_text()
    told = text[text.index("**whole-graph, enzymes.**") :]
    assert "\n\n- k = 4: MHM-GNN, the paper's probe, 0.400, is below (InfoGraph 0.450).\n" in told
    row = column(results, "enzymes", Cell("whole-graph", "enzymes", 4))["MHM-GNN (k = 4)"]
    assert row == ("0.400 / 0.410 (1 run)", "0.390 ± 0.04")


def test_nothing_measured_makes_a_page_that_says_so(tmp_path):
    write_pages(tmp_path / "none", tmp_path / "results.md")
    text = (tmp_path / "results.md").read_text()
    assert text.count("Nothing has been measured yet.") == 3


def test_a_line_that_is_no_result_is_refused(results):
    with (results / "hyperedge" / "cora-3.jsonl").open("a") as file:
        file.write("{\n")
    with pytest.raises(DataError, match=r"line 14 of .*cora-3\.jsonl is no whole result"):
        Results.read(results)


def test_a_chart_is_xml_with_a_bar_for_each_figure_and_words_for_who_cannot_see_it():
    bars = (Bar(Figure(0.5, 0.1), Figure(0.25, None)), Bar(None, Figure(1.0, 0.0)))
    chart = draw("a < b", ["one & two", "three"], [Panel("cora", bars)])
    root = ElementTree.fromstring(chart)
    name = "{http://www.w3.org/2000/svg}"
    widths = [float(rect.get("width")) for rect in root.findall(f"{name}rect") if rect.get("height") == "6"]
    assert widths == [65, 32.5, 130]
    assert root.find(f"{name}title").text == "a < b"
    told = "cora, one & two: ours 0.500, published 0.250. cora, three: published 1.000."
    assert root.find(f"{name}desc").text == told


@pytest.mark.parametrize(
    "change",
    [
        {"task": ["hyperedge"]},
        {"k": [3]},
        {"score": {"paper": 0.5}},
        {"score": {"paper": "0.5", "converged": 0.5}},
        {"score": {"paper": float("nan"), "converged": 0.5}},
        {"counts": {"train": {"kept": {"0": 1}}}},
        {"counts": {"train": {"kept": {}}, "test": {"kept": {"0": 1}}}},
        {"counts": {"train": {"kept": {"0": 1}}, "test": {"kept": {"0": "1"}}}},
        {"shuffled": True, "shuffles": []},
        {"shuffles": [{"paper": 0.5}]},
        {"seconds": {}},
        {"seconds": {"all": 10**400}},
        {"peak_bytes": None},
        {"commit": "\ud800"},
    ],
)
def test_a_result_of_other_kinds_is_no_whole_result(results, change):
    line = (results / "hyperedge" / "cora-3.jsonl").read_text().splitlines()[0]
    whole = json.loads(line)
    assert read_result(line) == whole
    assert read_result(json.dumps(whole | change)) is None


def test_nesting_without_end_is_no_result():
    assert read_result("[" * 10**5) is None


def test_the_pages_have_what_the_results_of_the_repository_say(tmp_path):
    root = Path(__file__).parents[2]
    write_pages(root / "results", tmp_path / "results.md")
    told = "results have changed: `mhmgnn reproduce --runs 0 --page docs/results.md` writes the pages again"
    written = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.*")]
    assert len(written) == 1 + 3 + 7
    for path in written:
        assert (tmp_path / path).read_text() == (root / "docs" / path).read_text(), told
    readme = " ".join((root / "README.md").read_text().split())
    lines = [
        line for line in in_short(standings(ALL, Results.read(root / "results"))) if line.startswith("|")
    ]
    assert lines
    assert [line for line in lines if " ".join(line.split()) not in readme] == [], "from `In short` there"
