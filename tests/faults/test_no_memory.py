"""Commands in a control group that has too little memory: they end, and nothing that was saved is lost."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from faults.test_commands import a_new_pair, is_whole, run_of_a_tiny_shop  # noqa: F401 - fixtures

from mhmgnn import load

GROUPS = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")  # of version 1, of version 2


@contextmanager
def little_memory(megabytes: int) -> Iterator[Path]:
    """A control group with so much memory; the test is skipped where nobody may make one."""
    root = next((place for place in GROUPS if (place / "cgroup.procs").exists()), None)
    if root is None:
        pytest.skip("there are no control groups on this system, so memory cannot be made scarce")
    group = root / f"mhmgnn-{uuid4().hex}"
    try:
        group.mkdir()
        limit = "memory.limit_in_bytes" if root == GROUPS[0] else "memory.max"
        (group / limit).write_text(str(megabytes * 10**6))
    except OSError as error:
        pytest.skip(f"control groups are not permitted, so memory cannot be made scarce: {error}")
    try:
        yield group
    finally:
        group.rmdir()


def run_in(group: Path, *words: str) -> subprocess.CompletedProcess[str]:
    join = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    return subprocess.run(
        [*join, sys.executable, "-m", "mhmgnn", *words], capture_output=True, text=True, timeout=300
    )


def test_an_update_that_memory_ends_leaves_the_run_as_it_was(trained, pairs, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(trained, run)
    before = load(run).graph.num_edges
    with little_memory(250) as group:
        ended = run_in(group, "update", str(run), str(pairs))
    assert ended.returncode in (1, 2, -signal.SIGKILL), ended.stderr
    assert is_whole(run)
    assert load(run).graph.num_edges == before
    done = subprocess.run([sys.executable, "-m", "mhmgnn", "update", str(run), str(pairs)], check=False)
    assert done.returncode == 0
    assert load(run).graph.num_edges == before + 1
    assert [file.name for file in tmp_path.iterdir()] == ["run"]


def test_a_file_that_does_not_fit_is_refused_before_it_is_read(tmp_path):
    large = tmp_path / "pairs.csv"
    line = "a" * 30 + "," + "b" * 30 + "\n"
    large.write_text("source,target\n" + line * (150 * 10**6 // len(line)))
    with little_memory(450) as group:
        ended = run_in(group, "count", str(large), "-k", "3")
    assert ended.returncode == 2, (ended.returncode, ended.stderr)
    assert "0.4 GB of memory" in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
