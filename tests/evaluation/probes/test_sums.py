from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from mhmgnn import DataError, probe
from mhmgnn.evaluation.probes.sums import Sums


def drawn(rng, *, filled=0.06, vectors=60, columns=12, rows=500, k=3):
    """k-sets of vectors of which a share is not 0, and labels that one column of the sum tells with noise."""
    of = sparse.csr_array(
        rng.exponential(size=(vectors, columns)) * (rng.random((vectors, columns)) < filled)
    )
    ksets = np.array([rng.choice(vectors, k, replace=False) for _ in range(rows)])
    plain = np.array([of.toarray()[kset].sum(axis=0) for kset in ksets])
    labels = (plain[:, 0] - np.median(plain[:, 0]) + rng.normal(size=rows) / 10 > 0.2).astype(np.int64)
    return Sums.over(ksets, of), plain, labels


def test_a_product_is_that_of_the_matrix_it_stands_for(seed):
    rng = np.random.default_rng(seed)
    sums, plain, _ = drawn(rng)
    assert sums.shape == plain.shape
    np.testing.assert_allclose(sums.total().toarray(), plain)
    np.testing.assert_allclose(sums @ np.eye(12), plain)
    np.testing.assert_allclose(sums.T @ np.eye(500), plain.T)
    np.testing.assert_allclose(sums[100:].T @ np.ones((400, 2)), plain[100:].T @ np.ones((400, 2)))


def test_parts_that_no_row_holds_are_left_out():
    sums = Sums.over(np.array([[1, 5], [5, 7]]), sparse.csr_array(np.eye(1000)))
    assert sums.vectors.shape == (3, 1000)
    assert np.argwhere(sums.total().toarray()).tolist() == [[0, 1], [0, 5], [1, 5], [1, 7]]


@pytest.mark.parametrize(("filled", "dense"), [(0.06, False), (0.5, False), (0.5, True)])
def test_a_probe_scores_sums_as_the_matrix_they_stand_for(filled, dense, seed):
    sums, plain, labels = drawn(np.random.default_rng(seed), filled=filled)
    if dense:
        sums = replace(sums, vectors=sums.vectors.toarray())
    train, test = slice(0, 300), slice(300, None)
    score = probe(sums[train], labels[train], sums[test], labels[test])
    matrix = sparse.csr_array(plain)
    wanted = probe(matrix[train], labels[train], matrix[test], labels[test])
    np.testing.assert_allclose([score.paper, score.converged], [wanted.paper, wanted.converged], atol=0.01)
    assert score.converged > 0.7


def test_a_part_that_is_not_finite_is_told_by_its_row():
    vectors = sparse.csr_array(np.array([[1.0, 0], [0, 1], [np.inf, 0]]))
    sums = Sums.over(np.array([[0, 1], [1, 2], [0, 1]]), vectors)
    with pytest.raises(DataError, match="row 1 of the training side"):
        probe(sums, np.array([0, 1, 0]), sums, np.array([0, 1, 0]))
