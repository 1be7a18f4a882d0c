import pytest
import typer
from typer.testing import CliRunner

from mhmgnn import DataError
from mhmgnn.cli.commands.model import fit
from mhmgnn.cli.commands.report import report

SMALL = ["model.dim=8", "subgraphs.size=10", "train.steps=2", "train.batch=2"]


def ran(command, *words: object) -> int:
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(command)
    return CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False).exit_code


def test_a_run_has_its_page_in_its_folder_or_where_it_is_wanted(shop, tmp_path):
    assert ran(report, shop.folder, "--page", tmp_path / "page.html", "--cliques") == 0
    assert "Best sets" in (tmp_path / "page.html").read_text()
    assert ran(report, shop.folder) == 0
    assert (shop.folder / "report.html").is_file()


def test_a_folder_of_results_has_the_page_of_tables(tmp_path):
    (tmp_path / "results" / "hyperedge").mkdir(parents=True)
    (tmp_path / "results" / "hyperedge" / "cora-3.jsonl").touch()
    assert ran(report, tmp_path / "results", "-o", tmp_path / "tables.html") == 0
    assert "Hyperedge detection, k = 3" in (tmp_path / "tables.html").read_text()


def test_what_is_neither_is_refused_and_says_what_makes_one(tmp_path):
    with pytest.raises(DataError, match="name a folder that `mhmgnn fit` has filled"):
        ran(report, tmp_path / "none", "-o", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_fit_leaves_a_page_where_it_is_asked_to(tmp_path):
    (tmp_path / "pairs.csv").write_text("a,b\nb,c\nc,a\nc,d\nd,e\ne,a\n")
    words = [word for setting in SMALL for word in ("--set", setting)]
    assert ran(fit, tmp_path / "pairs.csv", tmp_path / "run", *words, "--report") == 0
    assert "</html>" in (tmp_path / "run" / "report.html").read_text()
