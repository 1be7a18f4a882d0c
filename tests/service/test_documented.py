"""The examples of docs/service.md, run against a service."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "service.md").read_text()
CURLS = re.findall(r"^\$ (curl .*)$", PAGE, re.MULTILINE)
SCRIPTS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
@pytest.mark.parametrize("line", CURLS)
def test_a_line_of_curl_is_answered(address, line):
    words = shlex.split(line.replace("localhost:8000", address.removeprefix("http://")))
    found = subprocess.run([*words, "--silent", "--fail-with-body"], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
    answer = json.loads(found.stdout)
    assert answer.get("completions") or answer.get("energies") or "groups" in answer


def test_the_python_example_prints_completions(address, capsys):
    (script,) = SCRIPTS
    exec(script.replace("http://localhost:8000", address), {"token": "any"})
    assert len(capsys.readouterr().out.splitlines()) == 5
