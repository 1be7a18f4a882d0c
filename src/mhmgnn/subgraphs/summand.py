"""What is summed over the k-sets: a user's function of them, or the plain count, by shape if asked."""

from collections.abc import Callable

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.subgraphs.exact import NO_SHAPES, edge_codes
from mhmgnn.subgraphs.supernode import merge_sets

Function = Callable[[np.ndarray], object]


class Summand:
    """f of the sum. Without `f` it is 1, in the column of the k-set's shape if there are shapes."""

    def __init__(self, graph: Graph, f: Function | None = None, shape_of: np.ndarray = NO_SHAPES) -> None:
        self.graph = graph
        self.f = f
        self.shape_of = shape_of  # (codes,) int16
        self.is_single = (
            not shape_of.size
        )  # whether f gives one number a k-set, not a row; known after its first call

    @property
    def columns(self) -> int:
        """How many sums are taken at once, where no f has to be asked."""
        return int(self.shape_of.max(initial=0)) + 1

    def add(self, ksets: np.ndarray, weights: np.ndarray, owner: np.ndarray, owners: int) -> np.ndarray:
        """The sum of weight x f for each owner of k-sets, (owners, d)."""
        if self.f is None:
            return self._counts(ksets, weights, owner, owners)
        merged = merge_sets(ksets)
        values = self._values(ksets[merged.first])[merged.number] * weights[:, None]
        totals = np.empty((owners, values.shape[1]))
        for column in range(values.shape[1]):
            totals[:, column] = np.bincount(owner, values[:, column], minlength=owners)
        return totals

    def _counts(self, ksets: np.ndarray, weights: np.ndarray, owner: np.ndarray, owners: int) -> np.ndarray:
        place = owner
        if self.shape_of.size:
            place = owner * self.columns + self.shape_of[edge_codes(self.graph.rows, ksets)]
        return np.bincount(place, weights, minlength=owners * self.columns).reshape(owners, self.columns)

    def _values(self, ksets: np.ndarray) -> np.ndarray:
        """The values of f, (m, d) float64, checked."""
        assert self.f is not None
        given = self.f(ksets)
        try:
            values = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            raise DataError(f"f returned {type(given).__name__}, which is not an array of numbers") from None
        if values.ndim not in (1, 2) or values.shape[0] != ksets.shape[0]:
            raise DataError(
                f"f was given {ksets.shape[0]} k-sets and returned an array of shape {values.shape}; "
                f"it must return ({ksets.shape[0]},) or ({ksets.shape[0]}, d)"
            )
        if not np.isfinite(values).all():
            bad = ksets[~np.isfinite(values.reshape(len(ksets), -1)).all(axis=1)][0]
            raise DataError(f"f returned a value that is not finite for the k-set {bad.tolist()}")
        self.is_single = values.ndim == 1
        return values.reshape(ksets.shape[0], -1)
