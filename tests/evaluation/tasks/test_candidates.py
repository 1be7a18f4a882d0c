from collections import Counter
from collections.abc import Callable
from itertools import combinations

import naive
import numpy as np
import pytest
from conftest import hub, islands, lollipop, random_graph

from mhmgnn import DataError, Graph, connected_sets
from mhmgnn.evaluation.tasks import candidates
from mhmgnn.subgraphs.exact import edge_codes

KINDS = {"cliques": candidates.cliques, "stars": candidates.stars, "connected": candidates.connected}
Draw = Callable[..., candidates.Candidates]


def has_centre(near: dict[int, set[int]], kset: frozenset[int]) -> bool:
    return any(kset - {u} <= near[u] for u in kset)


def truth(kind: str, graph: Graph, k: int) -> set[frozenset[int]]:
    """The candidates by their definitions."""
    near = naive.adjacency(graph)
    sets = map(frozenset, combinations(range(graph.num_nodes), k))
    if kind == "cliques":
        return {c for c in sets if all(c - {u} <= near[u] for u in c)}
    return {c for c in sets if has_centre(near, c)} if kind == "stars" else naive.connected_sets(graph, k)


def as_sets(ksets: np.ndarray) -> Counter[frozenset[int]]:
    return Counter(map(frozenset, ksets.tolist()))


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def tailed(seed: int, nodes: int = 150) -> Graph:
    """Hubs, triangles and a long tail: k-sets of every shape, whose weights on tours differ."""
    source = np.repeat(np.arange(1, nodes), 3)
    target = (source * np.random.default_rng(seed).random(source.size) ** 2).astype(np.int64)
    tail = np.arange(nodes - 1, nodes + 40)
    pairs = np.column_stack([np.append(source, tail), np.append(target, tail + 1)])
    return Graph.from_edges(pairs)


@pytest.fixture
def small_supernode(monkeypatch):
    """Supernodes so small that a good part of a small graph lies beyond."""
    monkeypatch.setattr(candidates, "SUPERNODES", {100: 1_000, 300: None})


def share_of_dense(graph: Graph, ksets: np.ndarray) -> float:
    """The share of k-sets with at least one edge more than a tree."""
    edges = np.bitwise_count(edge_codes(graph.rows, np.ascontiguousarray(ksets)))
    return float((edges >= ksets.shape[1]).mean())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_all_candidates_come_where_there_are_no_more_than_asked_for(small, kind, k):
    found = KINDS[kind](small, k, 10**6, rng(0))
    assert as_sets(found.ksets) == Counter(truth(kind, small, k))
    assert found.ksets.shape == (found.total, k)
    assert (np.diff(found.ksets) > 0).all()
    assert (found.exact, found.stderr) == (True, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_where_there_is_no_candidate_none_comes(kind):
    found = KINDS[kind](islands(), 9, 10, rng(0))
    assert found.ksets.shape == (0, 9)
    assert (found.total, found.exact) == (0, True)
    alone = Graph(np.zeros(4, np.int64), np.empty(0, np.int32))
    assert KINDS[kind](alone, 2, 10, rng(0)).ksets.shape == (0, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_draw_is_of_distinct_candidates_and_tells_how_many_there_are(kind, seed):
    graph = random_graph(seed, nodes=14, edges=50)
    every = truth(kind, graph, 4)
    for most in (1, len(every) // 3, len(every) - 1):
        found = KINDS[kind](graph, 4, most, rng(seed))
        assert found.total == len(every)
        assert len(as_sets(found.ksets)) == len(found.ksets) == most
        assert set(as_sets(found.ksets)) <= every


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_every_candidate_is_drawn_equally_often(kind, k, seed):
    graph, times, most = random_graph(7, nodes=9, edges=40), 600, 2
    every, source = truth(kind, graph, k), rng(seed)
    met = Counter(
        kset for _ in range(times) for kset in as_sets(KINDS[kind](graph, k, most, source, threads=1).ksets)
    )
    share = min(most / len(every), 1)
    assert all(abs(met[c] - times * share) <= 5 * np.sqrt(times * share * (1 - share)) for c in every)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_stars_too_many_to_walk_are_counted_exactly(small, k):
    assert candidates._count_stars(small, k, 1) == len(truth("stars", small, k))


@pytest.mark.parametrize("graph", [lollipop(), hub(), random_graph(7, nodes=9, edges=40)])
def test_every_star_that_is_drawn_without_a_walk_comes_equally_often(graph, seed):
    every = truth("stars", graph, 4)
    most, times = len(every) // 9, 100
    source, met = rng(seed), Counter()
    for _ in range(times):
        found = candidates.stars(graph, 4, most, source, limit=0, threads=1)
        assert (found.total, found.exact) == (len(every), True)
        assert len(as_sets(found.ksets)) == most
        met += as_sets(found.ksets)
    share = most / len(every)
    assert set(met) <= every
    assert all(abs(met[c] - times * share) < 5 * np.sqrt(times * share * (1 - share)) for c in every)


def test_the_number_of_stars_is_estimated_where_cliques_are_too_many(monkeypatch, seed):
    graph = random_graph(seed, nodes=40, edges=300)
    counted = candidates.stars(graph, 4, 100, rng(seed))
    monkeypatch.setattr(candidates, "CENTRES", 10)
    found = candidates.stars(graph, 4, 100, rng(seed), limit=0)
    assert counted.exact
    assert not found.exact
    assert 0 < found.stderr < 0.05 * found.total
    assert abs(found.total - counted.total) / found.stderr < 4


@pytest.mark.usefixtures("small_supernode")
@pytest.mark.parametrize(
    ("k", "most"), [(3, 300), (4, 3_000), pytest.param(5, 1_000, marks=pytest.mark.slow)]
)
def test_tours_draw_dense_sets_with_their_share(k, most, seed):
    graph = tailed(1)
    every = connected_sets(graph, k)
    found = candidates.connected(graph, k, most, rng(seed), limit=0)
    assert not found.exact
    assert len(as_sets(found.ksets)) == most
    share = share_of_dense(graph, every)
    z = (share_of_dense(graph, found.ksets) - share) / np.sqrt(share * (1 - share) / most)
    assert abs(z) < 4
    assert abs(found.total - len(every)) / found.stderr < 4


@pytest.mark.usefixtures("small_supernode")
def test_tours_draw_the_sets_of_a_region_with_their_share(seed):
    """The supernode is grown from node 0, the hub; the youngest nodes lie farthest from it."""
    graph, every = tailed(2), connected_sets(tailed(2), 3)
    draws = [candidates.connected(graph, 3, 200, source, limit=0).ksets for source in rng(seed).spawn(20)]
    for of_kind in (lambda ksets: (ksets == 0).any(axis=1), lambda ksets: ksets.max(axis=1) >= 120):
        apart = np.array([of_kind(ksets).mean() for ksets in draws]) - of_kind(every).mean()
        assert abs(apart.mean()) < 4 * apart.std(ddof=1) / np.sqrt(apart.size)


def test_a_supernode_that_swallows_the_graph_gives_an_exact_draw():
    graph = random_graph(5, nodes=14, edges=30)
    every = truth("connected", graph, 4)
    found = candidates.connected(graph, 4, 10, rng(0), limit=0)
    assert (found.exact, found.stderr) == (True, 0)
    assert found.total == pytest.approx(len(every))
    assert set(as_sets(found.ksets)) <= every


@pytest.mark.usefixtures("small_supernode")
@pytest.mark.parametrize("draw", [*KINDS.values(), "tours"], ids=[*KINDS, "tours"])
def test_a_seed_fixes_the_draw_whatever_the_threads(draw):
    graph = tailed(3)
    most = 20

    def drawn(seed: int, threads: int) -> np.ndarray:
        if draw == "tours":
            return candidates.connected(graph, 4, most, rng(seed), limit=0, threads=threads).ksets
        return draw(graph, 3, most, rng(seed), threads=threads).ksets

    np.testing.assert_array_equal(drawn(1, 1), drawn(1, 3))
    assert as_sets(drawn(1, 1)) != as_sets(drawn(2, 1))


@pytest.mark.parametrize("draw", KINDS.values(), ids=KINDS)
def test_what_cannot_be_asked_for_is_refused(draw):
    with pytest.raises(DataError, match="whole number from 2 to 16"):
        draw(lollipop(), 1, 10, rng(0))
    with pytest.raises(DataError, match="most is -1; it must be a whole number of at least 0"):
        draw(lollipop(), 3, -1, rng(0))
