"""How much memory a piece of work took."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STATUS, FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def resident(kind: str) -> int:
    """Bytes in memory, now (VmRSS) or at most since the peak was forgotten (VmHWM)."""
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return 1024 * int(lines[kind].removesuffix("kB"))


@contextmanager
def peak_below(most: int) -> Iterator[None]:
    """Fail where the block takes more than `most` bytes at any moment; nothing is known outside of Linux."""
    if not FORGET.exists():
        yield
        return
    FORGET.write_text("5")
    before = resident("VmRSS")
    yield
    taken = resident("VmHWM") - before
    assert taken < most, f"{taken:,} bytes at most where {most:,} are allowed"
