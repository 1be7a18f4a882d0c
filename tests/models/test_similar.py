import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import DataError, Graph, RunConfig, connected_sets, fit
from mhmgnn.models import similar
from mhmgnn.models.similar import SetIndex


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


def test_an_index_of_sets_gives_what_the_sets_give(model):
    among = connected_sets(model.graph, 3)
    index = model.index(among)
    assert index.exact
    assert model.similar(among[5], among=index, top=7) == model.similar(among[5], among=among, top=7)


def test_beyond_the_bound_an_index_finds_nearly_all_of_the_nearest():
    pytest.importorskip("usearch")
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(3_000, 16)).astype(np.float32)
    ksets = np.arange(9_000).reshape(-1, 3)
    exact, forced = SetIndex(ksets, vectors), SetIndex(ksets, vectors, exact=100)
    assert not forced.exact
    shared = 0
    for asked in vectors[:100]:
        places, distances = forced.nearest(asked, 10)
        assert distances.tolist() == sorted(distances.tolist())
        shared += np.intersect1d(places, exact.nearest(asked, 10)[0]).size
    assert shared >= 0.98 * 1_000


def test_without_the_extra_many_vectors_say_what_to_install(monkeypatch):
    monkeypatch.setattr(similar, "find_spec", lambda name: None)
    with pytest.raises(DataError, match="pip install usearch"):
        SetIndex(np.zeros((2, 3), np.int64), np.zeros((2, 4), np.float32), exact=1)


def test_of_equally_near_sets_the_first_comes_first():
    assert similar.smallest(np.array([2.0, 1.0, 1.0, 1.0]), 2)[0].tolist() == [1, 2]
