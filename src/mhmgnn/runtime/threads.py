"""Threads: compiled kernels release the GIL, so that plain threads run them in parallel."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from mhmgnn.errors import DataError

Task = TypeVar("Task")
Result = TypeVar("Result")


def available() -> int:
    """Threads to use: `MHMGNN_THREADS` where it is set, else the cores that this process may run on.

    Processes that `torchrun` started on one machine share its cores.
    """
    given = os.environ.get("MHMGNN_THREADS")
    if given is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        sharing = os.environ.get("LOCAL_WORLD_SIZE", "1")
        return max(1, cores // int(sharing)) if sharing.isdecimal() and int(sharing) else cores
    if not given.isdecimal() or int(given) < 1:
        raise DataError(f"MHMGNN_THREADS is {given!r}; it must be a whole number of at least 1")
    return int(given)


def side_by_side(work: Callable[[Task], Result], tasks: Iterable[Task], threads: int) -> Iterator[Result]:
    """The result of `work` for each task, in order; at most `threads` tasks run at once."""
    tasks = list(tasks)
    if threads == 1 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, tasks)


@contextmanager
def torch_alone() -> Iterator[None]:
    """Have torch do what this thread, and threads that it starts, ask for without further threads.

    For much small work: waking others takes longer than they save, and far longer where the cores are busy.
    """
    import torch  # slow to import, and most of what uses threads does not need it

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
