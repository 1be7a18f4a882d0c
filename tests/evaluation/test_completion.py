import numpy as np
import pytest
from scipy.stats import rankdata

from mhmgnn import DataError
from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.evaluation.completion import Query, complete_all, hold_out, rank_of, split

NODES = 30


def hidden(seed: int = 0, many: int = 60, least: int = 2) -> Hyperedges:
    rng = np.random.default_rng(seed)
    groups = [np.sort(rng.choice(NODES, rng.integers(least, 6), replace=False)) for _ in range(many)]
    return Hyperedges(np.concatenate(groups), np.cumsum([0, *(group.size for group in groups)]))


def as_lists(groups: Hyperedges) -> list[list[int]]:
    return [groups[i].tolist() for i in range(len(groups))]


def test_a_fifth_is_held_out_and_nothing_is_lost():
    groups = hidden()
    kept, held = split(groups, seed=3)
    assert len(held) == 12
    assert sorted(as_lists(kept) + as_lists(held)) == sorted(as_lists(groups))
    assert as_lists(split(groups, seed=4)[1]) != as_lists(held)


def test_the_graph_is_made_of_the_groups_that_are_kept_alone():
    groups = hidden(1)
    kept, _ = split(groups, seed=0)
    counts = np.zeros((NODES, NODES))
    for group in as_lists(kept):
        counts[np.ix_(group, group)] += 1
    np.fill_diagonal(counts, 0)
    with_counts, pairs = (hold_out(groups, NODES, seed=0, counts=known).graph for known in (True, False))
    assert (with_counts.to_scipy(counts=True).toarray() == counts).all()
    assert (pairs.to_scipy().toarray() == (counts > 0)).all()
    assert pairs.weights is None


def test_a_query_is_a_group_held_out_and_counts_do_not_change_it():
    groups = hidden(2)
    held = as_lists(split(groups, seed=5)[1])
    found = [hold_out(groups, NODES, seed=5, counts=known).queries for known in (True, False)]
    for queries in found:
        assert [sorted([*query.given.tolist(), query.hidden]) for query in queries] == held
    assert [query.hidden for query in found[0]] == [query.hidden for query in found[1]]


def test_groups_of_one_node_are_not_asked_about():
    groups = hidden(3, least=1)
    assert (groups.sizes == 1).any()
    assert all(query.given.size for query in hold_out(groups, NODES, seed=0, counts=True).queries)


def test_a_single_group_cannot_be_held_out():
    with pytest.raises(DataError, match="1 group of two nodes or more; at least 2 are needed"):
        split(Hyperedges.from_padded(np.array([[0, 1], [2, -1]])), seed=0)


def test_ranks_are_the_middle_ranks_of_all_nodes_not_given(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(4, size=NODES).astype(float)
    given, target = np.array([2, 8, 9]), 5
    left = [v for v in range(NODES) if v not in given]
    middle = rankdata(-scores[left])[left.index(target)]
    assert rank_of(scores, Query(given, target)) == middle


def test_the_truth_is_complete_and_a_constant_is_chance():
    queries = hold_out(hidden(), NODES, seed=0, counts=False).queries
    answers = {tuple(query.given): query.hidden for query in queries}
    best = complete_all(lambda given: (np.arange(NODES) == answers[tuple(given)]).astype(float), queries)
    assert best == (1.0, 1.0)
    tied = complete_all(lambda given: np.zeros(NODES), queries)
    assert tied.mrr == pytest.approx(np.mean([2 / (NODES - query.given.size + 1) for query in queries]))
    assert tied.hits == 0.0
