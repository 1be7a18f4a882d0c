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
    return "".join(USE.findall(SECTIONS[section]))


def test_an_encoder_of_one_file_is_trained_by_name_saved_and_loaded(tmp_path):
    written(tmp_path, "An encoder")
    program = """
import my_encoder, mhmgnn
market = mhmgnn.datasets.load("market")
settings = ["model.encoder=largest", "model.dim=8", "train.steps=2", "train.batch=2", "groups.worlds=0"]
model = mhmgnn.fit(market.graph, 3, config=mhmgnn.RunConfig().with_settings(settings))
model.save("run")
print(type(model.network.energies[0].encoder).__name__, model.embed([[0, 1, 2]]).shape)
print((mhmgnn.load("run").embed([[0, 1, 2]]) == model.embed([[0, 1, 2]])).all())
"""
    assert run(tmp_path, program).splitlines() == ["Largest (1, 8)", "True"]


def test_a_noise_of_one_file_teaches_beside_those_of_the_package(tmp_path):
    written(tmp_path, "A noise")
    program = """
import my_noise, mhmgnn
graph = mhmgnn.datasets.load("market").graph
settings = ["subgraphs.noise=features+rotated", "model.dim=8", "train.steps=2", "train.batch=2"]
config = mhmgnn.RunConfig().with_settings([*settings, "groups.worlds=0"])
model = mhmgnn.fit(graph, 3, config=config)
print(model.facts["taught"], model.config.subgraphs.noise)
print(abs(model.energy([[0, 1, 2]], kind="rotated")) >= 0)
try:
    mhmgnn.fit(mhmgnn.Graph(*graph.rows), 3, config=config)
except mhmgnn.DataError as error:
    print(error)
"""
    said = run(tmp_path, program)
    assert "{'features': 2, 'rotated': 2} features+rotated" in said
    assert 'noise "features+rotated" needs node features, and the graph has none; take "edges"' in said


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
    assert (tmp_path / "results" / "same-cart" / "market-3.jsonl").is_file()
