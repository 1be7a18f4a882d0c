from itertools import combinations

import naive
import numpy as np
import pytest

from mhmgnn import DataError, Graph
from mhmgnn.datasets import load
from mhmgnn.datasets.citations import Citations
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.hyperedges import Hyperedges, project
from mhmgnn.evaluation.tasks import dag_leaves, hyperedges
from mhmgnn.evaluation.tasks import task as tasks

pytestmark = pytest.mark.usefixtures("one_penalty")


def papers(seed: int, nodes: int = 30, lines: int = 70) -> Dataset[Citations]:
    pairs = np.random.default_rng(seed).integers(nodes, size=(lines, 2))
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    truth = Citations(pairs[:, 0], pairs[:, 1], np.arange(nodes).astype(str), lines, 0)
    return Dataset("papers", Graph.from_edges(pairs, num_nodes=nodes), truth)


def shop(seed: int, nodes: int = 30, carts: int = 25) -> Dataset[Hyperedges]:
    rng = np.random.default_rng(seed)
    rows = np.full((carts, 5), -1)
    for row, size in zip(rows, rng.integers(2, 6, size=carts), strict=True):
        row[:size] = rng.choice(nodes, size, replace=False)
    held = Hyperedges.from_padded(rows)
    return Dataset("shop", Graph.from_edges(project(held, nodes), num_nodes=nodes), held)


def labelled(side) -> dict[tuple[int, ...], int]:
    return dict(zip(map(tuple, side.ksets.tolist()), side.labels.tolist(), strict=True))


def sides_of(task):
    return task.train, task.test


def inside(dataset, side, k):
    """Every k-set of the nodes of a side, by the nodes that its halves have."""
    half = tasks.partition.split(dataset.graph, 2)
    return [
        kset for kset in combinations(range(dataset.graph.num_nodes), k) if {half[v] for v in kset} == {side}
    ]


@pytest.mark.parametrize("by_class", [True, False])
@pytest.mark.parametrize("k", [3, 4])
def test_every_star_of_a_half_is_labelled_by_who_cites_whom(seed, k, by_class):
    dataset = papers(seed)
    near = naive.adjacency(dataset.graph)
    cites = set(zip(dataset.truth.citing.tolist(), dataset.truth.cited.tolist(), strict=True))
    task = hyperedges(dataset, k, by_class=by_class)
    for number, side in enumerate(sides_of(task)):
        stars = [c for c in inside(dataset, number, k) if any(near[a] >= set(c) - {a} for a in c)]
        truth = {c: int(any(all((a, b) in cites for b in c if b != a) for a in c)) for c in stars}
        assert labelled(side) == truth
        assert (side.candidates, side.exact, side.counted) == (len(stars), True, True)


@pytest.mark.parametrize("k", [3, 4])
def test_every_connected_set_of_a_half_has_its_leaves_and_cycles_are_left_out(seed, k):
    dataset = papers(seed)
    near = naive.adjacency(dataset.graph)
    cites = set(zip(dataset.truth.citing.tolist(), dataset.truth.cited.tolist(), strict=True))
    task = dag_leaves(dataset, k)
    for number, side in enumerate(sides_of(task)):
        connected = [c for c in inside(dataset, number, k) if naive.is_connected(near, frozenset(c))]
        leaves = {c: sum(not any((a, b) in cites for b in c) for a in c) for c in connected}
        assert labelled(side) == {c: count for c, count in leaves.items() if count}
        info = task.describe()[3 + number]
        assert info.without_label == sum(not count for count in leaves.values())
        assert info.candidates == len(connected)


@pytest.mark.parametrize("match", ["exact", "contained"])
@pytest.mark.parametrize("k", [3, 4])
def test_every_clique_of_a_half_is_labelled_by_the_hidden_carts(seed, k, match):
    dataset = shop(seed)
    near = naive.adjacency(dataset.graph)
    carts = [set(dataset.truth[i].tolist()) for i in range(len(dataset.truth))]
    fits = set.__eq__ if match == "exact" else set.__le__
    task = hyperedges(dataset, k, match=match)
    for number, side in enumerate(sides_of(task)):
        cliques = [c for c in inside(dataset, number, k) if all(b in near[a] for a, b in combinations(c, 2))]
        assert labelled(side) == {c: int(any(fits(set(c), cart) for cart in carts)) for c in cliques}


def test_a_later_year_is_the_test_side_with_its_own_graph_and_carts(seed):
    year, later = shop(seed), shop(seed + 1000)
    task = hyperedges(Dataset("shop", year.graph, year.truth, later), 3)
    assert task.graph is task.train.graph is year.graph
    assert task.test.graph is later.graph
    for side, piece in zip(sides_of(task), (year, later), strict=True):
        np.testing.assert_array_equal(side.labels, piece.truth.holds(side.ksets))


def test_no_node_is_on_both_sides_and_folds_follow_regions(seed):
    task = hyperedges(load("market", seed=seed), 3)
    assert set(task.train.ksets.ravel()).isdisjoint(task.test.ksets.ravel())
    assert len(set(task.train.regions)) == tasks.REGIONS


def test_a_side_keeps_as_many_of_each_label_as_there_are(seed):
    task = hyperedges(load("market", seed=seed), 4, most=200)
    for side in sides_of(task):
        rare = min(100, round(side.by_label[1]))
        assert np.bincount(side.labels).tolist() == [200 - rare, rare]
        assert len({tuple(kset) for kset in side.ksets.tolist()}) == 200


def test_what_a_rare_label_leaves_goes_to_the_others():
    labels = np.repeat([1, 2, 3], [1000, 5, 40])
    keep = tasks.draw_side.__globals__["_of_each"](labels, 105, np.random.default_rng(0))
    assert np.bincount(labels[keep])[1:].tolist() == [60, 5, 40]


def test_another_seed_draws_other_sets_and_the_same_seed_the_same():
    market = load("market")
    one, same, other = (hyperedges(market, 3, most=100, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.train.ksets, same.train.ksets)
    assert labelled(one.train) != labelled(other.train)


class Told:
    """A method that knows the truth."""

    def __init__(self, task):
        self.labels = {**labelled(task.train), **labelled(task.test)}

    def embed(self, ksets, *, graph=None):
        return np.array([[float(self.labels[tuple(kset)])] for kset in ksets.tolist()])


class Blind:
    """A method that knows nothing."""

    def embed(self, ksets, *, graph=None):
        return np.random.default_rng(0).standard_normal((len(ksets), 3))


def test_a_method_that_knows_the_truth_scores_1_and_a_blind_one_chance():
    task = hyperedges(load("market"), 3)
    known, unknown = task.score(Told(task)), task.score(Blind())
    assert (known.paper, known.converged) == (1, 1)
    assert abs(unknown.paper - 0.5) < 0.06
    assert abs(unknown.converged - 0.5) < 0.06


def test_shuffled_labels_give_chance_to_a_method_that_knew_them():
    task = hyperedges(load("market"), 3)
    told, rng = Told(task), np.random.default_rng(0)
    for side in sides_of(task):
        side.labels[:] = rng.permutation(side.labels)
    assert abs(task.score(told).converged - 0.5) < 0.06


def test_a_description_tells_what_was_kept_and_warns_of_few():
    text = str(hyperedges(load("market"), 4, most=40).describe())
    assert text.startswith("hyperedge on market, k = 4\ntrain: ")
    assert "label 1: 20 of" in text
    assert "the test side has a label with 20 k-sets only" in text


def test_what_a_data_set_cannot_answer_is_refused():
    with pytest.raises(DataError, match="market has no citations"):
        dag_leaves(load("market"), 3)
    with pytest.raises(DataError, match="a citation network knows only 'exact'"):
        hyperedges(papers(0), 3, match="contained")
    with pytest.raises(DataError, match="most is 1; it must be a whole number of at least 2"):
        hyperedges(load("market"), 3, most=1)
