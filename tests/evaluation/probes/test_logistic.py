import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from mhmgnn.evaluation.probes.logistic import Logistic

STRENGTHS = [1e-3, 0.1, 10.0]


def drawn(classes, *, columns=6, rows=400, sharpness=2.0):
    """Rows of very different scales, a column that never changes, and noisy classes, some of them rare."""
    rng = np.random.default_rng(classes)
    x = rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns)) * np.logspace(0, -2, columns)
    x[:, -1] = 3.0
    logits = sharpness * x @ rng.normal(size=(columns, classes)) - np.arange(classes)
    return x, (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_optimum_is_that_of_scikit_learn(classes, strength):
    x, y = drawn(classes)
    ours = Logistic(x, y)
    next(ours.path([strength], x))
    slopes = ours.rows.axes @ ours.fitted[:-1]
    theirs = LogisticRegression(C=strength, class_weight="balanced", tol=1e-8, max_iter=10_000).fit(x, y)
    np.testing.assert_allclose(slopes.T, theirs.coef_, rtol=0.02, atol=2e-3)
    level = ours.fitted[-1] - ours.rows.mean @ slopes
    np.testing.assert_allclose(
        level - level.mean(), theirs.intercept_ - theirs.intercept_.mean(), rtol=0.02, atol=5e-3
    )


@pytest.mark.parametrize("classes", [2, 4])
def test_rows_that_are_not_turned_have_the_same_optimum(classes):
    x, y = drawn(classes)
    x = (x - x.mean(axis=0))[:, :-1] / x.std(axis=0)[:-1]
    for one, other in zip(
        Logistic(x, y).path(STRENGTHS, x),
        Logistic(sparse.csr_array(x), y).path(STRENGTHS, sparse.csr_array(x)),
        strict=True,
    ):
        assert (one == other).mean() > 0.99  # rounding may turn a row on the border
        assert np.unique(one).size == classes


@pytest.mark.parametrize("classes", [2, 4])
def test_a_path_guesses_what_single_fits_guess(classes):
    x, y = drawn(classes)
    together = list(Logistic(x[:300], y[:300]).path(STRENGTHS, x[300:]))
    alone = [next(Logistic(x[:300], y[:300]).path([strength], x[300:])) for strength in STRENGTHS]
    assert (np.array(together) == np.array(alone)).mean() > 0.98


def test_classes_that_a_plane_separates_do_not_run_away():
    x, _ = drawn(2)
    y = np.where(x[:, 0] > 0, "right", "left")
    for guess in Logistic(x, y).path([1.0, 1e6], x):
        assert (guess == y).mean() > 0.97
