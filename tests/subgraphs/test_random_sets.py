import numpy as np
import pytest

from mhmgnn import Graph, connected_sets
from mhmgnn.subgraphs.exact import edge_codes, is_connected
from mhmgnn.subgraphs.random_sets import random_connected_sets


@pytest.fixture(scope="module", name="graph")
def with_hubs():
    rng = np.random.default_rng(1)
    weight = 1 / np.arange(1, 61)
    pairs = [rng.choice(60, 2, replace=False, p=weight / weight.sum()) for _ in range(220)]
    return Graph.from_edges(np.array(pairs + [[i, i + 1] for i in range(59)]))


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_few_sets_are_all_listed_and_many_are_nearly_uniform(graph, k):
    every, rng = connected_sets(graph, k), np.random.default_rng(0)
    listed = random_connected_sets(graph, k, len(every), rng)
    assert {*map(tuple, listed.tolist())} == {*map(tuple, every.tolist())}
    drawn = random_connected_sets(graph, k, min(len(every) - 1, 4_000), rng)
    assert is_connected(graph, drawn).all()
    assert (np.diff(drawn, axis=1) > 0).all()
    for value in (lambda sets: np.log(graph.degrees)[sets].sum(axis=1), lambda sets: _pairs(graph, sets)):
        expected, found = value(every), value(drawn)
        error = expected.std() / len(drawn) ** 0.5
        assert abs(found.mean() - expected.mean()) < 4 * error + 1e-9


def test_sets_that_cannot_grow_are_left_out():
    path = Graph.from_edges([[2 * i, 2 * i + 1] for i in range(5_000)] + [[0, 10_000], [10_000, 10_001]])
    drawn = random_connected_sets(path, 3, 1, np.random.default_rng(0))
    assert {*map(tuple, drawn.tolist())} <= {(0, 1, 10_000), (0, 10_000, 10_001)}
    pairs_alone = Graph.from_edges([[2 * i, 2 * i + 1] for i in range(5)])
    assert random_connected_sets(pairs_alone, 3, 10, np.random.default_rng(0)).shape == (0, 3)


def _pairs(graph, sets):
    return np.bitwise_count(edge_codes(graph.rows, sets).astype(np.uint64)).astype(float)
