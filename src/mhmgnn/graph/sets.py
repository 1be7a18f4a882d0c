"""Sets of nodes of any size, end to end in two arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Sets(NamedTuple):
    """Sets of nodes, also of mixed sizes: set i is members[offsets[i] : offsets[i + 1]].

    `Graph.sets` makes them of what a person writes, with the members of each set sorted.
    """

    members: np.ndarray  # (total,) int64
    offsets: np.ndarray  # (s + 1,) int64, from 0 to total

    @classmethod
    def of_rows(cls, ksets: np.ndarray) -> Sets:
        """One set a row, (s, k).

        >>> Sets.of_rows(np.array([[0, 1], [1, 2]])).offsets.tolist()
        [0, 2, 4]
        """
        return cls(np.asarray(ksets, np.int64).ravel(), np.arange(len(ksets) + 1) * ksets.shape[1])

    @classmethod
    def of_edges(cls, indptr: np.ndarray, indices: np.ndarray) -> Sets:
        """The edges of a graph's rows as sets (u, v), u < v, in ascending order."""
        source = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
        forth = source < indices
        return cls.of_rows(np.column_stack([source[forth], indices[forth]]))

    @classmethod
    def join(cls, several: Sequence[Sets]) -> Sets:
        """All sets of `several`, one after another."""
        none = np.empty(0, np.int64)
        members = np.concatenate([none, *(sets.members for sets in several)])
        return cls(members, _ends(np.concatenate([none, *(sets.sizes for sets in several)])))

    def take(self, which: np.ndarray) -> Sets:
        """The sets numbered `which`, or those where it is True, in its order."""
        sizes = self.sizes[which]
        offsets = _ends(sizes)
        shift = self.offsets[:-1][which] - offsets[:-1]
        return Sets(self.members[np.arange(offsets[-1]) + np.repeat(shift, sizes)], offsets)

    @property
    def sizes(self) -> np.ndarray:
        """(s,) int64."""
        return np.diff(self.offsets)

    @property
    def num(self) -> int:
        """How many sets there are."""
        return self.offsets.size - 1


def _ends(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
