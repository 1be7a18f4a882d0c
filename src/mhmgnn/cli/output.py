"""Output for programs: the option `--json`, which prints one JSON document to stdout."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]


def print_json(facts: object) -> None:
    """Print one JSON document; infinity and nan, which JSON does not have, become null."""
    print(json.dumps(_plain(facts), indent=2, allow_nan=False))


def print_rows(rows: Iterable[dict[str, Any]]) -> None:
    """Print rows as a JSON list, one line each, without holding all of them in memory."""
    between = "["
    for row in rows:
        print(between, json.dumps(_plain(row), allow_nan=False), sep="\n", end="")
        between = ","
    print("[]" if between == "[" else "\n]")


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value
