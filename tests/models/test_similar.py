import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import DataError, Graph, RunConfig, connected_sets, fit


@pytest.fixture(scope="module")
def model():
    graph = random_graph(3)
    x = np.random.default_rng(7).standard_normal((graph.num_nodes, 4)).astype(np.float32)
    settings = ["model.dim=8", "subgraphs.size=8", "train.steps=1", "train.batch=2", "groups.worlds=0"]
    return fit(Graph(*graph.rows, x), config=RunConfig().with_settings(settings))


def test_similar_sets_are_those_with_the_nearest_vectors_without_the_set_itself(model):
    among = connected_sets(model.graph, 3)
    vectors = model.embed(among).astype(np.float64)
    for asked in (0, 5):
        found = model.similar(among[asked], among=among, top=7)
        far = np.linalg.norm(vectors - vectors[asked], axis=1)
        far[asked] = np.inf
        assert [one.distance for one in found] == pytest.approx(np.sort(far)[:7], abs=1e-5)
        assert tuple(among[asked].tolist()) not in [one.nodes for one in found]
        assert [one.names for one in found] == [tuple(map(model.graph.label, one.nodes)) for one in found]


def test_sets_of_another_size_are_refused(model):
    with pytest.raises(DataError, match="it must have 3"):
        model.similar([0, 1], among=[[0, 1, 2]])
