"""Result files: `results/TASK/CELL.jsonl` holds the results of a cell, a row each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks.kind import TASKS
from mhmgnn.io.jsonl import put_row, read_lines
from mhmgnn.paper.item import Item, Key, read_result


def add_result(path: Path, row: dict[str, Any]) -> None:
    """Write a result; it takes the place of an earlier one of the same item."""
    key = key_of(row)

    def replaces(line: bytes) -> bool:
        found = read_result(line)
        return found is not None and key_of(found) == key

    put_row(path, row, replaces)


def read_cell(path: Path) -> dict[Key, dict[str, Any]]:
    """The results of a cell, in the order of their keys; a line among them that is no result is an error.

    Up to version 0.1 each result had a file of its own, in a folder of the cell's name: these are read too.
    """
    old = [(str(file), file.read_bytes()) for file in sorted(path.with_suffix("").glob("*.json"))]
    lines = [(f"line {number} of {path}", line) for number, line in enumerate(read_lines(path), start=1)]
    found = {}
    for place, text in [*old, *lines]:
        row = read_result(text)
        if row is None:
            raise DataError(f"{place} is no whole result; remove it, and `mhmgnn reproduce` makes it again")
        found[key_of(row)] = row
    return {key: found[key] for key in sorted(found, key=lambda key: tuple(map(str, key)))}


def read_folder(results: Path) -> list[dict[str, Any]]:
    """Every result of every task in a folder."""
    cells = {path for task in TASKS for path in (results / task).glob("*.jsonl")}
    cells |= {old.parent.with_name(f"{old.parent.name}.jsonl") for old in results.glob("*/*/*.json")}
    return [row for path in sorted(cells) for row in read_cell(path).values()]


def results_of(items: Iterable[Item], results: Path) -> dict[Key, dict[str, Any]]:
    """What is known of items, by their keys; each file is read once."""
    found: dict[Key, dict[str, Any]] = {}
    for path in dict.fromkeys(item.path(results) for item in items):
        found |= read_cell(path)
    return found


def key_of(row: dict[str, Any]) -> Key:
    """Which item a result is of."""
    where = row["task"], row["dataset"], row["k"], row["method"]
    return *where, row["seed"], row["split_seed"], row["shuffled"]
