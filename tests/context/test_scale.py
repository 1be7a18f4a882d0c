import numpy as np
import pytest

from mhmgnn import DataError
from mhmgnn.context import Scale


def test_the_sets_that_a_scale_is_of_have_zero_mean_and_unit_spread_in_each_class():
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 5, 600)
    rows = (rng.standard_normal((600, 3)) * [1, 5, 20] + sizes[:, None]).astype(np.float32)
    scaled = Scale.of(rows, sizes).apply(rows, sizes)
    assert scaled.dtype == np.float32
    for k in (2, 3, 4):
        np.testing.assert_allclose(scaled[sizes == k].mean(axis=0), 0, atol=1e-5)
        np.testing.assert_allclose(scaled[sizes == k].std(axis=0), 1, atol=1e-4)


def test_a_class_with_few_sets_takes_the_nearest_that_has_enough_the_smaller_of_two():
    sizes = np.repeat([2, 4, 5], [30, 30, 3])
    scale = Scale.of(np.repeat([[1.0], [7.0], [100.0]], [30, 30, 3], axis=0), sizes)
    assert scale.mean[:, 0].tolist() == [
        1,
        1,
        1,
        7,
        7,
        7,
        7,
        7,
        7,
        7,
    ]  # sizes 1, 2, 3, 4, 5, 6, 8, 12, 20, 50


def test_where_no_class_has_enough_all_sets_together_serve():
    scale = Scale.of(np.array([[1.0], [3.0]]), np.array([2, 9]))
    assert np.unique(scale.mean).tolist() == [2]
    assert np.unique(scale.spread).tolist() == [1]


def test_what_hardly_varies_is_not_blown_up_and_what_lies_far_out_is_clipped():
    scale = Scale.of(np.zeros((40, 1)), np.full(40, 3))
    assert scale.apply(np.array([[0.1], [9.0]]), np.array([3, 3])).tolist() == [[2.0], [5.0]]


def test_a_scale_needs_sets():
    with pytest.raises(DataError, match="there are no random sets"):
        Scale.of(np.empty((0, 3)), np.empty(0, int))
