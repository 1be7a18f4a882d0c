import numpy as np
import pytest
import torch

from mhmgnn.nn.graph_vector import NEARNESS, REACH, SHARPEN, GraphVectorMap
from mhmgnn.nn.node_kernel import NodeKernel


def fitted(known, dim, seed=0):
    """The map of rows whose first three columns have six tenths of the variance."""
    blocks, shares = {"one": known[:, :3], "two": known[:, 3:]}, {"one": 0.6, "two": 0.4}
    nothing, kernel = np.zeros((0, 0), np.float32), NodeKernel(1, 1, 1)
    return GraphVectorMap.fitted(blocks, shares, dim, seed, projection=nothing, kernel=kernel)


def rows(m=60, *, seed=0):
    rng = np.random.default_rng(seed)
    return np.exp(rng.normal(size=(m, 8))).astype(np.float32)


def slow_inputs(own, known):
    """Rows standardised and clipped, blocks scaled to their shares, less the mean."""

    def z(values):
        return np.clip((values - known.mean(axis=0)) / known.std(axis=0), -3, 3)

    base = z(known)
    first, rest = base[:, :3].var(axis=0).sum(), base[:, 3:].var(axis=0).sum()
    scale = np.repeat(np.sqrt([0.6 / first, 0.4 / rest]), (3, 5))
    return (z(own) - base.mean(axis=0)) * scale


def test_products_of_vectors_are_those_of_sharpened_components_of_the_kernel():
    known, others = rows(), rows(7, seed=1)
    one = fitted(known, 64)
    t, s = slow_inputs(known, known), slow_inputs(others, known)
    m = len(t)
    away = np.square(t[:, None] - t).sum(axis=2)
    width = REACH * np.median(away[np.triu_indices(m, 1)])
    near, near_s = (np.exp(-np.square(values[:, None] - t).sum(axis=2) / 2 / width) for values in (t, s))
    middle = np.eye(m) - 1 / m
    centred = middle @ near @ middle
    linear, of_near = (1 - NEARNESS) / np.square(t).sum(), NEARNESS / np.trace(centred)
    gram = linear * t @ t.T + of_near * centred
    variance, vectors = np.linalg.eigh(gram)
    kept = variance > 1e-6 * variance[-1]
    variance, vectors = variance[kept], vectors[:, kept]
    weights = vectors * variance ** ((SHARPEN - 1) / 2)
    values = linear * s @ t.T + of_near * (near_s - near.mean(axis=0)) @ middle
    wanted = values @ weights
    found = one(torch.from_numpy(others)).numpy()
    scale = np.sqrt(np.square(found).sum() / np.square(wanted).sum())
    np.testing.assert_allclose(found @ found.T, scale**2 * wanted @ wanted.T, rtol=0.02, atol=1e-3)


def test_the_training_graphs_have_mean_0_and_the_usual_spread():
    known = rows(200)
    found = fitted(known, 16)(torch.from_numpy(known)).numpy()
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-3)
    assert found.std(axis=0).mean() == pytest.approx(0.25, rel=0.02)


def test_few_graphs_that_are_all_alike_have_finite_vectors(monkeypatch):
    same = np.ones((3, 8), np.float32)
    one = fitted(same, 12)
    assert one(torch.from_numpy(rows(4))).isfinite().all()
    monkeypatch.setattr("mhmgnn.nn.graph_vector.LANDMARKS", 20)
    some = fitted(rows(), 30)
    assert some.landmarks.shape == (20, 8)
    assert some(torch.from_numpy(rows(4))).isfinite().all()
