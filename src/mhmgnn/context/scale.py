"""Standardisation of the context of sets by the mean and spread of random sets of the same graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.errors import DataError

SIZES = np.array([1, 2, 3, 4, 5, 6, 8, 12, 20, 50])  # the smallest size of each class
ENOUGH = 20  # sets that a class needs to have a mean and a spread of its own
LEAST_SPREAD = 0.05
CLIP = 5.0  # spreads


class Scale(NamedTuple):
    """Mean and standard deviation of the context of random sets of a graph, by class of size."""

    mean: np.ndarray  # (classes, f) float32
    spread: np.ndarray  # (classes, f) float32

    @classmethod
    def of(cls, rows: np.ndarray, sizes: np.ndarray) -> Scale:
        """Computed from the rows of `read_sets` for random sets, (s, f), and their sizes, (s,).

        A class with fewer than `ENOUGH` sets takes the values of the nearest class that has them, of two the
        one of smaller sets; if no class has enough, the values of all sets together.
        """
        if not len(rows):
            raise DataError("there are no random sets to take a mean and a spread from; draw some")
        rows = np.asarray(rows, np.float64)
        kind = size_class(sizes)
        full = np.flatnonzero(np.bincount(kind, minlength=SIZES.size) >= ENOUGH)
        parts = [rows[kind == c] for c in full] or [rows]
        nearest = [int(np.argmin(np.abs(full - c))) if full.size else 0 for c in range(SIZES.size)]
        mean = np.array([part.mean(axis=0) for part in parts], np.float32)
        spread = np.array([np.maximum(part.std(axis=0), LEAST_SPREAD) for part in parts], np.float32)
        return cls(mean[nearest], spread[nearest])

    def apply(self, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Rows standardised by their classes and clipped to five standard deviations, (s, f) float32."""
        kind = size_class(sizes)
        scaled: np.ndarray = (rows - self.mean[kind]) / self.spread[kind]
        return scaled.clip(-CLIP, CLIP).astype(np.float32, copy=False)


def size_class(sizes: np.ndarray) -> np.ndarray:
    """The class of each size, (s,): the index of the largest of `SIZES` that is not above it."""
    return np.searchsorted(SIZES, sizes, side="right") - 1
