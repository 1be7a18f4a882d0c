import math

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from mhmgnn import Graph
from mhmgnn.config import ModelConfig
from mhmgnn.nn.motifs.features import decided, degree_bins, node_features


def star(leaves, *, features=None):
    """A hub, its leaves, and one node alone."""
    return Graph.from_edges(
        [(0, leaf + 1) for leaf in range(leaves)], num_nodes=leaves + 2, features=features
    )


@pytest.fixture(name="x")
def some_features():
    x = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    x[3] = 0
    x[:, 2] = 0
    return x


def both(x, **given):
    """The features of a star of seven leaves, from dense and from sparse ones, as dense arrays."""
    dense = node_features(star(7, features=x), ModelConfig(**given))
    thin = node_features(star(7, features=sparse.csr_array(x)), ModelConfig(**given))
    assert isinstance(dense, np.ndarray)
    assert isinstance(thin, sparse.csr_array)
    assert dense.dtype == thin.dtype == np.float32
    return dense, thin.toarray()


@pytest.mark.parametrize("hub", [1, 2, 3, 4, 7, 8, 9, 63, 64, 65])
def test_a_degree_falls_into_the_bin_of_its_power_of_two(hub):
    bins = degree_bins(star(hub), 1.0).toarray()
    assert bins.sum(axis=1).tolist() == [1] * (hub + 2)
    assert bins[0, 1 + math.floor(math.log2(hub))] == 1
    assert (bins[1:-1, 1] == 1).all()  # leaves
    assert bins[-1, 0] == 1  # alone


def test_the_weight_stands_in_place_of_1():
    graph = Graph.from_networkx(nx.barabasi_albert_graph(50, 2, seed=0))
    np.testing.assert_allclose(
        degree_bins(graph, 0.3).toarray(), 0.3 * degree_bins(graph, 1.0).toarray(), rtol=1e-6
    )


def test_features_stay_as_they_are_unless_settings_say_else(x):
    for found in both(x):
        np.testing.assert_array_equal(found, x)


def test_counts_are_normalised_unless_settings_say_else_and_other_features_are_not(x):
    counts, others = star(7, features=np.abs(x)), star(7, features=x)
    assert x.min() < 0
    assert decided(ModelConfig(), [counts, counts]).normalise is True
    assert decided(ModelConfig(), [counts, others]).normalise is False
    assert decided(ModelConfig(), [star(7)]).normalise is False
    assert decided(ModelConfig(), [star(7, features=np.abs(x[:, :1]))]).normalise is False  # no shares
    assert decided(ModelConfig(normalise=True), [others]).normalise is True
    assert decided(ModelConfig(normalise=False), [counts]).normalise is False
    assert decided(ModelConfig(), [star(7, features=sparse.csr_array(np.abs(x)))]).normalise is True


def test_normalised_rows_have_sizes_that_sum_to_1_and_rows_of_zeros_stay(x):
    for found in both(x, normalise=True):
        np.testing.assert_allclose(np.abs(found).sum(axis=1), [1, 1, 1, 0, 1, 1, 1, 1, 1], rtol=1e-5)
        np.testing.assert_allclose(found * np.abs(x).sum(axis=1, keepdims=True), x, rtol=1e-5, atol=1e-7)


def test_degree_bins_stand_behind_the_features_and_are_not_normalised(x):
    bins = degree_bins(star(7), 0.5).toarray()
    for found in both(x, normalise=True, degree_features=True, degree_weight=0.5):
        np.testing.assert_allclose(found[:, :4], both(x, normalise=True)[0], rtol=1e-6)
        np.testing.assert_array_equal(found[:, 4:], bins)


def test_a_graph_without_features_gets_its_degree_bins_with_weight_1():
    found = node_features(star(7), ModelConfig(degree_weight=0.5, normalise=True))
    np.testing.assert_array_equal(found, degree_bins(star(7), 1.0).toarray())
