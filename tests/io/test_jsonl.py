import json
import os
import subprocess
import sys

import numpy as np
import pytest

from mhmgnn.io.jsonl import LOCK, put_row, read_lines

ADD = """
import sys
from pathlib import Path
from mhmgnn.io.jsonl import put_row
for number in range(60):
    row = {"by": sys.argv[2], "number": number, "long": "x" * 5000}
    put_row(Path(sys.argv[1]), row, lambda line: False)
    print(number, flush=True)
"""


def rows(path):
    return [json.loads(line) for line in read_lines(path)]


def put(path, key, value):
    put_row(path, {"key": key, "value": value}, lambda line: json.loads(line)["key"] == key)


def test_two_processes_that_add_at_once_lose_nothing(tmp_path):
    path = tmp_path / "rows.jsonl"
    both = [
        subprocess.Popen([sys.executable, "-c", ADD, path, name], stdout=subprocess.DEVNULL) for name in "ab"
    ]
    assert [one.wait() for one in both] == [0, 0]
    found = [(row["by"], row["number"]) for row in rows(path)]
    assert sorted(found) == [(name, number) for name in "ab" for number in range(60)]
    assert {file.name for file in tmp_path.iterdir()} == {"rows.jsonl", LOCK}


def test_a_kill_at_any_moment_loses_no_row_that_was_added(tmp_path):
    path, added = tmp_path / "rows.jsonl", set()
    for by, moment in enumerate(np.random.default_rng(5).integers(1, 12, size=8).tolist()):
        command = [sys.executable, "-c", ADD, path, str(by)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            added |= {(str(by), int(process.stdout.readline())) for _ in range(moment)}
            process.kill()
    put_row(path, {"by": "last", "number": 0}, lambda line: False)
    found = [(row["by"], row["number"]) for row in rows(path)]
    assert added <= set(found)
    assert len(set(found)) == len(found)
    assert [file.name for file in tmp_path.iterdir() if file.name != LOCK] == ["rows.jsonl"]


@pytest.mark.parametrize("left", [1, 5, 20])
def test_a_torn_last_line_is_mended_and_the_others_stay(tmp_path, left):
    path = tmp_path / "rows.jsonl"
    for key in "abc":
        put(path, key, 1)
    whole = path.read_bytes()
    path.write_bytes(whole[: -len(read_lines(path)[-1]) - 1 + left])
    assert [row["key"] for row in rows(path)] == ["a", "b"]
    put(path, "c", 1)
    assert path.read_bytes() == whole


def test_a_last_line_that_lacks_only_its_end_is_no_torn_one(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"key": "a", "value": 1}')
    put(path, "b", 2)
    assert [row["key"] for row in rows(path)] == ["a", "b"]


def test_a_row_takes_the_place_of_the_one_with_its_key(tmp_path):
    path = tmp_path / "rows.jsonl"
    for key, value in (("a", 1), ("b", 1), ("a", 2)):
        put(path, key, value)
    assert rows(path) == [{"key": "b", "value": 1}, {"key": "a", "value": 2}]


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "rows.jsonl"
    put(path, "a", 1)
    before = path.read_bytes()

    def full(number):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=r"No space .*rows\.jsonl"):
            put(path, "b", 2)
    assert path.read_bytes() == before
