import numpy as np
import pyarrow as pa
import pytest

from mhmgnn import DataError, Graph
from mhmgnn.graph.sets import Sets

SHOP = [("beans", "grinder"), ("grinder", "espresso"), ("espresso", "tea")]


def lists(sets: Sets) -> list[list[int]]:
    return [part.tolist() for part in np.split(sets.members, sets.offsets[1:-1])] if sets.num else []


def test_sets_are_sorted_indices_whatever_their_sizes_and_however_they_are_written():
    graph = Graph.from_edges(SHOP)
    expected = [[0, 2], [3], [1, 2, 3]]
    by_name = [("espresso", "beans"), ["tea"], {"tea", "grinder", "espresso"}]
    mixed = [(2, "beans"), np.array([3]), ["tea", 1, 2.0]]
    ragged = np.array([[2, 0], [3], [3, 1, 2]], dtype=object)
    joined = Sets(np.array([2, 0, 3, 3, 1, 2]), np.array([0, 2, 3, 6]))
    for given in (expected, by_name, mixed, ragged, joined):
        found = graph.sets(given)
        assert lists(found) == expected
        assert found.members.dtype == found.offsets.dtype == np.int64
    assert lists(graph.sets(np.array([[2, 0], [3, 1]]))) == [[0, 2], [1, 3]]
    assert lists(graph.sets(pa.table({"a": ["tea"], "b": ["beans"]}))) == [[0, 3]]
    assert graph.sets([]).num == 0


@pytest.mark.parametrize(
    "given, message",
    [
        ([[0, 1], [2, 3, 2]], "set 1 holds node 'espresso' twice; the nodes of a set must differ"),
        (np.array([[0, 1], [2, 2]]), "set 1 holds node 'espresso' twice"),
        ([[0], []], "set 1 is empty; a set has at least one node"),
        (np.empty((2, 0), int), "set 0 is empty"),
        ([["tea"], ["beans", "milk"]], "set 1 holds 'milk', which no node is called"),
        ([[0], [1, 2], [3, 9]], r"set 2 holds node 9; allowed are 0\.\.3; nodes have names: write '9'"),
        ([[0, 1], [1.5]], "set 1 holds 1.5; a node index is a whole number"),
        ([[0, 1], [0], [2, None]], "set 2 holds None; a node is an integer index or a text name"),
        ([[0, 1], [0], [2, 2**70]], f"set 2 holds {2**70}; that is no node index"),
        ([["tea"], [0, 2**70]], f"set 1 holds {2**70}; that is no node index"),
        ([0, 1], "set 0 is 0; write a list of sets, each a list of nodes"),
        (["tea"], "set 0 is 'tea'; write a list of sets"),
        (np.array([0, 1]), r"the sets have shape \(2,\); allowed is \(m, k\); put a single one into a list"),
        (Sets(np.array([0, 1]), np.array([0, 3])), "must rise from 0 to the number of members, 2"),
        (Sets(np.array([0, 1]), np.array([0, 0, 2])), "set 0 is empty"),
        (Sets(np.array([0, 1, 9]), np.array([0, 1, 3])), "set 1 holds node 9"),
    ],
)
def test_bad_sets_are_refused_with_their_number(given, message):
    with pytest.raises(DataError, match=message):
        Graph.from_edges(SHOP).sets(given)


def test_a_name_in_a_set_means_nothing_where_nodes_have_none():
    with pytest.raises(DataError, match="set 1 holds the name 'tea'; this graph's nodes have no names"):
        Graph.from_edges([(0, 1)]).sets([[0, 1], [1, "tea"]])


def test_taken_and_joined_sets_are_those_that_were_given():
    rng = np.random.default_rng(0)
    given = [np.sort(rng.choice(50, size, replace=False)).tolist() for size in rng.integers(1, 9, 40)]
    sets = Graph.from_edges([(0, 49)]).sets(given)
    which = rng.permutation(40)[:15]
    assert lists(sets.take(which)) == [given[i] for i in which]
    assert lists(sets.take(sets.sizes > 4)) == [row for row in given if len(row) > 4]
    assert lists(Sets.join([sets.take(np.arange(7)), sets.take(np.arange(7, 40))])) == given
    assert Sets.join([]).num == 0
    assert lists(Sets.of_rows(np.array([[3, 4], [1, 2]]))) == [[3, 4], [1, 2]]


def test_edges_become_sets_once_in_ascending_order():
    graph = Graph.from_edges([[2, 0], [1, 2], [3, 1], [0, 1]])
    assert lists(Sets.of_edges(*graph.rows)) == [[0, 1], [0, 2], [1, 2], [1, 3]]
