import pytest
import typer
from typer.testing import CliRunner

from mhmgnn import DataError
from mhmgnn.cli.commands.reproduce import reproduce

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(reproduce)


def told(*words: str) -> str:
    ran = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert ran.exit_code == 0
    return ran.stdout


def test_the_list_says_what_would_run_and_runs_nothing(tmp_path):
    cells = ("--table", "whole-graph", "-k", "n", "--dataset", "enzymes")
    asked = ("--method", "MHM-GNN", "--method", "NetLSD", "--runs", "2", "--one-cut", "2")
    rows = told("--list", *cells, *asked, "--results", str(tmp_path / "none"))
    assert rows.splitlines() == [
        "whole-graph enzymes: NetLSD, seed 1",
        "whole-graph enzymes: NetLSD, seed 2",
        "whole-graph enzymes k = n: MHM-GNN, seed 1",
        "whole-graph enzymes k = n: MHM-GNN, seed 2",
        "whole-graph enzymes k = n: MHM-GNN, seed 2, cut 1",
    ]
    assert not (tmp_path / "none").exists()


def test_a_quick_run_has_one_seed(tmp_path):
    rows = told(
        "--list", "--quick", "-k", "3", "--dataset", "steam", "--method", "DGI", "--results", str(tmp_path)
    )
    assert rows.splitlines() == ["hyperedge steam k = 3: DGI, seed 1"]


def test_no_runs_write_the_page_alone(tmp_path):
    told("--runs", "0", "--results", str(tmp_path / "none"), "--page", str(tmp_path / "docs" / "results.md"))
    assert "Nothing has been measured yet." in (tmp_path / "docs" / "results.md").read_text()
    assert len(list((tmp_path / "docs" / "figures").glob("*.svg"))) == 7


def test_other_settings_need_a_folder_of_their_own():
    with pytest.raises(DataError, match="name a folder of its own for it with --results"):
        told("--set", "train.steps=3")
