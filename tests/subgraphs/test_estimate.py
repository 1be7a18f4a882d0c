import naive
import numpy as np
import pytest
from conftest import SMALL

from mhmgnn import DataError, Graph, TourError, connected_sets, estimate_sum
from mhmgnn.subgraphs import supernode
from mhmgnn.subgraphs.exact import check_k
from mhmgnn.subgraphs.shapes import motif_shapes
from mhmgnn.subgraphs.walk import Runner, run_tours, start_walk, supernode_sets

WALKS = ["k-walk", "pair-walk"]
WAYS = [*WALKS, "growth"]


def peaked(graph: Graph, k: int, seed: int):
    """A function that is large on few k-sets, and its sum over all connected ones."""
    ksets = np.array(sorted(map(sorted, naive.connected_sets(graph, k))))
    values = np.random.default_rng([seed, 1]).exponential(size=len(ksets)) ** 3
    base = graph.num_nodes ** np.arange(k - 1, -1, -1)
    codes = ksets @ base  # rising, as the k-sets are in order

    def f(asked: np.ndarray) -> np.ndarray:
        at = np.searchsorted(codes, asked @ base)
        assert (codes[at] == asked @ base).all(), "a k-set that is not connected"
        return values[at]

    return f, values.sum()


def tour_totals(graph: Graph, k: int, f, pairs: bool, seed: int, *, tours=20_000, supernode=3):
    """What every single tour gives for the whole sum."""
    walk = start_walk(
        graph, check_k(graph, k), k, pairs=pairs, supernode=supernode, rng=np.random.default_rng([seed, 2])
    )
    totals = np.zeros(tours)
    for steps in Runner(walk, 10**8).steps(tours) if walk.supernode.exits else ():
        np.add.at(totals, steps.tour, steps.weights * f(steps.ksets))
    constant = sum(float(weights @ f(ksets)) for ksets, weights in supernode_sets(walk))
    return walk, constant, totals


def z_score(totals: np.ndarray, truth: float) -> float:
    return float((totals.mean() - truth) / (totals.std(ddof=1) / np.sqrt(totals.size)))


@pytest.mark.parametrize("pairs", [False, True], ids=WALKS)
@pytest.mark.parametrize("k", [3, 4, 5])
def test_each_tour_is_unbiased(small, k, pairs, seed):
    f, truth = peaked(small, k, seed)
    _, constant, totals = tour_totals(small, k, f, pairs, seed)
    assert abs(z_score(constant + totals, truth)) < 4


@pytest.mark.parametrize("pairs", [False, True], ids=WALKS)
@pytest.mark.parametrize("k", [3, 5])
def test_each_tour_from_a_scattered_supernode_is_unbiased(monkeypatch, small, k, pairs, seed):
    monkeypatch.setattr(supernode, "LARGE", 12)
    monkeypatch.setattr(supernode, "NEAR", 2)
    f, truth = peaked(small, k, seed)
    walk, constant, totals = tour_totals(small, k, f, pairs, seed, supernode=12)
    if walk.supernode.exits:
        assert abs(z_score(constant + totals, truth)) < 4
    else:
        assert constant == pytest.approx(truth)


@pytest.mark.parametrize("pairs", [False, True], ids=WALKS)
@pytest.mark.parametrize("k", [7, 8])
def test_each_tour_of_large_sets_is_unbiased(k, pairs, seed):
    graph = SMALL["hub"]()
    f, truth = peaked(graph, k, seed)
    _, constant, totals = tour_totals(graph, k, f, pairs, seed, tours=4_000, supernode=10)
    assert abs(z_score(constant + totals, truth)) < 4


def test_each_tour_of_edges_is_unbiased(small, seed):
    f, truth = peaked(small, 2, seed)
    _, constant, totals = tour_totals(small, 2, f, False, seed)
    assert abs(z_score(constant + totals, truth)) < 4


@pytest.mark.parametrize("pairs", [False, True], ids=WALKS)
def test_a_supernode_degree_off_by_one_is_noticed(pairs, seed):
    graph = SMALL["lollipop"]()
    f, truth = peaked(graph, 3, seed)
    walk, constant, totals = tour_totals(graph, 3, f, pairs, seed, tours=200_000, supernode=1)
    exits = walk.supernode.exits
    assert abs(z_score(constant + totals * (exits + 1) / exits, truth)) > 4


def test_the_self_normalised_ratio_is_noticed(seed):
    graph = SMALL["lollipop"]()
    every = naive.connected_sets(graph, 3)
    truth = sum(8 in kset for kset in every)  # behind the bottleneck, where few tours come
    walk = start_walk(
        graph, check_k(graph, 3), 3, pairs=False, supernode=1, rng=np.random.default_rng([seed, 2])
    )
    weighed, weights = np.zeros(20_000), np.zeros(20_000)
    for steps in Runner(walk, 10**8).steps(20_000):
        np.add.at(weighed, steps.tour, steps.weights * (steps.ksets == 8).any(axis=1))
        np.add.at(weights, steps.tour, steps.weights)
    assert abs(z_score(weighed, truth)) < 4
    assert abs(z_score(len(every) * weighed / weights, truth)) > 4


@pytest.mark.parametrize("estimates", [300, pytest.param(1_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", WAYS)
def test_intervals_cover_as_often_as_they_say(method, estimates):
    graph = SMALL["lollipop"]()
    f, truth = peaked(graph, 3, 0)
    found = [
        estimate_sum(graph, 3, f, method=method, tours=1500, supernode=3, seed=seed, threads=1)
        for seed in range(estimates)
    ]
    for level in (0.5, 0.8, 0.95):
        low, high = np.transpose([estimate.interval(level) for estimate in found])
        covered = ((low <= truth) & (truth <= high)).mean()
        assert abs(covered - level) < 3 * np.sqrt(level * (1 - level) / len(found))


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_shapes_are_counted_without_bias(small, method, k, seed):
    truth = estimate_sum(small, k, f="shape", method="exact").value
    found = estimate_sum(small, k, f="shape", method=method, tours=5000, supernode=4, seed=seed)
    sure = found.stderr <= 1e-12 * found.value  # 0, but for rounding
    np.testing.assert_allclose(found.value[sure], truth[sure], atol=1e-9)
    assert (np.abs(found.value - truth)[~sure] < 4.5 * found.stderr[~sure]).all()
    assert abs(found.sum().value - truth.sum()) <= 4 * found.sum_stderr + 1e-9


@pytest.mark.parametrize("method", WAYS)
def test_a_function_of_shapes_and_the_compiled_count_agree(small, method):
    shape_of = motif_shapes(4).shape_of

    def one_hot(ksets):
        return np.eye(6)[[shape_of[naive.edge_code(small, c)] for c in ksets.tolist()]]

    by_f = estimate_sum(small, 4, one_hot, method=method, tours=50, supernode=4, seed=1)
    compiled = estimate_sum(small, 4, f="shape", method=method, tours=50, supernode=4, seed=1)
    np.testing.assert_allclose(by_f.value, compiled.value, rtol=1e-12)
    np.testing.assert_allclose(by_f.stderr, compiled.stderr, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("f", [None, lambda ksets: np.sin(ksets)], ids=["count", "function"])
def test_a_seed_gives_the_same_numbers_whatever_the_threads(small, method, f):
    one, three = (
        estimate_sum(small, 4, f, method=method, tours=300, supernode=2, seed=5, threads=threads)
        for threads in (1, 3)
    )
    np.testing.assert_array_equal(one.value, three.value)
    np.testing.assert_array_equal(one.stderr, three.stderr)
    assert one.steps == three.steps


def test_another_seed_gives_other_tours(small):
    a, b = (
        estimate_sum(small, 4, method="k-walk", tours=50, supernode=2, seed=seed).value for seed in (1, 2)
    )
    assert a != b


def test_a_swallowed_graph_is_exact(small):
    for method in WALKS:
        found = estimate_sum(small, 3, method=method, supernode=10**4)
        assert found.exact
        assert found.stderr == 0
        assert found.interval() == (found.value, found.value)
        assert found.value == pytest.approx(len(connected_sets(small, 3)))


def test_merged_samples_weigh_every_set_once(small, seed):
    f, truth = peaked(small, 3, seed)
    for pairs in (False, True):
        totals = []
        for repeat in range(200):
            rng = np.random.default_rng([seed, repeat])
            walk = start_walk(small, check_k(small, 3), 3, pairs=pairs, supernode=4, rng=rng)
            sample = run_tours(walk, 20, max_steps=10**6, threads=1)
            assert len(set(map(tuple, sample.ksets.tolist()))) == len(sample.ksets)
            totals.append(sample.weights @ f(sample.ksets))
        spread = np.std(totals, ddof=1) / np.sqrt(len(totals))
        assert abs(np.mean(totals) - truth) < 4 * spread + 1e-9


def test_tours_that_stay_out_are_an_error_with_counts_and_advice(small):
    with pytest.raises(
        TourError, match=r"of 50 tours did not return within .* steps in all; grow the supernode"
    ):
        estimate_sum(small, 4, method="k-walk", tours=50, supernode=1, max_steps=60)


def test_precision_is_reached_or_the_budget_ends_it():
    graph = SMALL["lollipop"]()
    reached = estimate_sum(graph, 3, method="k-walk", tours=20, supernode=2, precision=0.02)
    assert reached.ended == "precision"
    assert reached.relative_error <= 0.02
    short = estimate_sum(graph, 3, method="k-walk", tours=20, supernode=2, precision=1e-4, max_steps=20_000)
    assert short.ended == "budget"
    assert short.relative_error > 1e-4
    assert short.steps <= 20_000
    assert estimate_sum(graph, 3, method="k-walk", tours=20, supernode=2).ended == "tours"


def test_auto_enumerates_within_the_limit_and_draws_beyond(small):
    assert estimate_sum(small, 4).method == "exact"
    beyond = estimate_sum(small, 4, limit=3, supernode=2)
    assert beyond.method in WAYS
    assert abs(beyond.value - len(connected_sets(small, 4))) < 5 * beyond.stderr


def test_progress_never_goes_back_and_stays_below_one():
    told = []
    estimate_sum(SMALL["hub"](), 4, method="k-walk", tours=10_000, supernode=2, progress=told.append)
    assert told == sorted(told)
    assert told
    assert 0 < told[0] < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "fast"}, "one of auto, exact, k-walk, pair-walk, growth"),
        ({"tours": 1}, "tours is 1; it must be a whole number of at least 2"),
        ({"supernode": 0}, "supernode is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"precision": 5}, "relative standard error"),
        ({"f": "degree"}, "f is 'degree'"),
        ({"f": lambda ksets: "?"}, "not an array of numbers"),
        ({"f": lambda ksets: np.zeros(3)}, r"shape \(3,\)"),
        ({"f": lambda ksets: np.full(len(ksets), np.nan)}, "not finite"),
        ({"k": 2, "method": "pair-walk"}, "at least 3"),
        ({"k": 14}, "largest connected component has 13 nodes"),
        ({"k": 7, "f": "shape"}, "k = 2 to 6, not 7"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(DataError, match=message):
        estimate_sum(SMALL["hub"](), **{"k": 3, **arguments})


def test_an_interval_needs_a_level_between_0_and_1(small):
    with pytest.raises(DataError, match=r"such as 0\.95"):
        estimate_sum(small, 3).interval(95)
