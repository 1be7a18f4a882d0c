import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import DataError, Graph
from mhmgnn.datasets.dataset import GraphDataset
from mhmgnn.evaluation.tasks.graphs import whole_graphs

pytestmark = pytest.mark.usefixtures("one_penalty")


@pytest.fixture
def dataset():
    graphs = tuple(random_graph(seed, edges=10 + 10 * (seed % 2)) for seed in range(120))
    return GraphDataset("dense or not", graphs, np.arange(120) % 2)


def edges(graphs):
    return np.array([[graph.num_edges] for graph in graphs], float)


def test_half_learns_two_thirds_of_the_rest_train_and_one_third_tests(dataset):
    task = whole_graphs(dataset)
    parts = [task.unlabelled, task.train.graphs, task.test.graphs]
    assert [len(part) for part in parts] == [60, 40, 20]
    assert len({id(graph) for part in parts for graph in part}) == 120


def test_labels_stay_with_their_graphs(dataset):
    task = whole_graphs(dataset, seed=3)
    class_of = {id(graph): label for graph, label in zip(dataset.graphs, dataset.labels, strict=True)}
    for side in (task.train, task.test):
        assert [class_of[id(graph)] for graph in side.graphs] == side.labels.tolist()


def test_another_seed_splits_elsewhere(dataset):
    one, same, other = (whole_graphs(dataset, seed=seed) for seed in (0, 0, 1))
    assert one.test.graphs == same.test.graphs
    assert one.test.graphs != other.test.graphs


def test_what_tells_the_class_scores_high(dataset):
    task = whole_graphs(dataset)
    assert task.score(edges).converged > 0.9
    assert "train: 40 graphs" in task.describe()


def test_the_better_pooling_is_chosen_inside_the_training_side(dataset):
    noise = np.random.default_rng(0)
    task = whole_graphs(dataset)
    asked = []

    def blind(graphs):
        asked.append(len(graphs))
        return noise.standard_normal((len(graphs), 2))

    found = task.best({"noise": blind, "edges": edges})
    assert found.pooling == "edges"
    assert found.score.paper == task.score(edges).paper
    assert asked == [40]  # the test side is never shown to a pooling that lost


def test_poolings_are_laid_side_by_side_where_that_is_better(dataset):
    blurred = np.random.default_rng(0).normal(2 * dataset.labels[:, None], 1, size=(120, 2))
    place = {id(graph.indices): at for at, graph in enumerate(dataset.graphs)}

    def of(column):
        return lambda graphs: np.array([blurred[place[id(graph.indices)], [column]] for graph in graphs])

    task = whole_graphs(dataset)
    found = task.best({"first": of(0), "second": of(1)})
    assert found.pooling == "first and second"
    assert found.score.converged > max(task.score(of(0)).converged, task.score(of(1)).converged)


def test_too_few_graphs_are_refused(dataset):
    with pytest.raises(DataError, match="few has 5 graphs; a split needs at least 6"):
        whole_graphs(GraphDataset("few", dataset.graphs[:5], dataset.labels[:5]))


def test_attributes_are_standardised_by_the_graphs_to_learn_from_alone(dataset):
    rng = np.random.default_rng(0)
    graphs = [
        Graph(
            *graph.rows,
            np.column_stack(
                [
                    rng.normal(50, 9, graph.num_nodes),
                    rng.random(graph.num_nodes) < 0.5,
                    np.full(graph.num_nodes, 3),
                ]
            ).astype(np.float32),
        )
        for graph in dataset.graphs
    ]
    task = whole_graphs(GraphDataset("attributes", tuple(graphs), dataset.labels))
    seen = np.concatenate([graph.x for graph in task.unlabelled])
    np.testing.assert_allclose([seen[:, 0].mean(), seen[:, 0].std()], [0, 1], atol=1e-4)
    assert set(np.unique(seen[:, 1])) == {0, 1}
    assert set(np.unique(seen[:, 2])) == {3}
    far = [Graph(*graph.rows, graph.x + np.float32(1000)) for graph in graphs]
    learned = {graph.indices.tobytes() for graph in task.unlabelled}
    mixed = tuple(
        near if near.indices.tobytes() in learned else other for near, other in zip(graphs, far, strict=True)
    )
    moved = whole_graphs(GraphDataset("moved", mixed, dataset.labels))
    for one, same in zip(task.unlabelled, moved.unlabelled, strict=True):
        np.testing.assert_array_equal(one.x, same.x)
    assert np.concatenate([graph.x for graph in moved.test.graphs])[:, 0].mean() > 50
