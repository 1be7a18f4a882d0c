import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mhmgnn.cli.main import app

GUIDE = (Path(__file__).parents[1] / "docs" / "guide.md").read_text()
BLOCKS = re.findall(r"```(python|sh)\n(.*?)```", GUIDE, re.S)


@pytest.mark.usefixtures("soon_settled", "one_penalty")
def test_the_guide_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    for kind, text in BLOCKS:
        if kind == "python":
            exec(compile(text, "guide.md", "exec"), known)
            continue
        for line in text.splitlines():
            said = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
            assert said.exit_code == 0, f"{line}\n{said.output}"
    assert known["model"].k == 3  # type: ignore[attr-defined]
    assert (tmp_path / "vectors.parquet").stat().st_size
    assert "Graph(120 nodes" in capsys.readouterr().out


@pytest.mark.parametrize(
    "section", re.split(r"^## ", GUIDE, flags=re.M)[1:], ids=lambda text: text.split("\n")[0]
)
def test_every_section_of_the_guide_can_be_tried(section):
    assert re.search(r"```(python|sh|console)\n", section)
