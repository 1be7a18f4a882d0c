"""How much memory is free, and the refusal of work that would not fit."""

from __future__ import annotations

import math
import os
from pathlib import Path

from mhmgnn.errors import DataError

SMALL = 2**24  # bytes that are not worth a look


def available(root: Path = Path("/")) -> int | None:
    """Bytes that this process could still take; None where the system does not tell.

    The least of what the machine has free and what the control groups (a container, a batch system) leave.
    `MHMGNN_MEMORY_GB` stands above both.
    """
    given = os.environ.get("MHMGNN_MEMORY_GB")
    if given is not None:
        return _stated(given)
    free = [_machine(root), *_groups(root)]
    return min((size for size in free if size is not None), default=None)


def check(what: str, needed: float, advice: str) -> None:
    """Refuse work that needs more bytes than there are; `what` is its subject, `advice` what to lower."""
    if needed <= SMALL:
        return
    free = available()
    if free is not None and needed > free:
        raise DataError(
            f"{what} would need about {needed / 1e9:,.1f} GB of memory, and {free / 1e9:,.1f} GB are free; "
            f"{advice} (MHMGNN_MEMORY_GB states what is free, should this be wrong)"
        )


def _stated(given: str) -> int:
    try:
        size = float(given)
    except ValueError:
        size = math.nan
    if not 0 < size < math.inf:
        raise DataError(f"MHMGNN_MEMORY_GB is {given!r}; it must be a number of gigabytes above 0")
    return int(size * 1e9)


def _machine(root: Path) -> int | None:
    for line in _lines(root / "proc/meminfo"):
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return 1024 * int(rest.removesuffix("kB"))
    return None


def _groups(root: Path) -> list[int]:
    """What each control group of memory around this process leaves, of both versions."""
    found = []
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, place = line.split(":", 2)
        if not controllers:  # version 2
            mounted, names = root / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            mounted = root / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        inside = mounted / place.strip("/")
        for folder in (inside, *inside.parents):
            if folder == mounted.parent:
                break
            left = _left(folder, *names)
            if left is not None:
                found.append(left)
    return found


def _left(folder: Path, limit: str, usage: str, cached: str) -> int | None:
    """The limit of a group less what it holds; files that the system only keeps at hand do not count."""
    most, now = (_number(_lines(folder / name)) for name in (limit, usage))
    if most is None or now is None:
        return None
    aside = [line.split()[1] for line in _lines(folder / "memory.stat") if line.startswith(f"{cached} ")]
    return max(most - now + (_number(aside) or 0), 0)


def _number(lines: list[str]) -> int | None:
    return int(lines[0]) if lines and lines[0].isdecimal() else None  # "max" is no number


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
