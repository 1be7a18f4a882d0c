"""What a person sees while a command runs: a bar on a terminal, plain lines elsewhere, always on stderr."""

import re
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

SECONDS_BETWEEN_LINES = 10.0
_hushed = False  # by `mhmgnn --quiet`, for the whole process
_traced = False  # by `mhmgnn --verbose`


class Tell(Protocol):
    """Takes the share that is done, from 0 to 1, and a few words on how it goes."""

    def __call__(self, share: float, note: str = "") -> None: ...


def tune(*, quiet: bool, verbose: bool) -> None:
    """Tell of the work or not from now on; complaints are always heard, with their trace if `verbose`."""
    global _hushed, _traced
    _hushed, _traced = quiet, verbose


def say(line: str) -> None:
    """Write a line about the work to stderr, so that stdout holds results alone."""
    if not _hushed:
        print(_visible(line), file=sys.stderr, flush=True)


def complain(error: Exception, line: str | None = None) -> None:
    """Write what went wrong to stderr, as `line` if there is a better one than its own."""
    if _traced:
        traceback.print_exception(error)
    print(_visible(f"error: {line or error}"), file=sys.stderr, flush=True)


def _visible(text: str) -> str:
    """The text with signs that steer a terminal, which names in a file may hold, written out."""
    return re.sub(r"[^\n\t]", lambda sign: _written_out(sign[0]), text)


def _written_out(sign: str) -> str:
    return sign if sign.isprintable() else sign.encode("unicode_escape").decode()


def silence(share: float, note: str = "") -> None:
    """Tell nobody."""


@contextmanager
def progress(task: str, *, quiet: bool = False) -> Iterator[Tell]:
    """Hand out a function that is told how far the work is."""
    if quiet or _hushed:
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
