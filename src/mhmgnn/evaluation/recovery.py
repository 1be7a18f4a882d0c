"""Evaluation of recovered groups: how many of the true groups were found exactly."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.graph.sets import Sets


class Recovery(NamedTuple):
    """The agreement of found and true groups; only equal groups match."""

    f1: float  # 2 both / (found + true)
    jaccard: float  # both / either


def compare_groups(found: Sets, truth: Hyperedges, *, least: int = 2) -> Recovery | None:
    """The agreement of found and true groups of at least `least` nodes; repeated groups count once.

    None if there is neither a found nor a true group. The members of each set must be sorted.

    >>> truth = Hyperedges.from_padded(np.array([[0, 1, 2], [3, 4, -1]]))
    >>> compare_groups(Sets.of_rows(np.array([[3, 4], [0, 1]])), truth)
    Recovery(f1=0.5, jaccard=0.3333333333333333)
    """
    ours, theirs = (_distinct(groups.members, groups.offsets, least) for groups in (found, truth))
    if not ours and not theirs:
        return None
    both = len(ours & theirs)
    return Recovery(2 * both / (len(ours) + len(theirs)), both / len(ours | theirs))


def _distinct(members: np.ndarray, offsets: np.ndarray, least: int) -> set[bytes]:
    members = np.ascontiguousarray(members, np.int64)
    ends = offsets.tolist()
    return {members[low:high].tobytes() for low, high in pairwise(ends) if high - low >= least}
