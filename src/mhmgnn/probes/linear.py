"""A matrix and labels -> how much of the labels a linear classifier reads off the matrix."""

from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional

from mhmgnn.errors import DataError

STRENGTHS = np.logspace(-4, 2, 7)  # C of the converged probe: small is a strong penalty
FOLDS = 5


class Score(NamedTuple):
    """Balanced accuracy on the test side, the mean recall of the classes, of the two linear probes."""

    paper: float  # logistic regression, 100 full-batch Adam steps at 0.01, class weights
    converged: float  # standardised, class-weighted, L2; its strength chosen inside the training side


def probe(
    train_x: np.ndarray,
    train_y: np.ndarray,
    test_x: np.ndarray,
    test_y: np.ndarray,
    *,
    regions: np.ndarray | None = None,
) -> Score:
    """Train both linear probes on one side and score them on the other.

    `regions` (train,) numbers the region of the graph that each training row lies in: folds that choose the
    strength share no region. Without it they are drawn at random, which flatters a weak penalty.
    """
    for name, x, y in (("training", train_x, train_y), ("test", test_x, test_y)):
        if len(x) != len(y) or not len(x):
            raise DataError(
                f"the {name} side has {len(x)} rows and {len(y)} labels; it needs as many, at least 1"
            )
        if not np.isfinite(x).all():
            row = int((~np.isfinite(x)).any(axis=1).argmax())
            raise DataError(f"row {row} of the {name} side holds a number that is not finite")
    if train_x.shape[1] != test_x.shape[1]:
        raise DataError(
            f"the training side has {train_x.shape[1]} columns and the test side {test_x.shape[1]}"
        )
    if regions is not None and len(regions) != len(train_y):
        raise DataError(f"{len(regions)} regions are given for {len(train_y)} training rows; each needs one")
    if len(np.unique(train_y)) < 2:
        raise DataError("the training side has one class alone; a probe needs at least two")
    from sklearn.metrics import balanced_accuracy_score

    scores = (
        balanced_accuracy_score(test_y, guess(train_x, train_y, test_x))
        for guess in (_paper, lambda x, y, other: _converged(x, y, other, regions))
    )
    return Score(*map(float, scores))


def _paper(train_x: np.ndarray, train_y: np.ndarray, test_x: np.ndarray) -> np.ndarray:
    """Labels guessed by the probe of the paper's code."""
    classes, y = np.unique(train_y, return_inverse=True)
    weights = torch.tensor(len(y) / (len(classes) * np.bincount(y)), dtype=torch.float32)
    x, target = torch.as_tensor(train_x, dtype=torch.float32), torch.as_tensor(y)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        linear = torch.nn.Linear(x.shape[1], len(classes))
    adam = torch.optim.Adam(linear.parameters(), lr=0.01)
    for _ in range(100):
        adam.zero_grad()
        loss = functional.cross_entropy(linear(x), target, weight=weights)
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
    with torch.no_grad():
        return np.asarray(classes[linear(torch.as_tensor(test_x, dtype=torch.float32)).argmax(dim=1).numpy()])


def _converged(
    train_x: np.ndarray, train_y: np.ndarray, test_x: np.ndarray, regions: np.ndarray | None
) -> np.ndarray:
    """Labels guessed by a probe that is run to convergence."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    smallest = int(np.unique(train_y, return_counts=True)[1].min())
    classifier = make_pipeline(
        StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=3000, tol=1e-3)
    )
    if smallest < 2 or (regions is not None and len(np.unique(regions)) < 2):
        return np.asarray(classifier.fit(train_x, train_y).predict(test_x))
    if regions is not None:
        kind = GroupKFold(min(FOLDS, len(np.unique(regions))))
    else:
        kind = StratifiedKFold(min(FOLDS, smallest), shuffle=True, random_state=0)
    folds = [
        fold
        for fold in kind.split(train_x, train_y, groups=regions)
        if all(len(np.unique(train_y[side])) > 1 for side in fold)  # one class alone says nothing
    ]
    if not folds:
        return np.asarray(classifier.fit(train_x, train_y).predict(test_x))
    search = GridSearchCV(
        classifier, {"logisticregression__C": STRENGTHS}, scoring="balanced_accuracy", cv=folds
    )
    return np.asarray(search.fit(train_x, train_y).predict(test_x))
