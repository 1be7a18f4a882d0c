"""How much memory is free or was used, and the refusal of work that would not fit."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

from mhmgnn.errors import DataError

SMALL = 2**24  # bytes that are never refused


def available(root: Path = Path("/")) -> int | None:
    """Bytes that this process can still use; None if the system does not report it.

    The smaller of what the machine has free (psutil) and what its control groups leave: the limits of a
    container or of a batch system, of which psutil knows nothing. `MHMGNN_MEMORY_GB` overrides both. `root`
    is the folder that holds proc and sys.
    """
    given = os.environ.get("MHMGNN_MEMORY_GB")
    if given is not None:
        return _stated(given)
    free = [_machine(), *_groups(root)]
    return min((size for size in free if size is not None), default=None)


def total() -> int | None:
    """Bytes of memory that the machine has; None if the system does not report it."""
    import psutil

    try:
        return int(psutil.virtual_memory().total)
    except (OSError, psutil.Error):
        return None


def peak() -> int:
    """The most bytes of memory that this process has used so far.

    By psutil on Windows; elsewhere by `resource`, as psutil reports no peak there.
    """
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def check(what: str, needed: float, advice: str) -> None:
    """Refuse work that needs more bytes than are free; `what` names the work, `advice` says what to lower."""
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


def _machine() -> int | None:
    import psutil

    try:
        return int(psutil.virtual_memory().available)
    except (OSError, psutil.Error):
        return None


def _groups(root: Path) -> list[int]:
    """The bytes that each control group around this process leaves, of version 1 or 2."""
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
    """The limit of a group less what it uses; cached files can be dropped and do not count."""
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
