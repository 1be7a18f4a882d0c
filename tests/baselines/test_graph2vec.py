import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from conftest import SMALL, random_graph
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mhmgnn import DataError, Graph
from mhmgnn.baselines.graph2vec import (
    Graph2VecSettings,
    fit_graph2vec,
    graph2vec,
    label_columns,
    subtree_words,
)
from mhmgnn.datasets.collections import collection

NO_COLUMNS = np.empty(0, np.int64)
QUICK = Graph2VecSettings(dim=16, min_count=1)


def labelled(graph: Graph, seed: int) -> Graph:
    """The graph with a column of numbers and three that label its nodes."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(size=graph.num_nodes), np.eye(3)[rng.integers(3, size=graph.num_nodes)]])
    return Graph(graph.indptr, graph.indices, x.astype(np.float32))


def relabelled(graph: Graph, seed: int) -> Graph:
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    edges = np.column_stack([np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices])
    x = None if graph.x is None else graph.x[np.argsort(order)]
    return Graph.from_edges(order[edges], num_nodes=graph.num_nodes, features=x)


def naive_words(graph: Graph, depth: int, labels: list[object]) -> list[list[object]]:
    """Subtrees as nested tuples: a root, then the subtrees of its neighbours in any fixed order."""
    rows: list[list[object]] = [labels]
    for _ in range(depth):
        last = rows[-1]
        near = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]] for v in range(graph.num_nodes)]
        rows.append(
            [(last[v], tuple(sorted((last[u] for u in near[v]), key=repr))) for v in range(len(near))]
        )
    return rows


def words_of(graph: Graph, columns: np.ndarray = NO_COLUMNS) -> Counter[int]:
    return Counter(subtree_words(graph, 3, columns).ravel().tolist())


@pytest.mark.parametrize("columns", [[], [1, 2, 3]], ids=["degrees", "labels"])
def test_words_are_equal_where_subtrees_are(columns, seed):
    graphs = [labelled(make(), seed) for make in SMALL.values()]
    pairs = set()
    for graph in graphs:
        labels = [tuple(row) for row in graph.x[:, columns].tolist()] if columns else graph.degrees.tolist()
        found = subtree_words(graph, 3, np.array(columns, np.int64)).ravel().tolist()
        subtrees = [(d, t) for d, row in enumerate(naive_words(graph, 3, labels)) for t in row]
        pairs |= set(zip(found, subtrees, strict=True))
    assert len(pairs) == len({word for word, _ in pairs}) == len({subtree for _, subtree in pairs})
    assert len(pairs) > 50


def test_isomorphic_graphs_have_the_same_words_and_inferred_vectors(small, seed):
    graph = labelled(small, seed)
    other = relabelled(graph, seed)
    columns = label_columns([graph])
    assert words_of(graph, columns) == words_of(other, columns)
    model = fit_graph2vec([graph, labelled(random_graph(1), 1)], QUICK, seed=0)
    first, second = model.infer([graph, other], seed=0)
    np.testing.assert_array_equal(first, second)


def test_graphs_that_their_subtrees_tell_apart_have_other_words():
    path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    shared = words_of(path) & words_of(star)
    assert shared.keys() == {int(subtree_words(star, 0, NO_COLUMNS)[0, 1])}  # a leaf, at depth 0 alone


def test_columns_of_zeros_and_ones_alone_label_nodes():
    graph = labelled(random_graph(0), 0)
    thin = Graph(graph.indptr, graph.indices, sparse.csr_array(graph.x))
    assert label_columns([graph]).tolist() == label_columns([thin]).tolist() == [1, 2, 3]
    assert words_of(graph, np.arange(1, 4)) == words_of(thin, np.arange(1, 4))
    assert label_columns([random_graph(0)]).size == 0


def test_the_place_of_a_graph_in_the_list_does_not_tell_in_its_vector():
    graphs = [random_graph(i, nodes=60, edges=100) for i in range(200)]
    vectors = graph2vec(graphs, Graph2VecSettings(dim=16), seed=0)
    early, late = vectors[:100], vectors[100:]
    z = (early.mean(axis=0) - late.mean(axis=0)) / np.sqrt((early.var(axis=0) + late.var(axis=0)) / 100)
    assert np.abs(z).max() < 4  # 9 where gensim reads the graphs as they are listed


def test_the_hash_seed_of_python_does_not_change_the_numbers():
    script = (
        "from mhmgnn import Graph\n"
        "from mhmgnn.baselines.graph2vec import Graph2VecSettings, fit_graph2vec\n"
        "graphs = [Graph.from_edges([(0, 1), (1, 2), (i % 3, 3)]) for i in range(4)]\n"
        "model = fit_graph2vec(graphs, Graph2VecSettings(dim=4, min_count=1), seed=3)\n"
        "found = model.vectors.tolist(), model.infer(graphs, seed=3).tolist()\n"
    )
    here: dict[str, object] = {}
    exec(script, here)
    command, other = f"{script}print(found)", "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    there = subprocess.run(
        [sys.executable, "-c", command],
        env=os.environ | {"PYTHONHASHSEED": other},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == str(here["found"])


def test_a_seed_fixes_the_vectors_and_another_changes_them():
    graphs = [random_graph(i) for i in range(5)]
    first, same, other = (graph2vec(graphs, QUICK, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert not np.allclose(first, other)


def test_an_inferred_vector_depends_on_the_graph_alone():
    model = fit_graph2vec([random_graph(i) for i in range(5)], QUICK, seed=0)
    graphs = [random_graph(i) for i in range(8, 11)]
    together = model.infer(graphs, seed=1)
    np.testing.assert_array_equal(together, np.concatenate([model.infer([g], seed=1) for g in graphs]))


def test_all_words_of_a_large_graph_are_read(seed):
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 6001)])
    model = fit_graph2vec([star, random_graph(0)], Graph2VecSettings(dim=4, depth=1, min_count=1), seed=seed)
    assert model._model.corpus_total_words == 2 * 6001 + 2 * 12


def test_a_graph_of_one_node_has_a_vector():
    alone = Graph(np.zeros(2, np.int64), np.empty(0, np.int32))
    found = graph2vec([alone, random_graph(0)], QUICK, seed=0)
    assert np.isfinite(found).all()
    assert found.shape == (2, 16)


def test_a_graph_without_nodes_is_refused():
    with pytest.raises(DataError, match="graph 1 has no nodes"):
        graph2vec([random_graph(0), Graph(np.zeros(1, np.int64), np.empty(0, np.int32))], QUICK, seed=0)


def test_graphs_without_a_frequent_subtree_are_refused():
    with pytest.raises(DataError, match="lower min_count"):
        graph2vec([random_graph(0)], Graph2VecSettings(min_count=1000), seed=0)


def test_a_graph_that_lacks_the_labels_is_refused():
    model = fit_graph2vec([labelled(random_graph(0), 0)], QUICK, seed=0)
    with pytest.raises(DataError, match="0 features lacks feature 3"):
        model.infer([random_graph(1)], seed=0)


def test_vectors_tell_of_the_classes_of_imdb(data_dir):
    imdb = collection("imdb-binary", data_dir)
    graphs, labels = imdb.graphs[:300], imdb.labels[:300]
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, tol=1e-2))
    assert cross_val_score(linear, graph2vec(graphs, seed=0), labels, cv=5).mean() > 0.6
