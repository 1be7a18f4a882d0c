from dataclasses import replace

import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import DataError, Graph
from mhmgnn.baselines.method import METHODS
from mhmgnn.baselines.pooling import fit_pooled
from mhmgnn.nn.motifs.features import degree_bins


@pytest.fixture
def graphs():
    rng = np.random.default_rng(0)
    return [
        Graph(*graph.rows, rng.standard_normal((graph.num_nodes, 3)).astype(np.float32))
        for graph in (random_graph(seed, edges=25) for seed in range(8))
    ]


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.of_graphs])
def test_a_row_depends_on_its_graph_alone(graphs, name):
    few = replace(METHODS[name].settings, steps=20) if name.startswith("sage") else None
    for embed in fit_pooled(name, graphs[:5], settings=few, seed=1).values():
        together, apart = embed(graphs[5:]), [embed([graph])[0] for graph in graphs[5:]]
        np.testing.assert_allclose(together, apart, rtol=1e-4, atol=1e-5)
        assert np.abs(together[0] - together[1]).max() > 0


def test_raw_features_are_pooled_by_mean_and_sum(graphs):
    ways = fit_pooled("raw", graphs)
    np.testing.assert_allclose(ways["mean"](graphs[:1])[0], graphs[0].x.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(ways["sum"](graphs[:1])[0], graphs[0].x.sum(axis=0), rtol=1e-4, atol=1e-5)


def test_degree_bins_stand_beside_the_features_if_asked_for(graphs):
    row = fit_pooled("raw", graphs, degree_features=True)["sum"](graphs[:1])[0]
    np.testing.assert_allclose(row[3:], degree_bins(graphs[0], 1.0).sum(axis=0), rtol=1e-5)


def test_graphs_without_features_have_none_to_pool():
    bare = [random_graph(seed) for seed in range(3)]
    with pytest.raises(DataError, match="no node features to sum"):
        fit_pooled("raw", bare)["mean"](bare)
    assert fit_pooled("dgi", bare)["summary"](bare).shape == (3, 128)


def test_an_unknown_name_is_refused(graphs):
    told = "the baseline for whole graphs is 'deepwalk'; it must be one of raw, degrees, shape, context"
    with pytest.raises(DataError, match=told):
        fit_pooled("deepwalk", graphs)
