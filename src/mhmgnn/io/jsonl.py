"""JSON Lines that several processes write: a row a line, added whole under a lock, mended after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mhmgnn.io.atomic import naming, write_atomic

LOCK = ".lock"  # one for all files of a folder


def read_lines(path: Path) -> list[bytes]:
    """The lines of a file, without their ends; none where there is no file.

    A kill in the middle of a write leaves a last line that has no end and is no JSON: it is left out.
    """
    try:
        *lines, last = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    return [*lines, last] if last and _is_json(last) else lines


def put_row(path: Path, row: Mapping[str, Any], replaces: Callable[[bytes], bool]) -> None:
    """Add a row at the end of a file; lines that it `replaces` go, and so does a torn last line.

    Processes that add at once wait for each other. Where lines go, the file is replaced in one step, so that
    a kill leaves the old one or the new one.
    """
    from filelock import FileLock

    line = json.dumps(row).encode() + b"\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(LOCK)):
        lines = read_lines(path)
        kept = [one for one in lines if not replaces(one)]
        if lines and len(kept) == len(lines) and _ends_whole(path):
            _append(path, line)
        else:
            write_atomic(path, b"".join(one + b"\n" for one in kept) + line)


def _append(path: Path, line: bytes) -> None:
    """Write at the end, and sync; what an error leaves of the line is taken off again."""
    with naming(path), path.open("ab", buffering=0) as file:
        before = file.tell()
        try:
            while line:  # a disk that is nearly full takes a part
                line = line[file.write(line) :]
            os.fsync(file.fileno())
        except BaseException:
            file.truncate(before)
            raise


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
