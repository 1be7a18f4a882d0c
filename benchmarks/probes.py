"""The converged probe's own L-BFGS against scikit-learn's, on rows of the tables that take longest.

python benchmarks/probes.py [ROW ...]   with MHMGNN_DATA naming the raw data

Both fit the training side with all strengths of the penalty, each fit starting from the one before, on one
thread: ours on sums over nodes, scikit-learn's on the standardised matrix, as it takes no other.
"""

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from record import Record
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from mhmgnn import datasets, fit_baseline
from mhmgnn.evaluation.probes import linear
from mhmgnn.evaluation.probes.logistic import MOST_STEPS, NARROW, Logistic
from mhmgnn.evaluation.tasks.task import Task, dag_leaves, hyperedges

ROWS: dict[str, tuple[Callable[..., Task], str, int, str]] = {
    "hyperedge, pubmed, k = 3, GS-mean": (hyperedges, "pubmed", 3, "sage-mean"),
    "DAG leaves, pubmed, k = 5, raw features": (dag_leaves, "pubmed", 5, "raw"),
    "DAG leaves, cora, k = 4, raw features": (dag_leaves, "cora", 4, "raw"),
    "hyperedge, dblp, k = 3, raw features": (hyperedges, "dblp", 3, "raw"),
    "hyperedge, steam, k = 3, raw features": (hyperedges, "steam", 3, "raw"),
}


def objective(x: Any, y: np.ndarray, coef: np.ndarray, intercept: np.ndarray, strength: float) -> float:
    """The mean loss in which each class weighs the same, plus the penalty."""
    codes = np.unique(y, return_inverse=True)[1]
    weights = 1 / np.bincount(codes)[codes] / (codes.max() + 1)
    logits = np.asarray(x @ coef.T) + intercept
    if len(coef) == 1:
        logits = np.column_stack([np.zeros(len(y)), logits])
    loss = weights @ (logsumexp(logits, axis=1) - logits[np.arange(len(y)), codes])
    return float(loss + (coef**2).sum() / (2 * len(y) * strength))


def fit_ours(x: Any, y: np.ndarray, test: Any) -> tuple[list[float], list[np.ndarray]]:
    """The objective and the classes of the test side at each strength."""
    model, found, guesses = Logistic(x, y), [], []
    for strength, guess in zip(linear.STRENGTHS, model.path(linear.STRENGTHS, test), strict=True):
        *coef, intercept = model.fitted
        found.append(objective(model.rows.x, y, np.array(coef).T, intercept, strength))
        guesses.append(guess)
    return found, guesses


def fit_sklearn(x: Any, y: np.ndarray, test: Any) -> tuple[list[float], list[np.ndarray]]:
    """The same by scikit-learn, with its own tolerance."""
    model, found, guesses = LogisticRegression(class_weight="balanced", warm_start=True), [], []
    model.set_params(max_iter=MOST_STEPS)
    for strength in linear.STRENGTHS:
        model.set_params(C=strength).fit(x, y)
        found.append(objective(x, y, model.coef_, model.intercept_, strength))
        guesses.append(model.predict(test))
    return found, guesses


def measured(name: str, make: Callable[..., Task], dataset: str, k: int, method: str) -> dict[str, Any]:
    """One row of the file."""
    task = make(datasets.load(dataset), k)
    fitted = fit_baseline(method, task.graph, k)
    sides = [fitted.sums(side.ksets, graph=side.graph) for side in (task.train, task.test)]
    filled = linear._filled(linear._summed(sides[0]))
    if sides[0].shape[1] <= NARROW and filled > linear.CROWDED:
        sides = [linear._dense(side) for side in sides]
    train, test = linear._standardised(sides[0].astype(np.float64), sides[1])
    matrices = [linear._summed(side) for side in (train, test)]
    y = task.train.labels
    ours, our_guesses, seconds = timed(fit_ours, train, y, test)
    theirs, their_guesses, taken = timed(fit_sklearn, matrices[0], y, matrices[1])
    gaps = [(other - one) / one for one, other in zip(ours, theirs, strict=True)]
    same = [float((one == other).mean()) for one, other in zip(our_guesses, their_guesses, strict=True)]
    return {
        "what": name,
        "rows": train.shape[0],
        "columns": train.shape[1],
        "classes": len(np.unique(y)),
        "ours, s": seconds,
        "scikit-learn, s": taken,
        "times as long": taken / seconds,
        "objective above ours": max(gaps, key=abs),
        "same classes": min(same),
    }


def timed(fit: Callable[..., Any], *given: Any) -> tuple[list[float], list[np.ndarray], float]:
    """What `fit` gives, and the seconds of the processor that it took."""
    began = time.process_time()
    objectives, guesses = fit(*given)
    return objectives, guesses, time.process_time() - began


ABOUT = (
    "The training side with all six strengths of the penalty, seconds of the processor on one thread. "
    "Scikit-learn has its own tolerance, with which it stops a little above the optimum: objective "
    "above ours is the largest relative difference at a strength, same classes the least share of the "
    "test side. With a smaller tolerance the optima are equal, which "
    "`tests/evaluation/probes/test_logistic.py` checks."
)


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    record = Record("probes", "The converged probe against scikit-learn", ABOUT)
    with threadpool_limits(1):
        for name in sys.argv[1:] or ROWS:
            record.add(measured(name, *ROWS[name]))
    record.write()


if __name__ == "__main__":
    main()
