import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("block", PYTHON, ids=["five lines", "sums", "tasks"])
def test_the_python_of_the_readme_runs(block):
    exec(compile(block, "README.md", "exec"), {})
    assert "mhmgnn" in block


def test_the_commands_of_the_readme_run_on_an_edge_list(tmp_path):
    (tmp_path / "pairs.csv").write_text(PAIRS)
    names = sorted({name for line in PAIRS.splitlines()[1:] for name in line.split(",")})
    rows = [f"{name},{len(name)},{name.count('a')},{i % 3}" for i, name in enumerate(names)]
    (tmp_path / "words.csv").write_text("\n".join(["name,length,a,third", *rows]))
    (tmp_path / "sets.csv").write_text("tea,kettle,cup\noil,pan,salt\ntea,pan,salt\n")
    labels = ["tea,kettle,cup,hot", "oil,pan,salt,cold", "tea,lemon,cup,hot", "hob,pan,salt,cold"]
    (tmp_path / "labelled.csv").write_text("\n".join(labels))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    lines = [line for block in SHELL for line in block.splitlines() if line.startswith("mhmgnn")]
    assert len(lines) == 14
    for line in lines:
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    energies = (tmp_path / "energies.csv").read_text().splitlines()
    assert energies[3].endswith("inf")
    assert (tmp_path / "vectors.parquet").stat().st_size
