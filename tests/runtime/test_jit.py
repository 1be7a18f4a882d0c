import importlib.util
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from mhmgnn.runtime import jit

PACKAGE = Path(jit.__file__).parents[1]
KERNEL = """
from mhmgnn.runtime.jit import njit


@njit(cache=True, nogil=True)
def twice(x):
    return x + x
"""


def kernel(folder: Path):
    """A module with a kernel, as a fresh process would import it."""
    spec = importlib.util.spec_from_file_location("kernel", folder / "kernel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.twice


def entries(folder: Path) -> jit.Entries:
    return jit.Entries(str(folder), "twice-1.py311", ("a time", 3))


def test_code_is_compiled_once_for_all_processes_and_again_when_the_source_changes(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", "")
    (tmp_path / "kernel.py").write_text(KERNEL)
    found = []
    for text in (KERNEL, KERNEL, KERNEL.replace("x + x", "3 * x")):
        if text != (tmp_path / "kernel.py").read_text():
            (tmp_path / "kernel.py").write_text(text + "# longer")
        twice = kernel(tmp_path)
        found.append((twice(2), twice(1.5), sum(twice.stats.cache_hits.values())))
        assert jit.cache_folder(twice) == str(tmp_path / "__pycache__")
    assert found == [(4, 3.0, 0), (4, 3.0, 2), (6, 4.5, 0)]
    assert len(list((tmp_path / "__pycache__").glob("*.nbc"))) == 2  # those of the older source are gone


@pytest.mark.parametrize("step", ["_save_data", "_save_index"])
def test_two_processes_that_save_at_once_never_name_the_code_of_each_other(tmp_path, monkeypatch, step):
    one, other = entries(tmp_path), entries(tmp_path)
    write = getattr(one, step)

    def late(*given):
        monkeypatch.setattr(other, "_load_index", dict)  # it has looked before `one` wrote anything
        other.save("float", "code for floats")
        write(*given)

    monkeypatch.setattr(one, step, late)
    one.save("int", "code for ints")
    assert entries(tmp_path).load("int") in (None, "code for ints")
    assert entries(tmp_path).load("float") in (None, "code for floats")
    for key in ("int", "float"):
        entries(tmp_path).save(key, f"code for {key}s")
    assert [entries(tmp_path).load(key) for key in ("int", "float")] == ["code for ints", "code for floats"]


def test_an_index_that_names_a_type_of_older_source_is_left_out(tmp_path, monkeypatch):
    older = types.ModuleType("older")
    older.Gone = type("Gone", (), {"__module__": "older"})
    monkeypatch.setitem(sys.modules, "older", older)
    entries(tmp_path).save(older.Gone, "code")
    monkeypatch.delitem(sys.modules, "older")
    assert entries(tmp_path).load("int") is None
    entries(tmp_path).save("int", "code for ints")
    assert entries(tmp_path).load("int") == "code for ints"


def test_where_nothing_can_be_written_functions_are_compiled_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "kernel.py").write_text(KERNEL)
    monkeypatch.setattr("numba.core.caching.CacheImpl._locator_classes", [])  # none has a folder to offer
    twice = kernel(tmp_path)
    assert twice(np.arange(3)).tolist() == [0, 2, 4]
    assert jit.cache_folder(twice) is None


def test_a_full_disk_costs_the_cache_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", "")
    (tmp_path / "kernel.py").write_text(KERNEL)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jit.Entries, "_save_data", full)
    assert kernel(tmp_path)(21) == 42


def test_every_kernel_has_this_cache():
    others = [file for file in PACKAGE.rglob("*.py") if "from numba import njit" in file.read_text()]
    assert others == []


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may bind a folder read-only")
def test_a_read_only_install_without_a_home_counts(tmp_path):
    program = (
        "import mhmgnn; print(len(mhmgnn.connected_sets(mhmgnn.Graph.from_edges([[0, 1], [1, 2]]), k=3)))"
    )
    script = f'mount --bind {PACKAGE} {PACKAGE} && mount -o remount,ro,bind {PACKAGE} && exec "$0" -B -c "$1"'
    env = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    env |= {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": "/proc/nowhere", "PYTHONPATH": str(PACKAGE.parent)}
    ran = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, sys.executable, program],
        env=env,
        capture_output=True,
        text=True,
    )
    if "Operation not permitted" in ran.stderr or "unshare" in ran.stderr:
        pytest.skip("no namespaces here")
    assert (ran.returncode, ran.stdout.strip()) == (0, "1"), ran.stderr
