import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from mhmgnn.cli.main import app

README = (Path(__file__).parents[1] / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)
SHELL = re.findall(r"```sh\n(.*?)```", README, re.S)
PAIRS = """source,target
tea,kettle
tea,cup
kettle,cup
tea,lemon
lemon,cup
cup,saucer
saucer,tea
kettle,hob
hob,pan
pan,oil
oil,salt
salt,pan
"""


@pytest.mark.usefixtures("soon_settled")
@pytest.mark.parametrize("block", PYTHON, ids=["five lines", "sums", "tasks"])
def test_the_python_of_the_readme_runs(block):
    exec(compile(block, "README.md", "exec"), {})
    assert "mhmgnn" in block


@pytest.mark.slow
def test_the_five_lines_of_the_readme_train_to_the_end():
    known: dict[str, object] = {}
    exec(compile(PYTHON[0], "README.md", "exec"), known)
    assert known["model"].facts["loss"] < np.log(2) / 2


@pytest.fixture
def lines(tmp_path, monkeypatch) -> list[str]:
    """The commands of the README, and the tables that they name in the folder that is open."""
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text(PAIRS)
    names = sorted({name for line in PAIRS.splitlines()[1:] for name in line.split(",")})
    rows = [f"{name},{len(name)},{name.count('a')},{i % 3}" for i, name in enumerate(names)]
    Path("words.csv").write_text("\n".join(["name,length,a,third", *rows]))
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
    for line in lines:
        told(line)
    assert Path("energies.csv").read_text().splitlines()[3].endswith("inf")
    assert Path("vectors.parquet").stat().st_size


def test_a_shell_has_the_command_and_prints_the_same(lines):
    line = next(line for line in lines if line.startswith("mhmgnn count"))
    done = subprocess.run(
        f"{Path(sys.executable).parent}/{line}", shell=True, capture_output=True, text=True, check=True
    )
    assert done.stdout == told(line)
