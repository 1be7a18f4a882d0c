"""Pages that are made of files under results/ hold what these files say."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module", name="writer")
def script_that_writes_pages():
    spec = importlib.util.spec_from_file_location("write_pages", ROOT / "docs" / "write_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["benchmarks.md", "experiments.md", "scaling.md"])
def test_a_page_has_what_its_files_say(writer, name):
    told = "files under results/ have changed: `python docs/write_pages.py` writes the pages again"
    assert writer.pages()[ROOT / "docs" / name] == (ROOT / "docs" / name).read_text(), told


def test_the_page_of_groups_has_what_the_benchmark_found():
    spec = importlib.util.spec_from_file_location("write_groups", ROOT / "docs" / "write_groups.py")
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    told = "results/groups has changed: `python docs/write_groups.py` writes the page again"
    assert writer.page() == writer.PAGE.read_text(), told
    assert writer.picture(writer.load()) == writer.PICTURE.read_text(), told


def test_the_shop_stands_beside_real_data_as_it_was_measured():
    spec = importlib.util.spec_from_file_location("write_data", ROOT / "docs" / "write_data.py")
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    told = "the shop has changed: `python docs/write_data.py --measure` measures it again"
    figures, text = writer.read_figures(), writer.PAGE.read_text()
    assert writer.shop() == figures["shop"], told
    assert len(writer.MARKED.findall(text)) == 4
    assert writer.filled(text, figures) == text, told


def test_every_trial_and_benchmark_is_on_a_page(writer):
    text = (ROOT / "docs" / "experiments.md").read_text()
    for path in (ROOT / "results" / "trials").glob("*.jsonl"):
        assert path.stem in text, path.name
    titles = [
        writer.benchmark(path).get("title") for path in (ROOT / "results" / "benchmarks").glob("*.json")
    ]
    names = ("benchmarks.md", "scaling.md", "reliability.md")
    pages = "".join((ROOT / "docs" / name).read_text() for name in names)
    assert [title for title in titles if title and title not in pages] == []


def test_every_row_of_a_trial_says_how_it_was_made():
    for path in (ROOT / "results" / "trials").glob("*.jsonl"):
        for line in path.read_text().splitlines():
            row = json.loads(line)
            assert row.get("command", row.get("how")), path.name
            assert row["measured"], path.name


def test_a_changed_figure_changes_the_page(writer, tmp_path, monkeypatch):
    rows = [{"what": "a list", "ours_s": 0.25, "theirs_s": 12_345.6}, {"what": "more", "note": "slow"}]
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "probes.json").write_text(json.dumps(rows))
    monkeypatch.setattr(writer, "RESULTS", tmp_path)
    text = writer.benchmarks()
    assert "## Probes\n\n`python benchmarks/probes.py`" in text
    assert "| what | ours_s | theirs_s | note |\n|---|---|---|---|\n| a list | 0.25 | 12,346 |  |" in text


def test_tables_are_made_anew_and_the_words_around_them_stay(writer, tmp_path, monkeypatch):
    scores = {"hyperedges": {"paper": 0.5, "converged": 0.625}}
    row = {"dataset": "cora", "k": 3, "variant": "default", "steps": 10, "loss": 0.69, "scores": scores}
    (tmp_path / "trials").mkdir()
    (tmp_path / "trials" / "cora-3.jsonl").write_text(json.dumps(row) + "\n")
    monkeypatch.setattr(writer, "RESULTS", tmp_path)
    text = "before\n<!-- trials cora-3 -->\nan old table\n<!-- end -->\nafter\n"
    lines = writer.filled(text).splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    assert "| cora, k = 3 | hyperedges | default | 0.500 / 0.625 | 0.69 |" in lines
    assert "an old table" not in lines
    assert writer.filled(writer.filled(text)) == writer.filled(text)
