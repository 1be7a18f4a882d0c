"""Rows that are sums of other rows, as a k-set's is of its nodes'; kept factored, products are faster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

Array = np.ndarray | sparse.csr_array


@dataclass(frozen=True, eq=False)
class Sums:
    """The (m, p) matrix `which @ parts`; products with it never compute it."""

    which: Array  # (m, n): how often each part is in a row
    parts: Array  # (n, p)

    @classmethod
    def over(cls, ksets: np.ndarray, parts: Array) -> Sums:
        """The sum of k parts for each of the (m, k) k-sets; parts in none of them are left out."""
        (m, k), (used, at) = ksets.shape, np.unique(ksets, return_inverse=True)
        ones = np.ones(m * k, parts.dtype)
        which = sparse.csr_array((ones, at.ravel(), np.arange(0, m * k + 1, k)), (m, used.size))
        return cls(which, parts[used])

    @property
    def shape(self) -> tuple[int, int]:
        return self.which.shape[0], self.parts.shape[1]

    @property
    def T(self) -> Sums:
        return Sums(*(x.T if isinstance(x, np.ndarray) else x.T.tocsr() for x in (self.parts, self.which)))

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        return np.asarray(self.which @ (self.parts @ other))

    def __getitem__(self, rows: Any) -> Sums:
        return Sums(self.which[rows], self.parts)

    def astype(self, dtype: type) -> Sums:
        """The same with numbers of another type."""
        return Sums(self.which.astype(dtype), self.parts.astype(dtype))

    def total(self) -> Array:
        """The matrix, computed."""
        total = self.which @ self.parts
        return total if isinstance(total, np.ndarray) else sparse.csr_array(total)
