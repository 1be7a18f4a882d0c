"""Compiled work on ranges of nodes, pairs or sets, by several threads at once."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from mhmgnn.runtime import threads as cores

SIZE = 2**16  # pairs or sets in a range, at most


def cut_even(size: int) -> list[tuple[int, int]]:
    """0..size cut into ranges: a few for each thread, none longer than `SIZE`."""
    parts = max(-(-size // SIZE), min(4 * cores.available(), -(-size // 256)))
    return list(pairwise(np.linspace(0, size, parts + 1).astype(int).tolist())) if parts else []


def cut_by_work(work: np.ndarray, parts: int) -> list[tuple[int, int]]:
    """0..size cut into at most `parts` ranges of about equal work; the cut depends only on the work."""
    done = np.concatenate([[0], np.cumsum(work)])
    bounds = np.searchsorted(done, np.linspace(0, done[-1], parts + 1)[1:-1])
    return list(pairwise(np.unique([0, *bounds, work.size]).tolist()))


def run(work: Callable[[int, int], None], stretches: list[tuple[int, int]]) -> None:
    """Call `work(low, high)` for each range."""
    for _ in cores.side_by_side(lambda stretch: work(*stretch), stretches, cores.available()):
        pass
