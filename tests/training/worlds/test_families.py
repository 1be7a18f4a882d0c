"""Families of worlds: which question learns from which, and how likely pairs repeat."""

from itertools import combinations

import numpy as np
import pytest

from mhmgnn import Graph
from mhmgnn.training.worlds.families import families, family_of, mean_overlap
from mhmgnn.training.worlds.sizes import SizeLaw

APART = [*combinations(range(5), 2), *combinations(range(5, 9), 2)]


def crowd() -> Graph:
    """Fifteen people that meet by fives."""
    rng = np.random.default_rng(0)
    met = {tuple(sorted(rng.choice(15, 5, replace=False).tolist())) for _ in range(40)}
    return Graph.from_edges([pair for group in met for pair in combinations(group, 2)], weights=False)


def law(mean_count: float) -> SizeLaw:
    return SizeLaw(0.3, 0.4, 0.3, np.ones(9), mean_count)


def test_pairs_repeat_as_in_a_cover_by_few_cliques():
    assert mean_overlap(Graph.from_edges(APART)) == 1.0
    assert mean_overlap(crowd()) > 1.3


@pytest.mark.parametrize("weights", [False, np.arange(1, 1 + len(APART))])
@pytest.mark.parametrize("mean_count", [1.0, 1.2, 3.0])
def test_every_question_learns_from_a_planted_world_once_on_average(weights, mean_count):
    both = families(Graph.from_edges(APART, weights=weights), [law(mean_count)])
    assert sum(one.share for one in both) == pytest.approx(1)
    assert sum(one.share * np.array(one.lesson) for one in both) == pytest.approx([1, 1])
    assert sum(one.share * one.belief for one in both) == pytest.approx(1)


def test_exact_learns_from_repeating_worlds_where_both_signs_of_repeats_are_there():
    def exact_from_repeating(graph: Graph, mean_count: float) -> float:
        once, alike, popular = families(graph, [law(mean_count)])
        assert alike.repeats
        assert popular.repeats
        assert not once.repeats
        return popular.share * popular.lesson[0]

    assert exact_from_repeating(crowd(), 2.0) > 0.8
    assert exact_from_repeating(crowd(), 1.02) < 0.05
    assert exact_from_repeating(Graph.from_edges(APART), 2.0) < 0.05


def test_contained_learns_hardly_anything_from_worlds_of_small_groups():
    by_pair, small = families(Graph.from_edges(APART, weights=np.ones(len(APART))), [law(1.2)])
    assert by_pair.by_pair
    assert not small.by_pair
    assert 0 < small.lesson[1] < 0.01 * by_pair.lesson[1]


@pytest.mark.parametrize("mean_count", [1.0, 1.3, 3.0])
def test_worlds_take_turns_by_the_shares_of_their_families(mean_count):
    every = families(crowd(), [law(mean_count)])
    for worlds in (20, 42, 400):
        had = [family_of(number, every) for number in range(worlds)]
        for family in every:
            assert had.count(family) == pytest.approx(worlds * family.share, abs=1.01)


def test_contained_learns_from_pairs_that_are_alike_and_exact_from_popular_ones():
    _, alike, popular = families(crowd(), [law(2.0)])
    assert alike.lesson[1] > 5 * alike.lesson[0] > 0
    assert popular.lesson[0] > 5 * popular.lesson[1] > 0
