"""The two linear probes: the paper's, and one that is run to convergence."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch
from scipy.special import softmax

from mhmgnn.errors import DataError
from mhmgnn.evaluation.probes.logistic import NARROW, Logistic
from mhmgnn.evaluation.probes.score import Score, tell
from mhmgnn.evaluation.probes.sums import Array, Sums

Matrix = Array | Sums
STRENGTHS = np.logspace(-4, 1, 6)  # C of the converged probe: small is a strong penalty
CROWDED = 0.25  # share of non-zeros above which sparse rows are fitted faster as dense ones
FOLDS = 5


def probe(
    train_x: Matrix,
    train_y: np.ndarray,
    test_x: Matrix,
    test_y: np.ndarray,
    *,
    regions: np.ndarray | None = None,
    standardise: bool = False,
) -> Score:
    """Train both linear probes on one side and score them on the other; rows may be dense, sparse or sums.

    `regions` (train,) numbers the region of the graph that each training row lies in: folds that choose the
    strength share no region. Without it they are drawn at random, which favours a weak penalty.
    `standardise` gives the paper's probe standardised columns too, which the converged one always has.
    """
    for name, x, y in (("training", train_x, train_y), ("test", test_x, test_y)):
        check_rows(name, x, y)
    if train_x.shape[1] != test_x.shape[1]:
        raise DataError(
            f"the training side has {train_x.shape[1]} columns and the test side {test_x.shape[1]}"
        )
    if regions is not None and len(regions) != len(train_y):
        raise DataError(f"{len(regions)} regions are given for {len(train_y)} training rows; each needs one")
    if len(np.unique(train_y)) < 2:
        raise DataError("the training side has one class alone; a probe needs at least two")
    rows, others = _standardised(train_x, test_x) if standardise else (train_x, test_x)
    return tell(
        np.asarray(test_y),
        _paper(rows, np.asarray(train_y), others),
        _converged(train_x, np.asarray(train_y), test_x, regions),
    )


def check_rows(name: str, x: Matrix, y: np.ndarray) -> None:
    """Refuse a matrix without a label for each row, or with a number that is not finite."""
    if x.shape[0] != len(y) or not len(y):
        raise DataError(
            f"the {name} side has {x.shape[0]} rows and {len(y)} labels; it needs as many, at least 1"
        )
    x = _summed(x)
    values = x if isinstance(x, np.ndarray) else x.data
    if not np.isfinite(values).all():
        at = int(np.argwhere(~np.isfinite(values))[0][0])
        row = at if isinstance(x, np.ndarray) else int(np.searchsorted(x.indptr, at, side="right")) - 1
        raise DataError(f"row {row} of the {name} side holds a number that is not finite")


def _paper(train_x: Matrix, train_y: np.ndarray, test_x: Matrix) -> np.ndarray:
    """Labels predicted by the probe of the paper's code: class-weighted cross-entropy, 100 steps of Adam."""
    classes, y = np.unique(train_y, return_inverse=True)
    weights = 1 / np.bincount(y)[y]  # (m,): each class weighs the same
    weights = (weights / weights.sum()).astype(np.float32)[:, None]
    wanted = np.eye(len(classes), dtype=np.float32)[y]
    x, other = (np.asarray(m, np.float32) if isinstance(m, np.ndarray) else m for m in (train_x, test_x))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        linear = torch.nn.Linear(x.shape[1], len(classes))
    adam = torch.optim.Adam(linear.parameters(), lr=0.01)
    weight, bias = linear.weight.detach().numpy(), linear.bias.detach().numpy()  # Adam changes them in place
    for _ in range(100):
        error = weights * (softmax(x @ weight.T + bias, axis=1) - wanted)  # gradient by the logits, (m, c)
        linear.weight.grad = torch.from_numpy(np.ascontiguousarray((x.T @ error).T, np.float32))
        linear.bias.grad = torch.from_numpy(error.sum(axis=0, dtype=np.float32))
        adam.step()
    return np.asarray(classes[(other @ weight.T + bias).argmax(axis=1)])


def accuracy_inside(x: Matrix, y: np.ndarray, *, regions: np.ndarray | None = None) -> float:
    """The balanced accuracy of the converged probe in cross-validation on one side, at its best strength.

    For choices that must not look at the test side. It is 0 where a class or a region is alone.
    """
    return _chosen(x, np.asarray(y), regions)[1]


def _converged(
    train_x: Matrix, train_y: np.ndarray, test_x: Matrix, regions: np.ndarray | None
) -> np.ndarray:
    """Labels predicted by a probe that is run to convergence."""
    strength, _ = _chosen(train_x, train_y, regions)
    return next(_path(train_x, train_y, test_x, [strength]))


def _chosen(x: Matrix, y: np.ndarray, regions: np.ndarray | None) -> tuple[float, float]:
    """The strength of best balanced accuracy in cross-validation, and the accuracy; 1 and 0 without folds."""
    accuracy = [
        [_mean_recall(y[held], guess) for guess in _path(x[kept], y[kept], x[held], STRENGTHS)]
        for kept, held in _folds(y, regions)
    ]
    if not accuracy:
        return 1.0, 0.0
    means = np.mean(accuracy, axis=0)
    return float(STRENGTHS[means.argmax()]), float(means.max())


def _mean_recall(truth: np.ndarray, guess: np.ndarray) -> float:
    """Balanced accuracy; a class that the held rows lack has no recall."""
    return float(np.mean([(guess[truth == label] == label).mean() for label in np.unique(truth)]))


def _path(
    train_x: Matrix, train_y: np.ndarray, test_x: Matrix, strengths: Iterable[float]
) -> Iterator[np.ndarray]:
    """Labels predicted at each strength, each fit starting from the one before; on one thread."""
    if train_x.shape[1] <= NARROW and _filled(_summed(train_x)) > CROWDED:
        train_x, test_x = _dense(train_x), _dense(test_x)
    x, other = _standardised(train_x.astype(np.float64), test_x)
    with _libraries().limit(limits=1):  # the matrices are small
        yield from Logistic(x, train_y).path(strengths, other)


def _summed(x: Matrix) -> Array:
    return x.total() if isinstance(x, Sums) else x


def _filled(x: Array) -> float:
    """The share of entries that are stored."""
    return 1.0 if isinstance(x, np.ndarray) else x.nnz / max(x.shape[0] * x.shape[1], 1)


def _dense(x: Matrix) -> np.ndarray | Sums:
    if isinstance(x, Sums):
        return x if isinstance(x.vectors, np.ndarray) else replace(x, vectors=x.vectors.toarray())
    return x if isinstance(x, np.ndarray) else x.toarray()


def _standardised(train_x: Matrix, test_x: Matrix) -> tuple[Any, Any]:
    """Columns of deviation 1 on the training side, and of mean 0 where the rows are dense."""
    from sklearn.preprocessing import StandardScaler

    scale = StandardScaler(with_mean=isinstance(train_x, np.ndarray)).fit(_summed(train_x))
    train, test = (
        replace(x, vectors=scale.transform(x.vectors)) if isinstance(x, Sums) else scale.transform(x)
        for x in (train_x, test_x)
    )
    return train, test


@cache
def _libraries() -> Any:
    """The BLAS libraries of this process, looked up once: that takes longer than a small fit."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _folds(y: np.ndarray, regions: np.ndarray | None) -> list[tuple[Any, Any]]:
    """Folds that choose the strength; none if a class has one row, or if there is one region."""
    from sklearn.model_selection import GroupKFold, StratifiedKFold

    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < 2 or (regions is not None and len(np.unique(regions)) < 2):
        return []
    if regions is not None:
        kind = GroupKFold(min(FOLDS, len(np.unique(regions))))
    else:
        kind = StratifiedKFold(min(FOLDS, smallest), shuffle=True, random_state=0)
    return [
        fold
        for fold in kind.split(y, y, groups=regions)
        if all(len(np.unique(y[side])) > 1 for side in fold)  # one class alone says nothing
    ]
