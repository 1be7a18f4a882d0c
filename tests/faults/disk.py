"""A small disk of its own, which can be filled, emptied and closed to writing."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FILLER = "filler"


@contextmanager
def small_disk(place: Path, kilobytes: int) -> Iterator[Path]:
    """A tmpfs of its own size; the test is skipped where nobody may mount one."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no mount on this system, so no disk can be made full")
    if done.returncode:
        pytest.skip(f"mounting is not permitted, so no disk can be made full: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path, but: int = 0) -> None:
    """Leave only so many bytes free."""
    stat = os.statvfs(disk)
    with (disk / FILLER).open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, stat.f_bavail * stat.f_bsize - but)


def empty(disk: Path) -> None:
    """Make room again."""
    (disk / FILLER).unlink()


def close(disk: Path) -> None:
    """Let nobody write any more."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
