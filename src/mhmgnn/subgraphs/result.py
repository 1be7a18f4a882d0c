"""What an estimate is: a value, its error, and what it cost."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import DataError

Value = float | np.ndarray


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A sum over connected k-sets, or d sums at once, with the standard error."""

    value: Value  # (d,) where f has columns
    stderr: Value  # like `value`; 0 where exact
    sum_stderr: float  # standard error of the sum of all columns, which are not independent
    exact: bool
    method: str  # "exact", "k-walk", "pair-walk" or "growth"
    tours: int  # for "growth", sets that were grown
    steps: int  # for "growth", nodes that joined these
    supernode: int  # sets in it; 0 where nothing walks
    ended: (
        str  # "exact", "tours" (all that were asked for), "precision" (reached) or "budget" (max_steps spent)
    )
    seconds: float

    def interval(self, level: float = 0.95) -> tuple[Value, Value]:
        """Low and high end of what covers the true sum with chance `level`, by Student's t over the tours."""
        if not 0 < level < 1:
            raise DataError(f"the level of an interval is {level}; it must lie between 0 and 1, such as 0.95")
        if self.exact:
            return self.value, self.value
        from scipy.special import stdtrit  # slow to import, and not needed to load a model

        reach = float(stdtrit(self.tours - 1, (1 + level) / 2)) * self.stderr
        return self.value - reach, self.value + reach

    def sum(self) -> "Estimate":
        """The sum of all columns as an estimate of its own."""
        return replace(self, value=float(np.sum(self.value)), stderr=self.sum_stderr)

    @property
    def relative_error(self) -> float:
        """Standard error over value; for several sums at once, the ratio of the two vectors' lengths."""
        size, error = float(np.linalg.norm(self.value)), float(np.linalg.norm(self.stderr))
        return error / size if size else (np.inf if error else 0.0)


def exactly(value: float, seconds: float = 0.0) -> Estimate:
    """A number that is known, as an estimate without error."""
    return Estimate(
        value=value,
        stderr=0.0,
        sum_stderr=0.0,
        exact=True,
        method="exact",
        tours=0,
        steps=0,
        supernode=0,
        ended="exact",
        seconds=seconds,
    )


class Moments(NamedTuple):
    """Mean and spread of what draws gave, batch by batch; the last column is the sum of the others."""

    tours: int
    mean: np.ndarray  # (d + 1,)
    spread: np.ndarray  # (d + 1,), the sum of squared distances from the mean

    @classmethod
    def of(cls, totals: np.ndarray) -> "Moments":
        """The moments of totals (q, d), a row a tour."""
        totals = np.column_stack([totals, totals.sum(axis=1)])
        mean = totals.mean(axis=0)
        return cls(len(totals), mean, ((totals - mean) ** 2).sum(axis=0))

    def join(self, other: "Moments") -> "Moments":
        """The moments of both together."""
        tours = self.tours + other.tours
        apart = other.mean - self.mean
        mean = self.mean + apart * (other.tours / tours)
        return Moments(
            tours, mean, self.spread + other.spread + apart**2 * (self.tours * other.tours / tours)
        )

    @property
    def stderr(self) -> np.ndarray:
        """Standard error of the mean, (d + 1,)."""
        return np.asarray(np.sqrt(self.spread / (self.tours * (self.tours - 1))))
