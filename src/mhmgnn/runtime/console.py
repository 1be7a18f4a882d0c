"""What a person sees while a command runs: a bar on a terminal, plain lines elsewhere, always on stderr."""

import re
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

SECONDS_BETWEEN_LINES = 10.0
_hushed = False  # by `mhmgnn --quiet`, for this process
_traced = False  # by `mhmgnn --verbose`
_watched = False  # whether compilation is told of


class Tell(Protocol):
    """Reports progress: the share that is done, from 0 to 1, and a short note."""

    def __call__(self, share: float, note: str = "") -> None: ...


def tune(*, quiet: bool, verbose: bool) -> None:
    """Print progress from now on unless `quiet`, and errors always, with their trace if `verbose`."""
    global _hushed, _traced
    _hushed, _traced = quiet, verbose


def say(line: str) -> None:
    """Write a line about the work to stderr, so that stdout holds results alone."""
    if not _hushed:
        print(_visible(line), file=sys.stderr, flush=True)


def complain(error: Exception, line: str | None = None) -> None:
    """Write an error to stderr: `line` if it is given, else its own message."""
    if _traced:
        traceback.print_exception(error)
    print(_visible(f"error: {line or error}"), file=sys.stderr, flush=True)


def _visible(text: str) -> str:
    """The text with control characters written out: names in a file may hold some that steer a terminal."""
    return re.sub(r"[^\n\t]", lambda sign: _written_out(sign[0]), text)


def _written_out(sign: str) -> str:
    return sign if sign.isprintable() else sign.encode("unicode_escape").decode()


def silence(share: float, note: str = "") -> None:
    """Report nothing."""


def within(tell: Tell, low: float, high: float, task: str = "") -> Tell:
    """Reports on one part of the work, called `task`, which takes it from `low` to `high`."""

    def told(share: float, note: str = "") -> None:
        tell(low + (high - low) * share, f"{task} {note}".strip())

    return told


@contextmanager
def progress(task: str, *, quiet: bool = False) -> Iterator[Tell]:
    """Hand out a function that takes how far the work is, and shows it."""
    if not quiet:
        _tell_of_compiling()
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


def _tell_of_compiling() -> None:
    """Say once, if it comes to that, that numba compiles: a wait of its own, at the first use alone."""
    global _watched
    if _watched or "numba" not in sys.modules:
        return
    _watched = True
    from numba.core import event

    class Told(event.Listener):  # type: ignore[misc]
        told = False

        def on_start(self, event: object) -> None:
            if not self.told:
                self.told = True
                say("compiling for this machine, once after installing: a minute in all")

        def on_end(self, event: object) -> None:
            pass

    event.register("numba:compile", Told())


def _lines(task: str) -> Tell:
    began = told = time.monotonic()

    def tell(share: float, note: str = "") -> None:
        nonlocal told
        now = time.monotonic()
        if now - told > SECONDS_BETWEEN_LINES:
            told = now
            left = f", {(now - began) * (1 - share) / share:.0f} s left at most" if share else ""
            say(f"{task}: {share:.0%} {note}".rstrip() + left)

    return tell
