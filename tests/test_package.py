"""The wheel, installed where the repository is not."""

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
PAIRS = "tea,cup,3\ntea,pot,1\ncup,pot,1\npot,hob,1\nhob,pan,2\npan,oil,1\noil,salt,1\nsalt,pan,4\n"


@pytest.fixture(scope="module", name="wheel")
def built(tmp_path_factory) -> Path:
    """What `make dist` builds, the wheel alone."""
    out = tmp_path_factory.mktemp("dist")
    words = ["-m", "build", "--no-isolation", "--wheel", "--outdir", str(out), str(ROOT)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module", name="place")
def installed(wheel, tmp_path_factory) -> Path:
    """An environment with the wheel; the libraries that it needs are those of this one."""
    place = tmp_path_factory.mktemp("empty")
    venv.create(place / "env")
    own = next((place / "env" / "lib").glob("python*/site-packages"))
    (own / "libraries.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n")  # not its editable installs
    words = ["--python", str(place / "env"), "install", "--no-deps", "--no-index", "--quiet", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True, capture_output=True)
    return place


def run(place: Path, *words: str) -> str:
    """What a command of that environment prints, outside the repository and without its settings."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MHMGNN"))}
    command = [str(place / "env" / "bin" / words[0]), *words[1:]]
    done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"mhmgnn", f"mhmgnn-{VERSION}.dist-info"}
    held = {name for name in names if name.startswith("mhmgnn/")}
    source = ROOT / "src"
    files = [path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {str(path.relative_to(source)) for path in files} - {".gitignore"} == held


def test_an_installed_wheel_runs_without_the_repository(place):
    assert run(place, "mhmgnn", "--version").split() == ["mhmgnn", VERSION]
    said = run(place, "python", "-c", "import mhmgnn; print(mhmgnn.__file__); mhmgnn.datasets.load('market')")
    assert said.startswith(str(place))
    assert "Find the carts of a generated shop" in run(place, "mhmgnn", "demo", "--help")


@pytest.mark.slow
def test_an_installed_wheel_fits_and_finds_groups(place):
    (place / "pairs.csv").write_text(PAIRS)
    run(place, "mhmgnn", "fit", "pairs.csv", "run", "-k", "3", "--set", "train.steps=2")
    assert run(place, "mhmgnn", "complete", "run", "oil", "salt", "--top", "1").split()[-1] == "pan"


@pytest.mark.slow
def test_the_demo_of_an_installed_wheel_runs(place):
    assert "cart" in run(place, "mhmgnn", "demo", "--quiet")
    assert (place / "report.html").is_file()


def test_the_citation_has_the_version_of_the_package():
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text()


def test_every_extra_is_explained():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert [name for name in extras if f"| `{name}` |" not in text] == []


def test_the_workflow_calls_make_targets_that_there_are():
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M)
    called = re.findall(r"- run: make (\S+)", (ROOT / ".github" / "workflows" / "test.yml").read_text())
    assert set(called) <= set(targets)
    assert called
