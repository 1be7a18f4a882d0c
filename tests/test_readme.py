import importlib.util
import math
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mhmgnn.cli.main import app
from mhmgnn.datasets import SOURCES
from mhmgnn.datasets.market import generate

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)
SHELL = re.findall(r"```sh\n(.*?)```", README, re.S)
PAIRS = """source,target,count
tea,kettle,12
tea,cup,7
kettle,cup,5
tea,lemon,2
lemon,cup,1
cup,saucer,3
saucer,tea,2
kettle,hob,1
hob,pan,4
pan,oil,6
oil,salt,1
salt,pan,2
"""
MOST_LINES = 160


def writer():
    """docs/write_readme.py."""
    spec = importlib.util.spec_from_file_location("write_readme", ROOT / "docs" / "write_readme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_of_the_readme_have_what_their_files_say():
    told = "files under results/ have changed: `python docs/write_readme.py` writes the tables again"
    assert len(writer().MARKED.findall(README)) == 2
    assert writer().filled(README) == README, told


def test_a_formula_that_is_better_turned_round_is_taken_so():
    found = {"degrees": 0.2, "Jaccard": 0.7, "mhmgnn": 0.9}
    assert writer().beside("?", dict(found), turned=True) == ["?", "0.900", "0.800 (degrees, turned round)"]
    assert writer().beside("?", dict(found), turned=False) == ["?", "0.900", "0.700 (Jaccard)"]


def test_the_readme_is_short():
    assert len(README.splitlines()) <= MOST_LINES


@pytest.mark.usefixtures("soon_settled")
@pytest.mark.parametrize("block", PYTHON, ids=["six lines"])
def test_the_python_of_the_readme_runs(block, monkeypatch):
    """On a smaller shop."""
    small = replace(SOURCES["market"], loader=lambda data_dir, seed: generate(seed=seed, products=80))
    monkeypatch.setitem(SOURCES, "market", small)
    exec(compile(block, "README.md", "exec"), {})
    assert "mhmgnn" in block


@pytest.mark.slow
def test_the_six_lines_of_the_readme_train_to_the_end():
    known: dict[str, object] = {}
    exec(compile(PYTHON[0], "README.md", "exec"), known)
    learned = known["model"].facts["groups"]["log"]
    assert max(epoch["held_back"] for epoch in learned if epoch["epoch"] == 7) < math.log(2) / 2


@pytest.fixture
def lines(tmp_path, monkeypatch) -> list[str]:
    """The commands of the README, and the tables that they name in the folder that is open."""
    monkeypatch.chdir(tmp_path)
    shop = generate(products=80)
    pairs = shop.graph.to_scipy(counts=True).tocoo()
    names = list(map(str, shop.graph.names))
    rows = [
        f"{names[a]},{names[b]},{w:.0f}" for a, b, w in zip(*pairs.coords, pairs.data, strict=True) if a < b
    ]
    Path("pairs.csv").write_text(PAIRS + "\n".join(rows))
    carts = [",".join(names[node] for node in shop.truth[i]) for i in range(60)]
    Path("carts.csv").write_text("\n".join(carts))
    Path("sets.csv").write_text("tea,kettle,cup\noil,pan,salt\ntea,pan,salt\n")
    labels = ["tea,kettle,cup,hot", "oil,pan,salt,cold", "tea,lemon,cup,hot", "hob,pan,salt,cold"]
    Path("labelled.csv").write_text("\n".join(labels))
    return [line for block in SHELL for line in block.splitlines() if line.startswith("mhmgnn")]


def told(line: str) -> str:
    said = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
    assert said.exit_code == 0, f"{line}\n{said.output}"
    return said.stdout


@pytest.mark.usefixtures("soon_settled")
def test_the_commands_of_the_readme_run_on_an_edge_list(lines):
    assert len(lines) == 14
    said = {line: told(line) for line in lines}
    (energies,) = (text for line, text in said.items() if line.startswith("mhmgnn energy"))
    assert [line.split()[0] == "inf" for line in energies.splitlines()] == [False, False, True]
    assert Path("vectors.parquet").stat().st_size


def test_a_shell_has_the_command_and_prints_the_same(lines):
    line = next(line for line in lines if line.startswith("mhmgnn count"))
    done = subprocess.run(
        f"{Path(sys.executable).parent}/{line}", shell=True, capture_output=True, text=True, check=True
    )
    assert done.stdout == told(line)
