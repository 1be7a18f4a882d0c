"""Penalised logistic regression: the same optimum as scikit-learn's, in less time.

It takes rows that are sums over nodes without computing them, and steps in units in which the curvature is
about 1 in every direction. On the largest rows of the tables scikit-learn's L-BFGS took 2.8 to 140 times as
long at its default tolerance (`benchmarks/probes.py`, docs/benchmarks.md).
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import fmin_l_bfgs_b

from mhmgnn.evaluation.probes.sums import Sums

TOLERANCE = 1e-4  # of the gradient, where the curvature is about 1
MOST_STEPS = 3_000
NARROW = 2_000  # most columns of dense rows that are rotated to their principal axes


class OnAxes:
    """Dense rows in coordinates of their principal axes, where the curvature is known in every direction."""

    def __init__(self, x: np.ndarray | Sums, weights: np.ndarray) -> None:
        self.mean = x.T @ weights
        variance, self.axes = eigh(_moments(x, weights) - np.outer(self.mean, self.mean))
        self.variance = variance.clip(0)
        self.x = self.transform(x)
        self.transposed = self.x.T

    def transform(self, other: np.ndarray | Sums) -> np.ndarray | Sums:
        """Other rows in these coordinates."""
        if isinstance(other, np.ndarray):
            return np.asarray((other - self.mean) @ self.axes)
        share = self.mean / other.which[:1].sum()  # of the k vectors of each row
        return Sums(other.which, (other.vectors - share) @ self.axes)


class AsGiven:
    """Standardised rows in their own coordinates."""

    def __init__(self, x: Any) -> None:
        self.variance = np.ones(x.shape[1])
        self.x, self.transposed = x, x.T

    def transform(self, other: Any) -> Any:
        """Other rows as they are."""
        return other


class Logistic:
    """Rows and their classes, ready to be fitted with one strength of the penalty after another.

    For strength C it minimises the mean loss plus |w|^2 / (2 m C), where each class weighs the same and the
    intercept is not penalised. For two classes one vector is fitted, for more one each. Rows are dense,
    sparse or `Sums`, with standardised columns.
    """

    def __init__(self, x: Any, y: np.ndarray) -> None:
        self.classes, codes = np.unique(y, return_inverse=True)
        self.weights = 1 / np.bincount(codes)[codes] / self.classes.size  # (m,), of sum 1
        self.right = codes, np.arange(codes.size)
        dense = isinstance(x.vectors if isinstance(x, Sums) else x, np.ndarray)
        narrow = dense and x.shape[1] <= NARROW
        self.rows: Any = OnAxes(x, self.weights) if narrow else AsGiven(x)
        flat = 1 / self.classes.size  # what softmax gives each class before anything is learned
        self.curvature = flat * (1 - flat) * self.rows.variance, flat * (1 - flat)
        vectors = self.classes.size - (self.classes.size == 2)
        self.fitted = np.zeros((x.shape[1] + 1, vectors))  # the last row is the intercept

    def path(self, strengths: Iterable[float], other: Any) -> Iterator[np.ndarray]:
        """The predicted classes of other rows at each strength, each fit starting from the one before."""
        other = self.rows.transform(other)
        for strength in strengths:
            self._fit(1 / (strength * self.weights.size))
            yield self.classes[self._logits(other, self.fitted).argmax(axis=0)]

    def _fit(self, penalty: float) -> None:
        """Go to the optimum, in units in which the curvature is about 1 in every direction."""
        along, free = self.curvature
        unit = 1 / np.sqrt(np.append(along + penalty, free))[:, None]

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            given = unit * flat.reshape(self.fitted.shape)
            chance = self._logits(self.rows.x, given)  # (c, m)
            np.exp(chance - chance.max(axis=0), out=chance)
            chance /= chance.sum(axis=0)
            value = -self.weights @ np.log(chance[self.right].clip(1e-300))
            chance[self.right] -= 1
            error = (self.weights * chance)[-given.shape[1] :].T  # of two, the second has a vector
            slope = np.vstack([self.rows.transposed @ error + penalty * given[:-1], error.sum(axis=0)])
            return value + penalty / 2 * (given[:-1] ** 2).sum(), (unit * slope).ravel()

        start = (self.fitted / unit).ravel()
        best, *_ = fmin_l_bfgs_b(loss, start, m=20, factr=0, pgtol=TOLERANCE, maxiter=MOST_STEPS)
        self.fitted = unit * best.reshape(self.fitted.shape)

    def _logits(self, x: Any, given: np.ndarray) -> np.ndarray:
        """(c, m): sums over classes are faster along the long axis; of two classes the first has logit 0."""
        logits = np.zeros((self.classes.size, x.shape[0]))
        logits[-given.shape[1] :] = (x @ given[:-1] + given[-1]).T
        return logits


def _moments(x: np.ndarray | Sums, weights: np.ndarray) -> np.ndarray:
    """The products of each two columns, summed over rows by weight, (p, p)."""
    if isinstance(x, np.ndarray):
        return np.asarray((x.T * weights) @ x)
    together = (x.which.T * weights) @ x.which  # (n, n): how often two vectors meet
    return np.asarray(x.vectors.T @ (together @ x.vectors))
