"""Scores of the probes: balanced accuracy of both classifiers, confusions, and the spread over runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import DataError


class Confusion(NamedTuple):
    """How often the rows of each class were taken for each class, summed over runs."""

    classes: tuple[str, ...]
    paper: np.ndarray  # (c, c) int64, truth by guess
    converged: np.ndarray  # (c, c) int64

    def __str__(self) -> str:
        width = max(7, *(len(name) + 1 for name in self.classes))
        head = "truth \\ guess".ljust(14) + "".join(name.rjust(width) for name in self.classes)
        lines = []
        for title, table in (("paper's probe", self.paper), ("converged probe", self.converged)):
            rows = (
                name.ljust(14) + "".join(f"{count:,}".rjust(width) for count in row)
                for name, row in zip(self.classes, table.tolist(), strict=True)
            )
            lines += [title, head, *rows]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Score:
    """Balanced accuracy on the test side, the mean recall of its classes, of the two linear probes."""

    paper: float  # logistic regression, 100 full-batch Adam steps at 0.01, class weights
    converged: float  # standardised, class-weighted, L2; its strength chosen inside the training side
    confusion: Confusion
    paper_std: float | None = None  # over the runs, where there is more than one
    converged_std: float | None = None
    runs: int = 1

    @classmethod
    def over(cls, scores: Sequence[Score]) -> Score:
        """Mean and standard deviation over runs of one probe each."""
        if not scores:
            raise DataError("there is no score to take the mean of")
        classes = sorted({name for score in scores for name in score.confusion.classes}, key=_by_number)
        tables = [np.zeros((len(classes), len(classes)), np.int64) for _ in range(2)]
        for score in scores:
            at = np.array([classes.index(name) for name in score.confusion.classes])
            for table, part in zip(tables, score.confusion[1:], strict=True):
                table[np.ix_(at, at)] += part
        runs = len(scores)
        paper, converged = (np.array([getattr(s, name) for s in scores]) for name in ("paper", "converged"))
        return cls(
            paper=float(paper.mean()),
            converged=float(converged.mean()),
            confusion=Confusion(tuple(classes), *tables),
            paper_std=float(paper.std(ddof=1)) if runs > 1 else None,
            converged_std=float(converged.std(ddof=1)) if runs > 1 else None,
            runs=runs,
        )

    def __str__(self) -> str:
        return (
            f"balanced accuracy: paper's probe {_with_spread(self.paper, self.paper_std)}, "
            f"converged {_with_spread(self.converged, self.converged_std)}"
            + (f", over {self.runs} runs" if self.runs > 1 else "")
        )


def tell(truth: np.ndarray, paper: np.ndarray, converged: np.ndarray) -> Score:
    """The score of one run from the true labels and both guesses, (m,) each."""
    classes, codes = np.unique(np.concatenate([truth, paper, converged]), return_inverse=True)
    size = classes.size
    right, *guesses = codes.reshape(3, -1)
    tables = [np.bincount(right * size + guess, minlength=size**2).reshape(size, size) for guess in guesses]
    seen = tables[0].sum(axis=1) > 0  # a class that the test side lacks has no recall
    by_paper, by_converged = (
        float((table.diagonal()[seen] / table.sum(axis=1)[seen]).mean()) for table in tables
    )
    return Score(by_paper, by_converged, Confusion(tuple(map(str, classes.tolist())), *tables))


def _with_spread(mean: float, std: float | None) -> str:
    return f"{mean:.3f}" if std is None else f"{mean:.3f} ± {std:.3f}"


def _by_number(name: str) -> tuple[float, str]:
    """Numbers in their own order, before words."""
    try:
        return float(name), name
    except ValueError:
        return float("inf"), name
