import numpy as np
import pytest

from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.evaluation.recovery import compare_groups
from mhmgnn.graph.sets import Sets


def end_to_end(groups):
    return np.array([v for group in groups for v in group], np.int64), np.cumsum([0, *map(len, groups)])


TRUE = [[0, 1, 2], [3, 4], [0, 1, 2], [5, 6, 7, 8], [9]]


@pytest.mark.parametrize("least", [2, 3])
def test_only_equal_groups_count_and_each_once(least):
    found = [[3, 4], [0, 1], [5, 6, 7, 8], [3, 4], [1, 2, 3]]
    ours = {frozenset(group) for group in found if len(group) >= least}
    theirs = {frozenset(group) for group in TRUE if len(group) >= least}
    precision, recall = (len(ours & theirs) / len(side) for side in (ours, theirs))
    score = compare_groups(Sets(*end_to_end(found)), Hyperedges(*end_to_end(TRUE)), least=least)
    assert score.f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert score.jaccard == pytest.approx(len(ours & theirs) / len(ours | theirs))


def test_the_truth_is_recovered_whole_and_nothing_not_at_all():
    truth = Hyperedges(*end_to_end(TRUE))
    assert compare_groups(Sets(*end_to_end(TRUE)), truth) == (1.0, 1.0)
    assert compare_groups(Sets(*end_to_end([])), truth) == (0.0, 0.0)


def test_where_no_group_is_so_large_there_is_no_score():
    pairs = [[0, 1], [1, 2]]
    assert compare_groups(Sets(*end_to_end(pairs)), Hyperedges(*end_to_end(pairs)), least=3) is None
