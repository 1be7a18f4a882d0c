"""How completion is tuned: counts taken apart into groups, and groups taken out of the counts."""

import gzip
from itertools import combinations

import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import DataError, Graph, fit, load
from mhmgnn.config import RunConfig
from mhmgnn.datasets.groups import hypergraph
from mhmgnn.datasets.hyperedges import Hyperedges, count_together
from mhmgnn.evaluation.completion import HeldOut, complete_all, hold_out
from mhmgnn.graph.sets import Sets
from mhmgnn.models.completion import Completer, usual_tuning
from mhmgnn.models.completion_tuning import take_apart, tune
from mhmgnn.models.cover import edges_of, less_one


def counted(groups: list[list[int]]) -> Graph:
    """The graph of groups, each pair with the number of groups that hold it."""
    members = np.concatenate([np.sort(group) for group in groups]).astype(np.int64)
    found = count_together(Hyperedges(members, np.cumsum([0, *map(len, groups)])), int(members.max()) + 1)
    return Graph.from_edges(found.pairs, weights=found.times)


def listed(sets: Sets) -> list[tuple[int, ...]]:
    return [tuple(part.tolist()) for part in np.split(sets.members, sets.offsets[1:-1])]


def test_groups_that_keep_apart_are_taken_apart_as_often_as_they_were():
    graph = counted([[0, 1, 2]] * 3 + [[2, 3, 4, 5]] + [[5, 6]] * 2)
    assert sorted(listed(take_apart(graph))) == [*[(0, 1, 2)] * 3, (2, 3, 4, 5), (5, 6), (5, 6)]


def test_what_was_taken_apart_makes_no_more_than_the_counts(seed):
    rng = np.random.default_rng(seed)
    graph = counted([rng.choice(30, rng.integers(2, 6), replace=False).tolist() for _ in range(120)])
    edges, counts = edges_of(graph)
    inside = [pair for group in set(listed(take_apart(graph))) for pair in combinations(group, 2)]
    assert set(inside) == set(map(tuple, edges.tolist()))
    left = less_one(graph, counts, take_apart(graph))
    assert left.sum() < 0.1 * counts.sum()
    np.testing.assert_array_equal(less_one(graph, counts, Sets.of_edges(*graph.rows)), counts - 1)


@pytest.mark.parametrize(
    ("gain", "spread", "weight"), [(0.1, 0.1, 0.5), (0.1, 30.0, 0.9), (-0.1, 0.1, 0.9), (0.1, 0.0, 0.5)]
)
def test_the_best_weight_is_taken_or_the_largest_that_is_nearly_as_good(monkeypatch, gain, spread, weight):
    def tried(graph, groups, usual, weights, rng):
        ranks = np.full((200, 1), 0.5) + np.zeros(weights.size)
        ranks[:, 2] += gain + spread * np.tile([1, -1], 100)
        return ranks

    monkeypatch.setattr("mhmgnn.models.completion_tuning._try", tried)
    assert tune(counted([[0, 1, 2]] * 3 + [[2, 3]])).direct == weight


@pytest.mark.parametrize(
    ("gain", "spread", "weight"), [(0.1, 0.1, 0.5), (0.04, 0.1, 0.0), (0.1, 3.0, 0.0), (-0.1, 0.1, 0.0)]
)
def test_from_pairs_alone_ties_have_weight_where_they_surely_gain_much(monkeypatch, gain, spread, weight):
    def tried(graph, groups, usual, weights, rng):
        ranks = np.full((200, 1), 0.5) + np.zeros(weights.size)
        ranks[:, 2:] += gain + spread * np.tile([1, -1], 100)[:, None]
        return ranks

    monkeypatch.setattr("mhmgnn.models.completion_tuning._try", tried)
    graph = random_graph(2, nodes=40)
    assert tune(graph) == usual_tuning(graph)._replace(direct=weight)


def authors(data_dir, *, counts: bool) -> HeldOut:
    path = data_dir / "hypergcn" / "coauthorship-cora" / "hyperedges.tsv.gz"
    with gzip.open(path, "rt") as lines:
        groups = [line.rstrip("\n").split("\t")[1].split() for line in lines]
    data = hypergraph([group for group in groups if len(group) > 1], weights=True)
    return hold_out(data.truth, data.graph.num_nodes, seed=100, counts=counts)


def viruses(data_dir) -> HeldOut:
    with gzip.open(data_dir / "hypergraphs" / "hosts" / "test.txt.gz", "rt") as lines:
        data = hypergraph([line.split() for line in lines], weights=True)
    return hold_out(data.truth, data.graph.num_nodes, seed=100, counts=False)


@pytest.mark.parametrize("counts", [True, False])
def test_who_wrote_with_whom_is_completed_better_by_direct_ties(data_dir, counts):
    held = authors(data_dir, counts=counts)
    usual, tuned = usual_tuning(held.graph), tune(held.graph)
    before, after = (complete_all(Completer(held.graph, one).scores, held.queries) for one in (usual, tuned))
    assert tuned.direct >= (0.75 if counts else 0.25)
    assert after.mrr > before.mrr + 0.03


def test_where_popular_nodes_join_everything_walks_alone_complete_from_pairs(data_dir):
    held = viruses(data_dir)
    assert tune(held.graph).direct == 0.0


def test_where_nothing_is_left_to_ask_the_usual_tuning_is_taken(monkeypatch):
    monkeypatch.setattr("mhmgnn.models.completion_tuning.HELD_OUT", 1.0)
    graph = counted([[0, 1, 2]] * 3)
    assert tune(graph) == usual_tuning(graph)


@pytest.mark.parametrize("told", ["often", {"restart": 0.5}, {"restart": 0.5, "direct": 2.0}, [0.5, 0.5]])
def test_a_tuning_that_is_none_is_refused_in_one_line(tmp_path, told):
    tiny = ["model.dim=8", "subgraphs.size=8", "train.steps=2", "train.batch=3", "groups.worlds=0"]
    model = fit(random_graph(3), config=RunConfig().with_settings(tiny))
    model.facts["completion"] = told
    model.save(tmp_path / "run")
    with pytest.raises(DataError, match=r"completion is .*; it must have restart and direct") as refused:
        load(tmp_path / "run")
    assert "\n" not in str(refused.value)


def test_a_saved_model_keeps_its_tuning(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    graph = counted([rng.choice(30, 4, replace=False).tolist() for _ in range(60)])
    tiny = ["model.dim=8", "subgraphs.size=8", "train.steps=2", "train.batch=3", "groups.worlds=0"]
    model = fit(graph, config=RunConfig().with_settings(tiny))
    model.save(tmp_path / "run")
    before = model.complete([1, 2], top=5)
    monkeypatch.setattr("mhmgnn.models.model.tune", None)
    assert load(tmp_path / "run").complete([1, 2], top=5) == before
