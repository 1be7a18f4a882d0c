"""How many nodes are adjacent to exactly j hubs: marked from set to set, or searched."""

import naive
import numpy as np
import pytest
from conftest import hub, random_graph

from mhmgnn.context import _hubs
from mhmgnn.context._meet import Scratch

NO_COUNTS = np.empty(0, np.float32)


def one_after_another(graph, lists):
    """The tally of each list of hubs, and what is marked after it."""
    scratch, marked = Scratch.empty(graph.num_nodes), np.empty(0, np.int64)
    marks = np.zeros(_hubs.MOST_MARKED + 1, np.int64)
    for hubs in lists:
        rows = np.array(sorted(hubs, key=lambda u: graph.degrees[u]))
        tally = np.zeros(len(hubs) + 1, np.int64)
        marked = _hubs.tally_hubs(*graph.rows, NO_COUNTS, rows, marked, marks, tally, scratch)
        assert not scratch.times.any()
        yield dict(enumerate(tally[1:].tolist(), 1)), marked.tolist()
    for u in marked:
        _hubs.mark(*graph.rows, u, -1, marks, scratch)
    assert not scratch.marks.any()
    assert not marks[1:].any()


@pytest.mark.parametrize("number", range(8))
def test_tallies_are_as_defined_whatever_was_marked_before(number):
    graph = random_graph(number, nodes=40, edges=300)
    rng = np.random.default_rng(number)
    first = rng.choice(40, 3, replace=False).tolist()
    lists = [[*first[: rng.integers(1, 4)], u] for u in range(40) if u not in first]
    lists += [rng.choice(40, size, replace=False).tolist() for size in (2, 3, 5, 9)]
    for hubs, (tally, _) in zip(lists, one_after_another(graph, lists), strict=True):
        assert tally == naive.adjacent_to_exactly(graph, hubs), hubs


def test_sets_that_differ_in_one_hub_are_marked_and_a_far_longer_row_is_searched():
    """Marking all of a long row for the sake of a short one would be more work than searching it."""
    star = hub()
    (tally, marked), *_ = one_after_another(star, [[6, 0]])
    assert tally == naive.adjacent_to_exactly(star, [6, 0])
    assert marked == []
    dense = random_graph(0, nodes=40, edges=400)
    assert [len(marked) for _, marked in one_after_another(dense, [[1, 2], [1, 2, 3], [1, 2, 4]])] == [
        2,
        3,
        3,
    ]
