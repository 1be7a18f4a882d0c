import numpy as np
import pytest
from conftest import random_graph
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mhmgnn import DataError, Graph
from mhmgnn.baselines.netlsd import NetLSDSettings, netlsd
from mhmgnn.datasets.collections import collection


def without_edges(nodes: int) -> Graph:
    return Graph(np.zeros(nodes + 1, np.int64), np.empty(0, np.int32))


def relabelled(graph: Graph, seed: int) -> Graph:
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    edges = np.column_stack([np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices])
    return Graph.from_edges(order[edges], num_nodes=graph.num_nodes)


def test_a_signature_is_the_trace_of_the_heat_kernel(small):
    degrees = np.maximum(small.degrees, 1)
    adjacency = small.to_scipy().toarray()
    laplacian = np.diag(small.degrees > 0) - adjacency / np.sqrt(np.outer(degrees, degrees))
    eigenvalues = np.linalg.eigvalsh(laplacian)
    times = np.logspace(-2, 2, 128)
    expected = np.exp(-np.outer(times, eigenvalues)).sum(axis=1) / small.num_nodes
    np.testing.assert_allclose(netlsd([small])[0], expected, rtol=1e-5)


def test_isomorphic_graphs_have_one_signature(small, seed):
    first, second = netlsd([small, relabelled(small, seed)])
    np.testing.assert_allclose(first, second, rtol=1e-5)


def test_graphs_of_other_shapes_have_other_signatures():
    cycle = Graph.from_edges([(i, (i + 1) % 6) for i in range(6)])
    triangles = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    first, second = netlsd([cycle, triangles])
    assert np.abs(first - second).max() > 0.01


@pytest.mark.parametrize("nodes", [1, 3])
def test_heat_stays_where_there_is_no_edge(nodes):
    np.testing.assert_array_equal(netlsd([without_edges(nodes)]), np.ones((1, 128)))


def test_times_run_from_the_first_to_the_last():
    pair = Graph.from_edges([(0, 1)])  # eigenvalues 0 and 2
    found = netlsd([pair], NetLSDSettings(dim=3, first=0.5, last=2.0))
    np.testing.assert_allclose(found[0], (1 + np.exp([-1.0, -2.0, -4.0])) / 2, rtol=1e-6)


def test_a_graph_without_nodes_is_refused():
    with pytest.raises(DataError, match="graph 1 has no nodes"):
        netlsd([random_graph(0), without_edges(0)])


def test_signatures_tell_of_the_classes_of_imdb(data_dir):
    imdb = collection("imdb-binary", data_dir)
    graphs, labels = imdb.graphs[:300], imdb.labels[:300]
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, tol=1e-2))
    assert cross_val_score(linear, netlsd(graphs), labels, cv=5).mean() > 0.6
