import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import DataError, Graph
from mhmgnn.baselines.completion import RIVALS
from mhmgnn.baselines.completion.ease import ease

NODES = 14


def counted(seed: int) -> Graph:
    """A graph with counts, and a node without pairs."""
    rng = np.random.default_rng(seed)
    edges, weights = rng.integers(NODES - 1, size=(40, 2)), rng.integers(1, 9, size=40)
    return Graph.from_edges(edges, num_nodes=NODES, weights=weights)


def naive(name: str, graph: Graph, given: list[int]) -> list[float]:
    """The definition of each score, node by node, with dense matrices."""
    w = graph.to_scipy(counts=True).toarray().astype(float)
    s = w.sum(axis=1)
    near = [set(np.flatnonzero(row).tolist()) for row in w]
    if name == "EASE":
        p = np.linalg.inv(w + np.diag(s) + s.mean() * np.eye(len(w)))
        return [sum(-p[g, v] / p[v, v] if g != v else 0.0 for g in given) for v in range(len(w))]
    if name == "PageRank":
        start = np.isin(np.arange(len(w)), given) / len(given)
        step = np.column_stack([w[:, v] / s[v] if s[v] else start for v in range(len(w))])
        return np.linalg.solve(np.eye(len(w)) - 0.85 * step, 0.15 * start).tolist()
    each = {
        "sum of counts": lambda g, v: w[g, v],
        "cosine": lambda g, v: w[g, v] / np.sqrt(s[g] * s[v]) if w[g, v] else 0.0,
        "geometric mean": lambda g, v: np.log(w[g, v] + 0.1),
        "Jaccard": lambda g, v: len(near[g] & near[v]) / max(len(near[g] | near[v]), 1),
    }[name]
    return [sum(each(g, v) for g in given) for v in range(len(w))]


@pytest.mark.parametrize("name", RIVALS)
@pytest.mark.parametrize("given", [[3], [0, 5, 7], [2, NODES - 1]], ids=str)
@pytest.mark.parametrize("weights", [True, False], ids=["counts", "pairs"])
def test_scores_are_their_definitions(name, given, weights, seed):
    graph = counted(seed)
    graph = graph if weights else Graph(*graph.rows)
    found = RIVALS[name](graph)(np.array(given))
    expected = naive(name, graph, given)
    others = [v for v in range(NODES) if v not in given]
    np.testing.assert_allclose(found[others], np.array(expected)[others], rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("name", RIVALS)
def test_scores_do_not_depend_on_the_order_of_the_given_nodes(name, seed):
    score = RIVALS[name](counted(seed))
    np.testing.assert_allclose(score(np.array([1, 4, 6])), score(np.array([6, 1, 4])), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in RIVALS if name != "Jaccard"])  # it reads no counts
def test_every_rival_completes_a_group_that_was_often_seen(name):
    often = [(0, 1), (0, 2), (1, 2)] * 20
    graph = Graph.from_edges([*often, (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 6), (3, 5)])
    score = RIVALS[name](graph)(np.array([0, 1]))
    assert np.argmax(score[2:]) == 0


def test_ease_refuses_a_matrix_that_is_too_large():
    with pytest.raises(DataError, match=r"too large for 5,001 nodes; it takes 5,000 at most"):
        ease(Graph(*random_graph(0, nodes=5_001).rows))
