import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from conftest import random_graph
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mhmgnn import DataError, Graph
from mhmgnn.baselines.infograph import InfoGraph, InfoGraphSettings, fit_infograph, jensen_shannon
from mhmgnn.datasets.collections import collection

QUICK = InfoGraphSettings(dim=16, layers=2, epochs=3, batch=8)


@pytest.fixture(scope="module")
def graphs() -> list[Graph]:
    return [random_graph(i, nodes=6 + i % 5) for i in range(20)]


@pytest.fixture(scope="module")
def model(graphs: list[Graph]) -> InfoGraph:
    return fit_infograph(graphs, QUICK, seed=0)


def test_the_loss_is_that_of_the_definition(seed):
    scores, owner = (
        torch.randn(5, 3, generator=torch.Generator().manual_seed(seed)),
        torch.tensor([0, 0, 1, 2, 2]),
    )
    own = [math.log1p(math.exp(-scores[v, owner[v]])) for v in range(5)]
    other = [math.log1p(math.exp(scores[v, g])) for v in range(5) for g in range(3) if g != owner[v]]
    torch.testing.assert_close(
        jensen_shannon(scores, owner).item(), sum(own) / 5 + sum(other) / 10, rtol=1e-5, atol=0
    )


def test_nodes_that_say_nothing_cost_2_log_2():
    loss = jensen_shannon(torch.zeros(4, 2), torch.tensor([0, 0, 1, 1]))
    torch.testing.assert_close(loss.item(), 2 * math.log(2))


def test_relabelled_graphs_have_the_same_vector(graphs, model, seed):
    for graph in graphs[:4]:
        order = np.random.default_rng(seed).permutation(graph.num_nodes)
        edges = np.column_stack([np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices])
        other = Graph.from_edges(order[edges], num_nodes=graph.num_nodes)
        first, second = model.graphs([graph, other])
        np.testing.assert_allclose(first, second, rtol=1e-4, atol=1e-5)


def test_graphs_of_other_shapes_have_other_vectors(model):
    path, star = (Graph.from_edges(edges) for edges in ([(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)]))
    first, second = model.graphs([path, star])
    assert np.abs(first - second).max() > 0.01


def test_a_vector_does_not_depend_on_the_graphs_beside_it(graphs, model):
    together = model.graphs(graphs)
    alone = np.concatenate([model.graphs([graph]) for graph in graphs])
    np.testing.assert_allclose(together, alone, rtol=1e-4, atol=1e-5)


def test_two_copies_of_a_graph_weigh_twice_as_much(graphs, model):
    graph = graphs[0]
    edges = np.column_stack([np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices])
    twice = Graph.from_edges(np.concatenate([edges, edges + graph.num_nodes]), num_nodes=2 * graph.num_nodes)
    once, both = model.graphs([graph, twice])
    np.testing.assert_allclose(both, 2 * once, rtol=1e-4, atol=1e-5)


def test_what_is_restored_gives_the_same_vectors(graphs, model):
    again = InfoGraph.restore(model.settings, model.in_features, model.state())
    np.testing.assert_array_equal(again.graphs(graphs), model.graphs(graphs))


def test_a_seed_fixes_the_weights_and_the_global_generator_is_left_alone(graphs, model):
    before = torch.random.get_rng_state()
    same, other = (fit_infograph(graphs, QUICK, seed=seed) for seed in (0, 1))
    assert torch.equal(before, torch.random.get_rng_state())
    assert same.losses == model.losses != other.losses
    np.testing.assert_array_equal(same.graphs(graphs), model.graphs(graphs))


def test_training_stops_when_its_loss_falls_no_more_and_goes_back(graphs):
    settings = replace(QUICK, epochs=60, patience=2, learning_rate=0.05)
    long = fit_infograph(graphs, settings, seed=0)
    best = int(np.argmin(long.losses))
    assert len(long.losses) == best + 3 < 60
    until = fit_infograph(graphs, replace(settings, epochs=best + 1), seed=0)
    np.testing.assert_array_equal(long.graphs(graphs), until.graphs(graphs))


def test_graphs_of_one_node_or_without_edges_have_vectors(graphs):
    bare = [Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32)) for n in (1, 3)]
    model = fit_infograph([*bare, *graphs], QUICK, seed=0)
    one, three = model.graphs(bare)
    np.testing.assert_allclose(3 * one, three, rtol=1e-4, atol=1e-5)


def test_a_graph_with_other_features_is_refused(model):
    with pytest.raises(DataError, match="trained on 1"):
        model.graphs([Graph.from_edges([(0, 1)], features=np.ones((2, 3)))])


def test_one_graph_alone_is_refused(graphs):
    with pytest.raises(DataError, match="at least two"):
        fit_infograph(graphs[:1], seed=0)


def test_weights_of_another_size_are_refused(model):
    with pytest.raises(DataError, match="do not fit"):
        InfoGraph.restore(model.settings, 2, model.state())


def test_vectors_tell_of_the_classes_of_imdb(data_dir):
    imdb = collection("imdb-binary", data_dir)
    graphs, labels = imdb.graphs[:200], imdb.labels[:200]
    vectors = fit_infograph(graphs, InfoGraphSettings(epochs=6), seed=0).graphs(graphs)
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, tol=1e-2))
    assert cross_val_score(linear, vectors, labels, cv=5).mean() > 0.6  # 0.73 of all 1,000 in the paper
