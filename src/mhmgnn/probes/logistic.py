"""Penalised logistic regression on few columns: the same optimum as scikit-learn's, with fewer operations."""

from collections.abc import Iterable, Iterator

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import fmin_l_bfgs_b

TOLERANCE = 1e-4  # of the gradient, where the curvature is about 1
MOST_STEPS = 3_000


class Logistic:
    """Rows and their classes, ready to be fitted with one strength of the penalty after another.

    For strength C it minimises the mean loss plus |w|^2 / (2 m C), where each class weighs the same and the
    intercept goes free. Of two classes one vector is fitted, of more a vector each.
    """

    def __init__(self, x: np.ndarray, y: np.ndarray) -> None:
        self.classes, codes = np.unique(y, return_inverse=True)
        self.weights = 1 / np.bincount(codes)[codes] / self.classes.size  # (m,), of sum 1
        self.right = np.arange(codes.size), codes
        self.mean = self.weights @ x
        spread, self.axes = eigh((x.T * self.weights) @ x - np.outer(self.mean, self.mean))
        self.turned = (x - self.mean) @ self.axes
        flat = 1 / self.classes.size  # what softmax gives each class before anything is learned
        self.curvature = flat * (1 - flat) * spread.clip(0), flat * (1 - flat)
        vectors = self.classes.size - (self.classes.size == 2)
        self.fitted = np.zeros((x.shape[1] + 1, vectors))  # on the axes; the last row is the intercept

    def path(self, strengths: Iterable[float], other: np.ndarray) -> Iterator[np.ndarray]:
        """The classes of other rows by each strength, every fit going on from the one before."""
        turned = (other - self.mean) @ self.axes
        for strength in strengths:
            self._fit(1 / (strength * len(self.turned)))
            logits = _all_logits(turned @ self.fitted[:-1] + self.fitted[-1])
            yield self.classes[logits.argmax(axis=1)]

    def _fit(self, penalty: float) -> None:
        """Go to the optimum, in units in which the curvature is about 1 in every direction."""
        along, free = self.curvature
        unit = 1 / np.sqrt(np.append(along + penalty, free))[:, None]

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            given = unit * flat.reshape(self.fitted.shape)
            logits = _all_logits(self.turned @ given[:-1] + given[-1])
            chance = np.exp(logits - logits.max(axis=1, keepdims=True))
            chance /= chance.sum(axis=1, keepdims=True)
            value = -self.weights @ np.log(chance[self.right].clip(1e-300))
            chance[self.right] -= 1
            error = self.weights[:, None] * chance[:, -given.shape[1] :]  # of two, the second has a vector
            slope = np.vstack([self.turned.T @ error + penalty * given[:-1], error.sum(axis=0)])
            return value + penalty / 2 * (given[:-1] ** 2).sum(), (unit * slope).ravel()

        start = (self.fitted / unit).ravel()
        best, *_ = fmin_l_bfgs_b(loss, start, m=20, factr=0, pgtol=TOLERANCE, maxiter=MOST_STEPS)
        self.fitted = unit * best.reshape(self.fitted.shape)


def _all_logits(logits: np.ndarray) -> np.ndarray:
    """One column a class: of two classes the first has logit 0."""
    return np.column_stack([np.zeros(len(logits)), logits]) if logits.shape[1] == 1 else logits
