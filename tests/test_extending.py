import os
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", (DOCS / "extending.md").read_text(), re.S | re.M))
NAMED = re.compile(r"```(?:python|toml)\n# (\S+)\n(.*?)```", re.S)  # blocks that are files of their own
USE = re.compile(r"```python\n(?!# )(.*?)```", re.S)


def run(folder: Path, program: str) -> str:
    """What a fresh process prints that has the files of `folder` and the package."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def written(folder: Path, section: str) -> str:
    """The example of a section: its files are written, and what uses them comes back."""
    for name, text in NAMED.findall(SECTIONS[section]):
        (folder / name).write_text(text)
    (use,) = USE.findall(SECTIONS[section])
    return use


def test_a_baseline_of_one_file_is_fitted_by_name_saved_and_listed(tmp_path):
    more = """
from typer.testing import CliRunner
from mhmgnn.baselines.baseline import load_baseline
from mhmgnn.cli.main import app

mine.save("run")
again = load_baseline("run")
print((again.embed([[0, 1, 2]]) == mine.embed([[0, 1, 2]])).all(), again.facts["settings"])
print(CliRunner().invoke(app, ["baselines", "list"]).stdout)
"""
    said = run(tmp_path, written(tmp_path, "A baseline") + more)
    assert "True {'hops': 1}" in said
    assert re.search(r"^smoothed +any graph +features averaged over neighbours\n +hops=2$", said, re.M)


def test_a_baseline_of_one_file_has_a_row_in_every_table_with_and_without_degrees(tmp_path):
    written(tmp_path, "A baseline")
    told = """
import smoothed
from mhmgnn.paper.methods import methods_of
from mhmgnn.paper.recipe import recipes
for recipe in recipes():
    print(recipe.cell.place, methods_of(recipe))
"""
    for line in run(tmp_path, told).splitlines():
        for_graphs_at_k = re.match(r"whole-graph/\S+-[345n] ", line) is not None
        assert ("'Smoothed features', " in line) != for_graphs_at_k, line
        assert ("'Smoothed features + degrees'" in line) != for_graphs_at_k, line


def test_a_data_set_of_one_file_is_loaded_by_name_and_listed(tmp_path):
    more = """
from typer.testing import CliRunner
from mhmgnn.cli.main import app
print(CliRunner().invoke(app, ["data", "list"]).stdout)
print(CliRunner().invoke(app, ["data", "info", "bands"]).stdout)
"""
    said = run(tmp_path, written(tmp_path, "A data set") + more)
    assert "hyperedge on bands, k = 3" in said
    assert re.search(r"^bands +musicians +generated, needs no file$", said, re.M)
    assert re.search(r"^  hyperedges +120$", said, re.M)


def test_a_task_of_one_file_runs_as_the_cells_of_the_paper_do(tmp_path):
    more = """
from mhmgnn.paper.tables import tables
print([table.title for table in tables([recipe])])
"""
    said = run(tmp_path, written(tmp_path, "A task") + more)
    assert "['Inside one cart, k = 3']" in said
    assert (tmp_path / "results" / "same-cart" / "market-3" / "raw-features-1.json").is_file()
