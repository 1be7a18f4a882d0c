"""Who belongs with some nodes in a new group: walks against their definition."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import DataError, Graph, fit
from mhmgnn.config import RunConfig
from mhmgnn.models import completion
from mhmgnn.models.completion import (
    FARTHEST,
    FLOORS,
    NEAREST,
    Completer,
    Tuning,
    clustering,
    repeated,
    restart_of,
    usual_tuning,
)

RESTART = 0.4


def steps(graph: Graph, more: float = 0.0) -> np.ndarray:
    """The weight of a step from each node to each, (n, n): counts over the strength plus `more`."""
    counts = graph.to_scipy(counts=True).toarray().astype(float)
    strengths = counts.sum(axis=1, keepdims=True)
    return counts / np.maximum(strengths + more, 1e-300)


def ends(graph: Graph, start: int, restart: float) -> np.ndarray:
    """The chance that a walk from `start` ends at each node, (n,), by solving for it."""
    return restart * np.linalg.inv(np.eye(graph.num_nodes) - (1 - restart) * steps(graph))[start]


def unexplained(graph: Graph, start: int) -> np.ndarray:
    """What third nodes do not explain of the counts of `start` and each node, (n,)."""
    step = steps(graph, max(graph.strengths.mean(), 1.0))
    return (step - step @ step)[start]


def counted(seed: int) -> Graph:
    graph = random_graph(seed, nodes=12)
    pairs = [
        (u, int(v)) for u in range(12) for v in graph.indices[graph.indptr[u] : graph.indptr[u + 1]] if u < v
    ]
    return Graph.from_edges(pairs, weights=np.arange(1, len(pairs) + 1), num_nodes=12)


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("direct", [0.0, 0.4, 1.0])
def test_scores_are_mean_logs_of_walks_and_logs_of_direct_counts(number, direct):
    graph = counted(number)
    given = np.array([0, 3, 5])
    found = Completer(graph, Tuning(RESTART, direct)).scores(given)
    chances = np.array([ends(graph, int(node), RESTART) for node in given])
    walked = np.log(chances + FLOORS[0]).mean(axis=0)
    counts = np.sum([unexplained(graph, int(node)) for node in given], axis=0)
    expected = (1 - direct) * walked + direct * np.log(np.maximum(counts, 0.0) + FLOORS[1])
    reached = np.setdiff1d(np.flatnonzero((chances > 0).any(axis=0)), given)
    np.testing.assert_allclose(found[reached], expected[reached], atol=0.02)
    assert (found[given] == -np.inf).all()


def test_from_pairs_alone_ties_are_mean_logs_of_overlaps():
    hub = [(0, leaf) for leaf in range(1, 30)]
    graph = Graph.from_edges([*hub, (1, 2), (2, 3), (1, 3), (3, 4)])
    given = np.array([1, 3])
    nodes, walked, tied = Completer(graph, Tuning(RESTART, 0.4)).parts(given)
    near = graph.to_scipy().toarray() > 0
    expected = np.zeros(graph.num_nodes)
    for u in given:
        both, either = near[u] & near, near[u] | near
        either[:, u] = either[np.arange(len(near)), np.arange(len(near))] = False
        overlap = near[u] * (both.sum(axis=1) + 0.5) / (either.sum(axis=1) + 1)
        expected += np.log(overlap + FLOORS[1]) / given.size
    np.testing.assert_allclose(tied, expected[nodes], rtol=1e-6)
    found = Completer(graph, Tuning(RESTART, 0.4)).scores(given)
    others = ~np.isin(nodes, given)
    np.testing.assert_allclose(found[nodes[others]], (0.6 * walked + 0.4 * tied)[others], rtol=1e-12)


def test_third_nodes_are_read_until_enough_was_and_hubs_last(monkeypatch):
    """Node 1 explains what 0 and 2 were seen together, and so does the hub 3, which is not read any more."""
    pairs = [[0, 1], [1, 2], [0, 2], [0, 3], [2, 3], *([3, leaf] for leaf in range(4, 40))]
    graph = Graph.from_edges(pairs, weights=np.full(len(pairs), 2))
    monkeypatch.setattr(completion, "READ", 8)
    step = steps(graph, graph.strengths.mean())
    counts = Completer(graph, Tuning(RESTART, 0.5)).parts(np.array([0]))
    found = dict(zip(counts[0].tolist(), np.exp(counts[2]) - FLOORS[1], strict=True))
    expected = step[0, 2] - step[0, 1] * step[1, 2]
    np.testing.assert_allclose(found[2], expected, rtol=1e-6)


def test_without_counts_walks_alone_are_weighed():
    graph = replace(counted(1), weights=None)
    assert usual_tuning(graph).direct == 0.0
    assert 0.0 < usual_tuning(counted(1)).direct < 0.5


def test_where_all_steps_weigh_the_same_walks_are_as_defined():
    leaves, joined = [(0, leaf) for leaf in range(1, 40)], [(1, 2), (3, 4)]
    completer = Completer(Graph.from_edges(leaves + joined), Tuning(RESTART, 0.0))
    assert not completer._weights.size, "degrees are too unequal for overlap to say more"
    chances = ends(completer.graph, 1, RESTART)
    others = np.delete(np.arange(40), 1)
    expected = np.log(chances + FLOORS[0])[others]
    np.testing.assert_allclose(completer.scores(np.array([1]))[others], expected, atol=0.02)


def test_counts_that_are_all_one_say_no_more_than_pairs():
    pairs = random_graph(2, nodes=12)
    ones = replace(pairs, weights=np.ones(pairs.indices.size, np.float32))
    assert repeated(ones) == 0.0
    given = np.array([1, 4])
    chances = np.array([ends(ones, int(node), RESTART) for node in given])
    found, others = Completer(ones, Tuning(RESTART, 0.0)).scores(given), np.setdiff1d(np.arange(12), given)
    np.testing.assert_allclose(found[others], np.log(chances + FLOORS[0]).mean(axis=0)[others], atol=0.02)


def test_what_a_third_node_explains_counts_less():
    """Of two nodes seen equally often with the first, one was so with a friend of it each time."""
    pairs = {(0, 1): 4, (0, 2): 4, (1, 2): 4, (0, 3): 4, (3, 4): 4}
    graph = Graph.from_edges([*pairs], weights=[*pairs.values()])
    direct = unexplained(graph, 0)
    assert direct[3] > direct[2]
    scores = Completer(graph, Tuning(0.8, 0.5)).scores(np.array([0]))
    alone = Completer(graph, Tuning(0.8, 0.0)).scores(np.array([0]))
    assert scores[3] - scores[2] > alone[3] - alone[2]


def test_nodes_that_no_walk_reaches_come_last_those_of_no_pair_first():
    graph = Graph.from_edges([(0, 1), (1, 2), (3, 4), (4, 5), (3, 5), (3, 6)], num_nodes=9)
    nodes, scores = Completer(graph, Tuning(RESTART, 0.0)).best(np.array([0]), 8, np.empty(0, np.int64))
    assert nodes.tolist() == [1, 2, 7, 8, 3, 4, 5, 6]
    assert (np.diff(scores) <= 0).all()


def test_a_hub_is_read_within_bounds(monkeypatch):
    hub = 50_000
    spokes = [(hub, i) for i in range(hub)]
    graph = Graph.from_edges(spokes + [(i, i + 1) for i in range(0, hub - 1, 2)])
    monkeypatch.setattr(completion, "READ", 1_000)
    monkeypatch.setattr(completion, "LEAST_READ", 1_000)
    nodes, _ = Completer(graph, Tuning(0.5, 0.0)).best(np.array([0]), 3, np.empty(0, np.int64))
    assert set(nodes[:2].tolist()) == {1, hub}


def test_the_walk_is_long_where_triangles_are_due_to_chance_and_short_where_they_are_not():
    rng = np.random.default_rng(0)
    chance = Graph.from_edges(rng.integers(0, 200, (2_000, 2)), weights=False)
    cliques = Graph.from_edges(
        [(8 * c + i, 8 * c + j) for c in range(50) for i in range(8) for j in range(i)]
    )
    assert restart_of(chance) == FARTHEST
    assert restart_of(cliques) == NEAREST
    assert clustering(cliques) == 1.0
    assert clustering(Graph.from_edges([(0, 1), (1, 2)])) == 0.0


def test_threads_do_not_disturb_one_another():
    graph = random_graph(4, nodes=60)
    completer = Completer(graph, Tuning(RESTART, 0.0))
    asked = [np.array([i, (i + 7) % 60]) for i in range(60)] * 5
    alone = [completer.scores(given) for given in asked]
    with ThreadPoolExecutor(8) as pool:
        for one, other in zip(alone, pool.map(completer.scores, asked), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.fixture(scope="module", name="model")
def trained():
    tiny = ["model.dim=8", "subgraphs.size=8", "train.steps=2", "train.batch=3", "groups.worlds=0"]
    return fit(random_graph(3), config=RunConfig().with_settings(tiny))


@pytest.mark.parametrize("many", [1, 2, 4])
def test_any_number_of_nodes_is_completed(model, many):
    given = list(range(many))
    found = model.complete(given, top=4, exclude=[9])
    assert len(found) == 4
    assert not {candidate.node for candidate in found} & {*given, 9}
    assert [candidate.score for candidate in found] == sorted((c.score for c in found), reverse=True)
    assert np.isnan(found[0].energy) == (many != 2)  # a model without groups has energies of k nodes alone


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], "is no list of nodes"),
        ("tea", "is no list of nodes"),
        ([1, 1], "node 1 is given twice|node '1' is given twice"),
        ([10_000], "10,?000"),
    ],
)
def test_nodes_that_cannot_be_completed_are_refused_in_one_line(model, nodes, message):
    with pytest.raises(DataError, match=message) as refused:
        model.complete(nodes)
    assert "\n" not in str(refused.value)
