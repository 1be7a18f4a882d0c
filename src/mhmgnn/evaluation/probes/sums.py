"""The vectors of k-sets as sums of the vectors of their nodes, kept factored: products are faster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

Array = np.ndarray | sparse.csr_array


@dataclass(frozen=True, eq=False)
class Sums:
    """The (m, p) matrix `which @ vectors`; products with it never compute it."""

    which: Array  # (m, n): how often each vector is in a sum
    vectors: Array  # (n, p), of the nodes

    @classmethod
    def over(cls, ksets: np.ndarray, vectors: Array) -> Sums:
        """The sum of k vectors for each of the (m, k) k-sets; vectors in none of them are left out."""
        (m, k), (used, at) = ksets.shape, np.unique(ksets, return_inverse=True)
        ones = np.ones(m * k, vectors.dtype)
        which = sparse.csr_array((ones, at.ravel(), np.arange(0, m * k + 1, k)), (m, used.size))
        return cls(which, vectors[used])

    @property
    def shape(self) -> tuple[int, int]:
        return self.which.shape[0], self.vectors.shape[1]

    @property
    def T(self) -> Sums:
        return Sums(*(x.T if isinstance(x, np.ndarray) else x.T.tocsr() for x in (self.vectors, self.which)))

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        return np.asarray(self.which @ (self.vectors @ other))

    def __getitem__(self, rows: Any) -> Sums:
        return Sums(self.which[rows], self.vectors)

    def astype(self, dtype: type) -> Sums:
        """The same with numbers of another type."""
        return Sums(self.which.astype(dtype), self.vectors.astype(dtype))

    def total(self) -> Array:
        """The matrix, computed."""
        total = self.which @ self.vectors
        return total if isinstance(total, np.ndarray) else sparse.csr_array(total)
