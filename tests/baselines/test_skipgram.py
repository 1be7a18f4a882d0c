import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from conftest import islands

from mhmgnn import DataError, Graph
from mhmgnn.baselines.deepwalk import deepwalk
from mhmgnn.baselines.node2vec import NODE2VEC, node2vec
from mhmgnn.baselines.skipgram import WalkSettings

SHORT = WalkSettings(dim=16, walks=4, length=10, window=3)
METHODS = [(deepwalk, SHORT), (node2vec, replace(SHORT, q=0.5, negative=3))]
each_method = pytest.mark.parametrize(("method", "settings"), METHODS, ids=["deepwalk", "node2vec"])
ELSEWHERE = """
import json
from conftest import islands
from test_skipgram import METHODS
found = [method(islands(), settings, seed=5) for method, settings in METHODS]
print(json.dumps([hash("walk"), [vectors.tobytes().hex() for vectors in found]]))
"""


def two_cliques(size=10):
    clique = [(i, j) for i in range(size) for j in range(i)]
    return Graph.from_edges([*clique, *((i + size, j + size) for i, j in clique), (0, size)])


@each_method
def test_nodes_of_one_clique_lie_closer_than_nodes_of_two(method, settings, seed):
    vectors = method(two_cliques(), replace(settings, walks=20, learning_rate=0.1), seed=seed)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = unit @ unit.T
    inside = np.concatenate(
        [cosine[:10, :10][np.triu_indices(10, 1)], cosine[10:, 10:][np.triu_indices(10, 1)]]
    )
    assert np.quantile(inside, 0.1) > np.quantile(cosine[:10, 10:], 0.9)


@each_method
def test_a_node_without_neighbours_has_zeros_and_no_other_does(method, settings):
    graph = islands()
    vectors = method(graph, settings, seed=0)
    assert vectors.shape == (18, 16)
    assert vectors.dtype == np.float32
    assert (np.abs(vectors).max(axis=1) > 0).tolist() == (graph.degrees > 0).tolist()
    alone = Graph(np.zeros(4, np.int64), np.empty(0, np.int32))
    assert not method(alone, settings, seed=0).any()


@each_method
def test_a_seed_fixes_the_vectors_whatever_the_threads(method, settings):
    found = method(islands(), settings, seed=3, threads=1)
    assert found.tobytes() == method(islands(), settings, seed=3, threads=3).tobytes()
    other = method(islands(), settings, seed=4)
    assert (found != other)[:17].any(axis=1).all()


def test_another_process_that_hashes_texts_otherwise_finds_the_same_vectors():
    folders = os.pathsep.join([os.path.dirname(__file__), *(path for path in sys.path if path)])
    given = os.environ | {"PYTHONHASHSEED": "12345", "PYTHONPATH": folders}
    run = subprocess.run([sys.executable, "-c", ELSEWHERE], env=given, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    hashed, found = json.loads(run.stdout)
    assert hashed != hash("walk")
    assert found == [method(islands(), settings, seed=5).tobytes().hex() for method, settings in METHODS]


@each_method
def test_a_linear_classifier_reads_the_fields_of_cora_off_the_vectors(data_dir, method, settings):
    from sklearn.linear_model import LogisticRegression

    with np.load(data_dir / "planetoid" / "cora.npz") as cora:
        edges, labels = np.stack([cora["adj_src"], cora["adj_dst"]], axis=1), cora["labels"]
        train, test = cora["train_index"], cora["test_index"]
    graph = Graph.from_edges(edges, num_nodes=labels.size)
    quick = replace(settings, dim=64, walks=5, length=20, window=5, learning_rate=0.05)
    vectors = method(graph, quick, seed=0)
    classifier = LogisticRegression(max_iter=1_000).fit(vectors[train], labels[train])
    assert classifier.score(vectors[test], labels[test]) > 0.6


@each_method
def test_a_missing_library_is_named_with_the_way_to_get_it(method, settings, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(DataError, match="gensim, which is not installed; get it by: pip install gensim"):
        method(islands(), settings, seed=0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"walks": 0}, "walks is 0; it must be a whole number of at least 1"),
        ({"length": 1}, "length is 1; it must be a whole number of at least 2"),
        ({"length": 10_001}, "length is 10001; a walk has at most 10000 nodes"),
        ({"q": 0}, r"q is 0\.0; it must be a number above 0"),
        ({"negative": -1}, "negative is -1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(DataError, match=message):
        WalkSettings(**settings)


def test_settings_of_the_other_method_are_refused():
    with pytest.raises(DataError, match=r"q is 0\.5 and negative is 5; DeepWalk has uniform walks"):
        deepwalk(islands(), NODE2VEC, seed=0)
    with pytest.raises(DataError, match="negative is 0; node2vec draws at least 1 node against each pair"):
        node2vec(islands(), SHORT, seed=0)
