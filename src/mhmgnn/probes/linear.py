"""The two linear probes: that of the paper, and one that is run to convergence."""

from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch.nn import functional

from mhmgnn.errors import DataError
from mhmgnn.probes.score import Score, tell

Matrix = np.ndarray | sparse.csr_array
STRENGTHS = np.logspace(-4, 2, 7)  # C of the converged probe: small is a strong penalty
FOLDS = 5


def probe(
    train_x: Matrix,
    train_y: np.ndarray,
    test_x: Matrix,
    test_y: np.ndarray,
    *,
    regions: np.ndarray | None = None,
) -> Score:
    """Train both linear probes on one side and score them on the other; rows may be dense or sparse.

    `regions` (train,) numbers the region of the graph that each training row lies in: folds that choose the
    strength share no region. Without it they are drawn at random, which flatters a weak penalty.
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
    return tell(
        np.asarray(test_y),
        _paper(train_x, np.asarray(train_y), test_x),
        _converged(train_x, np.asarray(train_y), test_x, regions),
    )


def check_rows(name: str, x: Matrix, y: np.ndarray) -> None:
    """Refuse a matrix without a label for each row, or with a number that is not finite."""
    if x.shape[0] != len(y) or not len(y):
        raise DataError(
            f"the {name} side has {x.shape[0]} rows and {len(y)} labels; it needs as many, at least 1"
        )
    values = x if isinstance(x, np.ndarray) else x.data
    if not np.isfinite(values).all():
        at = int(np.argwhere(~np.isfinite(values))[0][0])
        row = at if isinstance(x, np.ndarray) else int(np.searchsorted(x.indptr, at, side="right")) - 1
        raise DataError(f"row {row} of the {name} side holds a number that is not finite")


def _paper(train_x: Matrix, train_y: np.ndarray, test_x: Matrix) -> np.ndarray:
    """Labels guessed by the probe of the paper's code."""
    classes, y = np.unique(train_y, return_inverse=True)
    weights = torch.tensor(len(y) / (len(classes) * np.bincount(y)), dtype=torch.float32)
    x, target = _tensor(train_x), torch.as_tensor(y)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        linear = torch.nn.Linear(x.shape[1], len(classes))
    adam = torch.optim.Adam(linear.parameters(), lr=0.01)
    for _ in range(100):
        adam.zero_grad()
        loss = functional.cross_entropy(x @ linear.weight.T + linear.bias, target, weight=weights)
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
    with torch.no_grad():
        return np.asarray(classes[(_tensor(test_x) @ linear.weight.T + linear.bias).argmax(dim=1).numpy()])


def _tensor(x: Matrix) -> torch.Tensor:
    if isinstance(x, np.ndarray):
        return torch.as_tensor(x, dtype=torch.float32)
    placed = x.tocoo()
    places, values = np.stack(placed.coords), torch.from_numpy(placed.data.astype(np.float32))
    return torch.sparse_coo_tensor(
        torch.from_numpy(places), values, x.shape, check_invariants=True
    ).coalesce()


def _converged(
    train_x: Matrix, train_y: np.ndarray, test_x: Matrix, regions: np.ndarray | None
) -> np.ndarray:
    """Labels guessed by a probe that is run to convergence."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    centred = isinstance(train_x, np.ndarray)  # the intercept takes up the means of a sparse matrix
    classifier = make_pipeline(
        StandardScaler(with_mean=centred),
        LogisticRegression(class_weight="balanced", max_iter=3000, tol=1e-5),
    )
    folds = _folds(train_y, regions)
    if not folds:
        return np.asarray(classifier.fit(train_x, train_y).predict(test_x))
    strengths = {"logisticregression__C": STRENGTHS}
    search = GridSearchCV(classifier, strengths, scoring="balanced_accuracy", cv=folds)
    return np.asarray(search.fit(train_x, train_y).predict(test_x))


def _folds(y: np.ndarray, regions: np.ndarray | None) -> list[tuple[Any, Any]]:
    """Rows to train on and rows to choose the strength by; none where a class or a region is alone."""
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
