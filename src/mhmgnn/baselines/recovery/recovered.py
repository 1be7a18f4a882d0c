"""The result of recovering groups."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from mhmgnn.graph.sets import Sets


class Recovered(NamedTuple):
    """Groups of any size, each once, members sorted."""

    sets: Sets
    complete: bool  # False if the search ended early

    @classmethod
    def of(cls, groups: Iterable[Iterable[int]], *, complete: bool = True) -> Recovered:
        """The result for groups of node ids, in order."""
        rows = [sorted(group) for group in groups]
        members = np.array([node for row in rows for node in row], np.int64)
        return cls(Sets(members, np.cumsum([0, *map(len, rows)], dtype=np.int64)), complete)
