"""What a person sees while a command runs: a bar on a terminal, plain lines elsewhere, always on stderr."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS_BETWEEN_LINES = 10.0


def say(line: str) -> None:
    """Write a line about the work to stderr, so that stdout holds results alone."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def progress(task: str, *, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """Hand out a function that is told the share done, from 0 to 1."""
    if quiet:
        yield lambda share: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            number = bar.add_task(task, total=1.0)
            yield lambda share: bar.update(number, completed=share)
    else:
        yield _lines(task)


def _lines(task: str) -> Callable[[float], None]:
    told = time.monotonic()

    def tell(share: float) -> None:
        nonlocal told
        if time.monotonic() - told > SECONDS_BETWEEN_LINES:
            told = time.monotonic()
            say(f"{task}: {share:.0%}")

    return tell
