"""What a person sees while a command runs: a bar on a terminal, plain lines elsewhere, always on stderr."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

SECONDS_BETWEEN_LINES = 10.0


class Tell(Protocol):
    """Takes the share that is done, from 0 to 1, and a few words on how it goes."""

    def __call__(self, share: float, note: str = "") -> None: ...


def say(line: str) -> None:
    """Write a line about the work to stderr, so that stdout holds results alone."""
    print(line, file=sys.stderr, flush=True)


def silence(share: float, note: str = "") -> None:
    """Tell nobody."""


@contextmanager
def progress(task: str, *, quiet: bool = False) -> Iterator[Tell]:
    """Hand out a function that is told how far the work is."""
    if quiet:
        yield silence
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            number = bar.add_task(task, total=1.0)

            def tell(share: float, note: str = "") -> None:
                bar.update(number, completed=share, description=f"{task} {note}".rstrip())

            yield tell
    else:
        yield _lines(task)


def _lines(task: str) -> Tell:
    began = told = time.monotonic()

    def tell(share: float, note: str = "") -> None:
        nonlocal told
        now = time.monotonic()
        if now - told > SECONDS_BETWEEN_LINES:
            told = now
            left = (now - began) * (1 - share) / share if share else 0.0
            say(f"{task}: {share:.0%} {note}, {left:.0f} s left at most".replace(" ,", ","))

    return tell
