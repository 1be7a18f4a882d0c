from collections import Counter
from itertools import pairwise

import naive
import numpy as np
import pytest
from conftest import hub, islands, lollipop, random_graph

from mhmgnn import DataError, Graph
from mhmgnn.baselines.walks import biased_walks, uniform_walks


def chances(near, before, node, p, q):
    """The chance of each node after the edge (before, node), by the definition."""
    weight = {x: 1 / p if x == before else 1 if x in near[before] else 1 / q for x in near[node]}
    return {x: weight[x] / sum(weight.values()) for x in weight}


def fits(count, total, chance):
    """Whether a count is within five standard deviations of what the chance says."""
    return abs(count - total * chance) <= 5 * np.sqrt(total * chance * (1 - chance))


def both(graph, starts, length, *, seed, threads=None):
    yield uniform_walks(graph, starts, length, seed=seed, threads=threads)
    yield biased_walks(graph, starts, length, p=0.5, q=3, seed=seed, threads=threads)


def test_a_walk_goes_along_edges_from_its_start(small, seed):
    near = naive.adjacency(small)
    starts = np.random.default_rng(seed).integers(small.num_nodes, size=300)
    for walks in both(small, starts, 9, seed=seed):
        assert walks[:, 0].tolist() == starts.tolist()
        for walk in walks[small.degrees[starts] > 0].tolist():
            assert all(v in near[u] for u, v in pairwise(walk))


def test_a_walk_ends_where_it_starts_if_there_is_no_neighbour():
    for walks in both(islands(), np.array([17, 15]), 4, seed=0):
        assert walks.tolist() == [[17, -1, -1, -1], [15, 16, 15, 16]]
        assert walks.dtype == np.int32


@pytest.mark.parametrize(  # in the last, trials seldom succeed and rows are listed
    ("p", "q"), [(1, 1), (1, 0.5), (0.25, 4), (4, 0.25), (30, 1), (0.02, 1), (0.02, 5), (1e4, 1e-4)]
)
@pytest.mark.parametrize("make", [lollipop, hub, lambda: random_graph(3)], ids=["lollipop", "hub", "random"])
def test_a_biased_step_has_the_chances_of_the_definition(make, p, q, seed):
    graph = make()
    near = naive.adjacency(graph)
    starts = np.repeat(np.flatnonzero(graph.degrees), 10_000)
    walks = biased_walks(graph, starts, 12, p=p, q=q, seed=seed).astype(np.int64)
    n = graph.num_nodes
    code = (walks[:, :-2] * n + walks[:, 1:-1]) * n + walks[:, 2:]
    triples = np.bincount(code.ravel(), minlength=n**3).reshape(n, n, n)
    tried = 0
    for before in near:
        for node in near[before]:
            total = triples[before, node].sum()
            for x, chance in chances(near, before, node, p, q).items():
                if min(chance, 1 - chance) * total > 50:
                    assert fits(triples[before, node, x], total, chance)
                    tried += 1
    assert tried > 10


def test_every_step_of_a_uniform_walk_and_the_first_of_a_biased_one_is_uniform(small, seed):
    near = naive.adjacency(small)
    inside = np.flatnonzero(small.degrees)
    uniform, biased = both(small, np.repeat(inside, 3_000), 3, seed=seed)
    for pairs in (uniform[:, :2], uniform[:, 1:], biased[:, :2]):
        met = Counter(map(tuple, pairs.tolist()))
        for node in inside.tolist():
            total = sum(met[node, x] for x in near[node])
            assert all(fits(met[node, x], total, 1 / len(near[node])) for x in near[node])


def test_a_seed_fixes_each_walk_whatever_the_threads_the_length_and_the_other_walks():
    graph = random_graph(0, nodes=300, edges=900)
    starts = np.arange(300)
    whole = list(both(graph, starts, 20, seed=7, threads=1))
    for threads in (2, 5):
        for walks, again in zip(whole, both(graph, starts, 20, seed=7, threads=threads), strict=True):
            assert walks.tobytes() == again.tobytes()
    for walks, shorter in zip(whole, both(graph, starts[:31], 6, seed=7), strict=True):
        assert (walks[:31, :6] == shorter).all()
    for walks, other in zip(whole, both(graph, starts, 20, seed=8), strict=True):
        assert (walks != other).any(axis=1).mean() > 0.9


def test_walks_from_one_node_differ():
    for walks in both(random_graph(0, nodes=300, edges=900), np.zeros(200, np.int64), 20, seed=1):
        assert len(np.unique(walks, axis=0)) == 200


def test_nothing_asked_for_gives_nothing():
    for walks in both(lollipop(), np.empty(0, np.int64), 4, seed=0):
        assert walks.shape == (0, 4)
    for walks in both(lollipop(), np.array([3, 1]), 1, seed=0):
        assert walks.tolist() == [[3], [1]]


def test_a_step_back_over_a_hub_is_met_without_a_look_at_all_its_leaves(seed):
    leaves = np.arange(1, 3_001)
    star = Graph.from_edges(np.column_stack([np.zeros_like(leaves), leaves]))
    walks = biased_walks(star, leaves, 51, p=1e-6, q=1, seed=seed)
    before, after = walks[:, :-2:2], walks[:, 2::2]
    chance = 2_999 / (10**6 + 2_999)  # of going on to another leaf
    assert fits((before != after).sum(), before.size, chance)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"length": 0}, "length is 0; it must be a whole number of at least 1"),
        ({"p": 0}, "p is 0; it must be a number above 0"),
        ({"q": float("inf")}, "q is inf"),
        ({"seed": -1}, "seed is -1"),
        ({"starts": np.array([0, 9])}, r"there is no node 9; nodes are 0\.\.8"),
        ({"starts": np.array([-1])}, "there is no node -1"),
        ({"starts": np.array([0.5])}, r"nodes are float64 of shape \(1,\); they must be whole numbers"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    fine = {"starts": np.array([0]), "length": 3, "p": 1, "q": 1, "seed": 0}
    with pytest.raises(DataError, match=message):
        biased_walks(lollipop(), **fine | settings)
