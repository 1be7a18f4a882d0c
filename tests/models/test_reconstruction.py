"""The groups that pairs were made of: covers, their probabilities, and what is given."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import DataError, Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models import _cover, cover
from mhmgnn.models.cover import Cover, _idle_cost, choose_cover, choose_covers, meet_by_chance
from mhmgnn.models.reconstruction import (
    Chance,
    best_cut,
    estimate_chance,
    pairs_by_chance,
    reconstruct,
    weigh,
)
from mhmgnn.subgraphs.clique_cover import greedy_cliques
from mhmgnn.subgraphs.maximal import maximal_cliques
from mhmgnn.subgraphs.rewire import rewire


class Even:
    """Reads the same energy, of an improbable group, for every set, or those given for some."""

    def __init__(self, graph: Graph, special: dict[tuple[int, ...], float] | None = None) -> None:
        self.graph, self.special = graph, special or {}

    def energies(self, sets: Sets, tell: object = None) -> np.ndarray:
        energy = [self.special.get(one, 4.0) for one in listed(sets)]
        return np.column_stack([energy, energy]).astype(np.float32).reshape(-1, 2)


def listed(sets: Sets) -> list[tuple[int, ...]]:
    return [tuple(part.tolist()) for part in np.split(sets.members, sets.offsets[1:-1])] if sets.num else []


def projected(groups: list[tuple[int, ...]], nodes: int) -> Graph:
    pairs = sorted({pair for group in groups for pair in combinations(sorted(group), 2)})
    return Graph.from_edges(pairs, num_nodes=nodes)


def papers(seed: int = 0) -> tuple[Graph, set[tuple[int, ...]]]:
    """Eighty groups of two to six of 200 nodes: they hardly overlap."""
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(200, rng.integers(2, 7), replace=False) for _ in range(80)]
    groups = {tuple(sorted(group.tolist())) for group in drawn}
    return projected([*groups], 200), groups


def cover_of(graph: Graph, special: dict[tuple[int, ...], float] | None = None) -> Cover:
    return choose_cover(graph, maximal_cliques(graph), Even(graph, special))


def test_a_cover_holds_every_pair_and_none_of_its_sets_is_idle(seed):
    graph = random_graph(seed, nodes=30, edges=200)
    cover = cover_of(graph)
    inside = [set(combinations(one, 2)) for one in listed(cover.sets)]
    assert set().union(*inside) == set(listed(Sets.of_edges(*graph.rows)))
    times = [sum(pair in one for one in inside) for pair in listed(Sets.of_edges(*graph.rows))]
    np.testing.assert_array_equal(cover.times, times)
    alone = [sum(sum(pair in other for other in inside) == 1 for pair in one) for one in inside]
    np.testing.assert_array_equal(cover.alone, alone)
    assert min(alone) > 0


def test_the_next_set_is_that_of_least_cost_for_each_pair_it_adds():
    graph = projected([(0, 1, 2, 3), (2, 3, 4)], 5)
    sets = Sets.join([Sets.of_edges(*graph.rows), Sets(np.array([0, 1, 2, 3, 2, 3, 4]), np.array([0, 4, 7]))])
    first, pairs = _cover.pairs_of_sets(*graph.rows, _cover.number_pairs(*graph.rows), *sets)
    dear, cheap = np.full(10, 1.0), np.full(10, 1.0)
    cheap[:8] = 0.1
    assert [listed(sets)[i] for i in _cover.choose(first, pairs, sets.offsets, dear, 0.0, 8)[0]] == listed(
        sets
    )[8:]
    assert {len(listed(sets)[i]) for i in _cover.choose(first, pairs, sets.offsets, cheap, 0.0, 8)[0]} == {2}


def test_a_node_that_a_set_does_not_need_costs_more():
    graph = projected([(0, 1, 3), (1, 2, 4), (0, 2)], 5)  # 0, 1, 2 is a clique of which one pair is left over
    sets = Sets(np.array([0, 1, 3, 1, 2, 4, 0, 1, 2, 0, 2]), np.array([0, 3, 6, 9, 11]))
    first, pairs = _cover.pairs_of_sets(*graph.rows, _cover.number_pairs(*graph.rows), *sets)
    cost = np.array([1.0, 1.0, 1.0, 1.2])
    for idle_cost, left in ((0.0, (0, 1, 2)), (0.5, (0, 2))):
        chosen, _ = _cover.choose(first, pairs, sets.offsets, cost, idle_cost, graph.num_edges)
        assert {listed(sets)[i] for i in chosen} == {(0, 1, 3), (1, 2, 4), left}


def test_what_is_left_of_a_clique_beside_others_is_a_candidate():
    groups = [(0, 1, 2, 3, 4, 5), (0, 3, 4, 5, 8, 9), (4, 8, 10)]
    graph = projected(groups, 11)
    likely = {(0, 1, 2, 3, 4, 5): -5.0, (0, 3, 4, 5, 8, 9): -4.0, (4, 8, 10): -3.0}
    assert set(listed(cover_of(graph, likely).sets)) == set(groups)
    sets = Sets(np.array([0, 1, 2, 3, 1, 2, 3, 4, 3, 4, 5]), np.array([0, 4, 8, 11]))
    graph = projected(listed(sets), 6)
    first, pairs = _cover.pairs_of_sets(*graph.rows, _cover.number_pairs(*graph.rows), *sets)
    order = np.array([0, 2, 1])
    assert listed(Sets(*_cover.trim(*sets, first, pairs, order, graph.num_edges))) == [(1, 2, 4)]


def test_groups_that_hardly_overlap_are_found(seed):
    graph, groups = papers(seed)
    found = reconstruct(Even(graph))
    assert found.complete
    both = groups & set(listed(found.sets))
    assert 2 * len(both) / (len(groups) + found.sets.num) > 0.9
    assert (np.diff(found.probabilities) <= 0).all()


@pytest.mark.parametrize("density", [0.2, 0.6])
def test_pairs_that_chance_made_are_groups_of_two(seed, density):
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges([(u, v) for u in range(80) for v in range(u) if rng.random() < density])
    found = reconstruct(Even(graph))
    assert set(listed(found.sets)) == set(listed(Sets.of_edges(*graph.rows)))


def test_chance_is_there_only_where_cliques_overlap_and_are_many():
    graph, _ = papers()
    apart = estimate_chance(graph, maximal_cliques(graph), cover_of(graph))
    assert apart.met < 0.05
    assert meet_by_chance(np.ones(3)) == pytest.approx(0, abs=1e-6)
    mean = 1.5 / (1 - np.exp(-1.5))
    assert meet_by_chance(np.array([mean])) == pytest.approx(1 - np.exp(-1.5))


def test_a_node_that_a_clique_does_not_need_costs_little_where_either_reason_is_weak():
    assert _idle_cost(met=0.1, share=0.1) == pytest.approx(-np.log(0.1) / 2)
    assert _idle_cost(met=0.1, share=1.0) == 0.0  # nearly every maximal clique is a group
    assert _idle_cost(met=1.0, share=0.1) == 0.0  # groups hold every pair anyway


def test_where_maximal_cliques_are_too_many_those_of_a_greedy_cover_are_candidates_too(seed, monkeypatch):
    graph = random_graph(seed, nodes=30, edges=250)
    monkeypatch.setattr(cover, "SLOTS", (100, 0))
    found = choose_cover(graph, maximal_cliques(graph))
    assert not found.complete
    larger, _ = cover._candidates(graph, maximal_cliques(graph))
    grown = [one for one in listed(greedy_cliques(graph)) if len(one) > 2]
    assert set(grown) <= set(listed(larger))
    assert len(set(listed(larger))) == larger.num


def test_the_share_of_pairs_by_chance_is_bounded_by_those_with_few_common_neighbours(seed):
    """Twenty cliques of eight, and as many random pairs as a quarter of all: the bound is near a quarter."""
    rng = np.random.default_rng(seed)
    cliques = [(8 * c + i, 8 * c + j) for c in range(20) for i in range(8) for j in range(i)]
    chance = rng.integers(0, 160, (len(cliques) // 3, 2))
    graph = Graph.from_edges(np.concatenate([cliques, chance[chance[:, 0] != chance[:, 1]]]), weights=False)
    assert 0.2 < pairs_by_chance(graph, rewire(graph, rng)) < 0.4
    alone = Graph.from_edges(cliques)
    assert pairs_by_chance(alone, rewire(alone, rng)) < 0.05
    random = Graph.from_edges(rng.integers(0, 160, (2_000, 2)), weights=False)
    assert pairs_by_chance(random, rewire(random, rng)) > 0.7


def test_pairs_in_large_groups_that_overlap_by_chance_are_no_groups():
    assert Chance(alike=0.4, met=1.0, pairs=0.2).repeats == 0.4
    assert Chance(alike=0.4, met=1.0, pairs=0.1).repeats == 0.1


def test_a_set_is_the_more_probable_the_more_pairs_only_it_holds():
    graph = projected([(0, 1, 2, 3)], 4)
    sets = Sets.of_rows(np.array([[0, 1, 2, 3]] * 5))
    cover = Cover(sets, np.array([1, 2, 3, 4, 6]), np.ones(6, int), 0.5, True)
    chance = Chance(alike=0.25, met=0.5)
    p = weigh(Even(graph), [cover], chance).probabilities
    assert chance.repeats == 1 / 16
    odds = np.array([1 / 3, 1, 3])
    np.testing.assert_allclose(p[:3], 15 / 16 * odds / (1 + odds))
    np.testing.assert_allclose(p[3:5], 15 / 16)
    np.testing.assert_allclose(p[5:11], 1 / 16)  # the pairs


@pytest.mark.parametrize(("alike", "met", "repeats"), [(1.0, 0.1, 1.0), (0.3, 1.0, 0.3), (0.3, 0.01, 0.0)])
def test_pairs_repeat_by_chance_where_it_explains_the_cliques(alike, met, repeats):
    assert Chance(alike, met).repeats == pytest.approx(repeats, abs=1e-9)


def test_with_counts_groups_inside_others_are_found():
    groups = [(0, 1, 2, 3, 4), (1, 2, 3), (4, 5, 6), (5, 6)]
    graph = replace(projected(groups, 7), weights=None)
    assert (1, 2, 3) not in listed(reconstruct(Even(graph)).sets)
    edges = listed(Sets.of_edges(*graph.rows))
    counts = [sum({*pair} <= {*group} for group in groups) for pair in edges]
    counted = Graph.from_edges(edges, weights=counts)
    assert set(listed(reconstruct(Even(counted)).sets)) == set(groups)


def test_further_covers_explain_the_counts_that_are_left(seed):
    rng = np.random.default_rng(seed)
    edges = listed(Sets.of_edges(*random_graph(seed, nodes=25, edges=120).rows))
    counts = rng.integers(1, 5, len(edges))
    graph = Graph.from_edges(edges, weights=counts)
    held = [
        sum({*pair} <= {*one} for c in choose_covers(graph, maximal_cliques(graph)) for one in listed(c.sets))
        for pair in edges
    ]
    assert (np.array(held) >= counts).all()
    assert len(choose_covers(replace(graph, weights=None), maximal_cliques(graph))) == 1


def test_a_set_of_a_further_cover_was_seen_again():
    graph = projected([(0, 1, 2, 3)], 4)
    whole = Cover(Sets.of_rows(np.array([[0, 1, 2, 3]])), np.array([6]), np.ones(6, int), 0.5, True)
    inside = Cover(
        Sets(np.array([0, 1, 2, 0, 1, 2, 3]), np.array([0, 3, 7])),
        np.array([3, 6]),
        np.ones(6, int),
        0.5,
        True,
    )
    found = weigh(Even(graph), [whole, inside], Chance(alike=0.25, met=0.5))
    chances = dict(zip(listed(found.sets), found.probabilities.tolist(), strict=True))
    assert len(chances) == found.sets.num
    assert chances[0, 1, 2, 3] == 15 / 16
    assert chances[0, 1, 2] == 0.75


def test_the_cut_makes_expected_f1_largest(seed):
    p = np.sort(np.random.default_rng(seed).random(8) ** 2)[::-1]
    expected = [2 * p[:m].sum() / (m + p.sum()) for m in range(1, 9)]
    assert best_cut(p) == 1 + int(np.argmax(expected))
    assert best_cut(np.empty(0)) == 0


def test_sizes_and_a_probability_say_what_is_given():
    graph, _ = papers()
    of_three = reconstruct(Even(graph), sizes=(3, 4))
    assert set(of_three.sets.sizes.tolist()) == {3, 4}
    every = reconstruct(Even(graph), probability=0.0)
    assert set(listed(Sets.of_edges(*graph.rows))) <= set(listed(every.sets))
    sure = reconstruct(Even(graph), probability=0.9)
    assert (sure.probabilities >= 0.9).all()
    assert sure.sets.num < every.sets.num


def test_each_set_is_given_once_with_its_members_sorted(seed):
    found = reconstruct(Even(random_graph(seed, nodes=30, edges=200)), probability=0.0)
    sets = listed(found.sets)
    assert len(sets) == len(set(sets))
    assert all(list(one) == sorted(set(one)) for one in sets)


def test_groups_do_not_depend_on_threads(monkeypatch):
    graph, _ = papers()
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("MHMGNN_THREADS", threads)
        found.append(reconstruct(Even(graph)))
    np.testing.assert_array_equal(found[0].sets.members, found[1].sets.members)
    np.testing.assert_array_equal(found[0].probabilities, found[1].probabilities)


def test_a_clique_of_200_nodes_is_a_group():
    clique = tuple(range(200))
    found = reconstruct(Even(projected([clique, (199, 200)], 201)))
    assert set(listed(found.sets)) == {clique, (199, 200)}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"sizes": (1, 3)}, "the least size is 1"),
        ({"sizes": (4, 3)}, "the largest size is 3"),
        ({"probability": 1.5}, "probability is 1.5; it must be from 0 to 1"),
    ],
)
def test_what_cannot_be_asked_for_is_one_error(settings, said):
    with pytest.raises(DataError, match=said):
        reconstruct(Even(papers()[0]), **settings)
