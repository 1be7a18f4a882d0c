import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mhmgnn

PACKAGE = Path(mhmgnn.__file__).parent
ROOMS = [  # in the order of flow: a room looks only at rooms before it
    "errors",
    "runtime",
    "io",
    "registry",
    "config",
    "graph",
    "subgraphs",
    "datasets",
    "context",
    "nn",
    "models",
    "training",
    "evaluation",
    "baselines",
    "paper",
    "report",
    "service",
    "cli",
]
ENTRIES = {"__init__.py", "__main__.py"}
FILES = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).as_posix() not in ENTRIES]


def room_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def rooms_used(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in modules if name.startswith("mhmgnn.")}
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_a_room_imports_only_from_rooms_before_it(file):
    assert rooms_used(file) <= set(ROOMS[: ROOMS.index(room_of(file)) + 1])


def test_every_room_stands_in_the_order_of_flow():
    assert {room_of(file) for file in FILES} == set(ROOMS)


HELP = "import runpy; sys.argv = ['mhmgnn', '--help']; runpy.run_module('mhmgnn', run_name='__main__')"


@pytest.mark.parametrize("statement", ["import mhmgnn", "import mhmgnn.cli.main", HELP])
def test_heavy_libraries_are_not_imported_before_they_are_needed(statement):
    heavy = "torch, torch_geometric, numba, scipy, pyarrow, networkx, numpy, rich, pydantic"
    told = f"print([m for m in '{heavy}'.split(', ') if m in sys.modules], file=sys.stderr)"
    check = f"import atexit, sys; atexit.register(lambda: {told}); {statement}"
    ran = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert ran.stderr.strip() == "[]"


def test_every_public_name_can_be_had():
    assert [name for name in mhmgnn.__all__ if getattr(mhmgnn, name) is None] == []
    assert list(mhmgnn._ROOMS) == mhmgnn.__all__


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(AttributeError, match="it has MHMError, DataError"):
        mhmgnn.grph  # noqa: B018
