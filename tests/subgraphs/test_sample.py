import numpy as np
import pytest
from conftest import random_graph

from mhmgnn.config import SetsConfig
from mhmgnn.subgraphs.sample import fair_share, sample_sets
from mhmgnn.subgraphs.walk import TourSample


def weighted(sets, seed=0):
    rng = np.random.default_rng(seed)
    return TourSample(np.arange(3 * sets).reshape(sets, 3), rng.exponential(size=sets) ** 3)


@pytest.mark.parametrize("most", [1, 7, 50, 400])
def test_a_fair_share_keeps_the_sum_of_weights_and_holds_each_set_once(most):
    whole = weighted(60)
    share = fair_share(whole, most, np.random.default_rng(1))
    assert len(share.ksets) <= most
    assert share.weights.sum() == pytest.approx(whole.weights.sum())
    assert len(np.unique(share.ksets, axis=0)) == len(share.ksets)
    assert set(map(tuple, share.ksets.tolist())) <= set(map(tuple, whole.ksets.tolist()))


def test_sums_over_a_fair_share_are_right_on_average():
    whole, draws = weighted(60), 2000
    value = np.random.default_rng(2).normal(size=60)
    sums = np.array(
        [
            share.weights @ value[share.ksets[:, 0] // 3]
            for share in (fair_share(whole, 7, np.random.default_rng(seed)) for seed in range(draws))
        ]
    )
    assert sums.std() > 0.1
    assert abs(sums.mean() - whole.weights @ value) < 4.5 * sums.std() / np.sqrt(draws)


def test_few_sets_are_taken_as_they_are_and_many_are_shared():
    graph = random_graph(5, nodes=30, edges=80)
    every = sample_sets(graph, 3, SetsConfig(most=0), np.random.default_rng(0))
    roomy = sample_sets(graph, 3, SetsConfig(most=len(every.sample.ksets)), np.random.default_rng(0))
    some = sample_sets(graph, 3, SetsConfig(most=50), np.random.default_rng(0))
    np.testing.assert_array_equal(roomy.sample.ksets, every.sample.ksets)
    assert len(some.sample.ksets) == 50
    assert some.size == every.size == pytest.approx(some.sample.weights.sum())
