from itertools import combinations

import numpy as np
import pytest
from conftest import random_graph
from scipy import sparse

from mhmgnn import DataError, Graph, Model
from mhmgnn.baselines.baseline import fit_baseline, load_baseline, load_fitted, read_settings
from mhmgnn.baselines.dgi import DGISettings
from mhmgnn.baselines.graphsage import SageSettings
from mhmgnn.baselines.method import METHODS, NodeMethod
from mhmgnn.baselines.skipgram import WalkSettings

QUICK = {
    "sage-mean": SageSettings(dim=8, steps=3),
    "sage-max": SageSettings(aggregator="max", dim=8, steps=3),
    "sage-lstm": SageSettings(aggregator="lstm", dim=8, steps=3),
    "dgi": DGISettings(dim=8, epochs=3),
    "deepwalk": WalkSettings(dim=8, walks=2),
    "deepwalk+features": WalkSettings(dim=8, walks=2),
    "node2vec": WalkSettings(dim=8, walks=2, negative=2),
    "node2vec+features": WalkSettings(dim=8, walks=2, negative=2),
}
KSETS = np.array(list(combinations(range(12), 3)))
OF_KSETS = [name for name, method in METHODS.items() if method.of_ksets]
OF_NODES = [name for name, method in METHODS.items() if isinstance(method, NodeMethod)]


def with_words(seed=0) -> Graph:
    graph = random_graph(seed)
    words = np.random.default_rng(seed).random((graph.num_nodes, 6)) < 0.4
    return Graph(*graph.rows, sparse.csr_array(words, dtype=np.float32))


@pytest.fixture
def graph():
    return with_words()


def fitted(name, graph, **options):
    return fit_baseline(name, graph, 3, settings=QUICK.get(name), **options)


def dense(x):
    return x.toarray() if sparse.issparse(x) else x


@pytest.mark.parametrize("name", OF_NODES)
def test_a_k_set_is_the_sum_of_its_nodes(graph, name):
    baseline = fitted(name, graph)
    nodes = dense(baseline.nodes(graph))
    np.testing.assert_allclose(dense(baseline.embed(KSETS)), nodes[KSETS].sum(axis=1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", OF_KSETS)
def test_the_same_seed_gives_the_same_rows(graph, name):
    one, same = (dense(fitted(name, graph, seed=4).embed(KSETS)) for _ in range(2))
    np.testing.assert_array_equal(one, same)


@pytest.mark.parametrize("name", OF_KSETS)
def test_what_is_saved_comes_back_and_gives_the_same_rows(graph, name, tmp_path):
    baseline = fitted(name, graph)
    baseline.save(tmp_path / "run")
    again = load_fitted(tmp_path / "run")
    assert type(again) is type(baseline)
    assert again.k == 3
    np.testing.assert_array_equal(dense(again.embed(KSETS)), dense(baseline.embed(KSETS)))


@pytest.mark.parametrize("name", [name for name in OF_KSETS if METHODS[name].inductive])
def test_an_inductive_one_takes_a_graph_that_it_was_not_trained_on(graph, name):
    other = with_words(5)
    rows = dense(fitted(name, graph).embed(KSETS, graph=other))
    assert rows.shape == dense(fitted(name, graph).embed(KSETS)).shape
    assert np.abs(rows - dense(fitted(name, graph).embed(KSETS))).max() > 0


@pytest.mark.parametrize("name", ["deepwalk", "node2vec+features"])
def test_a_transductive_one_refuses_another_graph(graph, name):
    with pytest.raises(DataError, match="knows the nodes of its own graph alone"):
        fitted(name, graph).embed(KSETS, graph=with_words(5))


def test_degrees_are_those_of_the_definition():
    graph = Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])
    logs = np.log1p([2, 3, 2])
    expected = [logs.sum(), logs.max(), logs.min(), 1]
    np.testing.assert_allclose(
        fit_baseline("degrees", graph).embed([[1, 2, 4], [0, 2, 3]])[1], [*expected[:3], 2]
    )
    assert fit_baseline("degrees", graph).embed([[0, 1, 2]])[0, 3] == 3


def test_shapes_tell_a_triangle_from_a_path_and_leave_what_is_not_connected_at_zero():
    graph = Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])
    rows = fit_baseline("shape", graph).embed([[0, 1, 2], [1, 2, 3], [2, 3, 4], [0, 1, 4]])
    assert rows.sum(axis=1).tolist() == [1, 1, 1, 0]
    assert rows.argmax(axis=1)[:3].tolist() == [1, 0, 0]


def test_random_weights_are_an_untrained_model(graph):
    model = fit_baseline("random", graph, 3)
    assert isinstance(model, Model)
    assert model.facts["steps"] == 0


@pytest.mark.parametrize("name", ["raw", "sage-mean", "dgi"])
def test_degree_bins_beside_the_features_change_the_rows(graph, name):
    plain, extended = (dense(fitted(name, graph, degree_features=on).embed(KSETS)) for on in (False, True))
    assert plain.shape != extended.shape or np.abs(plain - extended).max() > 1e-6


def test_vectors_of_nodes_are_kept_once_for_all_k_and_features(graph, tmp_path, monkeypatch):
    walks = fit_baseline("deepwalk", graph, 3, settings=QUICK["deepwalk"], cache=tmp_path)
    monkeypatch.setattr("mhmgnn.baselines.deepwalk.deepwalk", None)  # a second fit would fail
    again = fit_baseline("deepwalk", graph, 4, settings=QUICK["deepwalk"], cache=tmp_path)
    beside = fit_baseline("deepwalk+features", graph, 3, settings=QUICK["deepwalk"], cache=tmp_path)
    np.testing.assert_array_equal(again.nodes(graph), walks.nodes(graph))
    np.testing.assert_array_equal(dense(beside.nodes(graph))[:, :8], walks.nodes(graph))
    np.testing.assert_array_equal(dense(beside.nodes(graph))[:, 8:], graph.x.toarray())


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"settings": WalkSettings(dim=8, walks=3)}, {"graph": with_words(1)}], ids=str
)
def test_another_seed_setting_or_graph_is_not_taken_from_the_cache(graph, tmp_path, change, monkeypatch):
    options = {"settings": QUICK["deepwalk"], "cache": tmp_path, "seed": 0}
    fit_baseline("deepwalk", graph, **options)
    monkeypatch.setattr("mhmgnn.baselines.deepwalk.deepwalk", None)
    change = dict(change)
    with pytest.raises(TypeError):
        fit_baseline("deepwalk", change.pop("graph", graph), **(options | change))


def test_settings_are_read_as_the_command_line_writes_them():
    settings, extended = read_settings("dgi", ["baseline.epochs=7", "model.degree_features=true"])
    assert settings == DGISettings(epochs=7)
    assert extended
    assert read_settings("raw", []) == (None, False)
    with pytest.raises(DataError, match=r"\[baseline\] has no setting 'epoch'; it has dim, epochs"):
        read_settings("dgi", ["baseline.epoch=7"])
    with pytest.raises(DataError, match=r"train\.steps=3 sets nothing of the baseline dgi"):
        read_settings("dgi", ["train.steps=3"])


def test_what_cannot_be_fitted_is_refused(graph, tmp_path):
    with pytest.raises(DataError, match="baseline is 'dig'; it must be one of raw, degrees"):
        fit_baseline("dig", graph)
    with pytest.raises(DataError, match="settings are DGISettings; sage-mean takes SageSettings"):
        fit_baseline("sage-mean", graph, settings=DGISettings())
    with pytest.raises(DataError, match="no node features to sum"):
        fit_baseline("raw", random_graph(0)).embed(KSETS)
    fit_baseline("random", graph).save(tmp_path)
    with pytest.raises(DataError, match="holds a trained model"):
        fit_baseline("raw", graph).save(tmp_path)


def test_a_damaged_folder_is_named(graph, tmp_path):
    fitted("dgi", graph).save(tmp_path)
    index = tmp_path / "baseline" / "index.json"
    index.write_text(index.read_text().replace('"dgi"', '"sage-max"'))
    with pytest.raises(DataError, match=r"baseline is damaged|do not fit"):
        load_baseline(tmp_path)
