import naive
import numpy as np
import pytest
from conftest import SMALL, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from mhmgnn import Graph, TourError, estimate_sum, generate
from mhmgnn.runtime.distributed import ALONE, Crew
from mhmgnn.subgraphs import _growth, _ksets, choice, estimate
from mhmgnn.subgraphs.choice import surely_more
from mhmgnn.subgraphs.draws import Draws
from mhmgnn.subgraphs.exact import check_k, count_roots
from mhmgnn.subgraphs.growth import Grower, Growth, start_growth
from mhmgnn.subgraphs.summand import Summand

WALKS = ["k-walk", "pair-walk"]


def growth(graph: Graph, k: int, seed: int = 0) -> Growth:
    return start_growth(graph, check_k(graph, k), k, np.random.default_rng([seed, 2]))


def connected(graph: Graph, k: int) -> np.ndarray:
    return np.array(sorted(map(sorted, naive.connected_sets(graph, k))), np.int64).reshape(-1, k)


def peaked(graph: Graph, k: int, seed: int):
    """A function that is large on few k-sets, and its sum over all connected ones."""
    rng = np.random.default_rng([seed, 1])
    value = {tuple(kset): rng.exponential() ** 3 for kset in connected(graph, k).tolist()}
    return (lambda ksets: np.array([value[tuple(kset)] for kset in ksets.tolist()])), sum(value.values())


def estimates(graph: Graph, k: int, f, seed: int, *, sets=20_000) -> np.ndarray:
    """What every single set gives for the whole sum."""
    (steps,) = Grower(growth(graph, k, seed), 10**8).steps(sets)
    assert (steps.tour == np.arange(sets)).all()
    return steps.weights * f(steps.ksets)


def z_score(totals: np.ndarray, truth: float) -> float:
    return float((totals.mean() - truth) / (totals.std(ddof=1) / np.sqrt(totals.size)))


@given(seed=st.integers(0, 10**6), k=st.integers(2, 6))
@settings(max_examples=25, deadline=None)
def test_a_chance_is_the_sum_over_all_orders_of_growth(seed, k):
    graph = random_graph(seed, nodes=9, edges=14)
    each, ksets = np.random.default_rng(seed).random(9), connected(graph, k)
    found = _growth.chances(_ksets.Rows(*graph.rows), ksets, each)
    defined = [naive.chance_of_growth(graph, c, lambda u, v: each[u] + each[v]) for c in ksets.tolist()]
    np.testing.assert_allclose(found, defined, rtol=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5, 7])
def test_the_chances_of_all_connected_sets_add_up_to_one(small, k):
    if k == 7 and small.num_nodes > 13:
        return  # long to list
    each = growth(small, k).starts.each
    assert _growth.chances(_ksets.Rows(*small.rows), connected(small, k), each).sum() == pytest.approx(1)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_each_grown_set_is_an_unbiased_estimate(small, k, seed):
    f, truth = peaked(small, k, seed)
    assert abs(z_score(estimates(small, k, f, seed), truth)) < 4


@pytest.mark.parametrize("k", [7, 8])
def test_each_large_grown_set_is_an_unbiased_estimate(k, seed):
    f, truth = peaked(SMALL["hub"](), k, seed)
    assert abs(z_score(estimates(SMALL["hub"](), k, f, seed), truth)) < 4


def test_an_edge_too_many_in_the_chances_is_noticed(seed):
    graph = SMALL["lollipop"]()
    f, truth = peaked(graph, 4, seed)
    more = Graph.from_edges([*graph_edges(graph), (5, 7)])
    way = growth(graph, 4, seed)
    (steps,) = Grower(way, 10**8).steps(200_000)
    wrong = _growth.chances(_ksets.Rows(*more.rows), steps.ksets, way.starts.each)
    assert abs(z_score(f(steps.ksets) * steps.weights, truth)) < 4
    assert abs(z_score(f(steps.ksets) / wrong, truth)) > 4


def graph_edges(graph: Graph) -> list[tuple[int, int]]:
    return [(u, v) for u, near in naive.adjacency(graph).items() for v in near if u < v]


def test_no_set_begins_where_it_could_not_grow_on():
    graph = SMALL["islands"]()  # of 7, 5, 3, 2 nodes and 1
    (steps,) = Grower(growth(graph, 4), 10**8).steps(2_000)
    assert set(np.unique(steps.ksets)) == set(range(12))
    assert estimate_sum(graph, 5, method="growth").value == pytest.approx(8, rel=0.2)
    assert (growth(graph, 6).starts.each[7:] == 0).all()


def test_sets_do_not_depend_on_how_they_are_divided_into_calls(small):
    whole, parts = (Grower(growth(small, 4), 10**6, 1) for _ in range(2))
    np.testing.assert_array_equal(
        whole.totals(700), np.concatenate([parts.totals(7), parts.totals(600), parts.totals(93)])
    )
    assert whole.spent == parts.spent


@pytest.mark.parametrize("world", [2, 3])
def test_a_crew_grows_what_one_process_grows(small, world):
    alone = Grower(growth(small, 4), 10**6, 1)
    crew = [Grower(growth(small, 4), 10**6, 1, crew=Crew(rank, world)) for rank in range(world)]
    for _ in range(2):
        rows = [grower.totals(101) for grower in crew]
        assert ((np.stack(rows) > 0).sum(axis=0) == 1).all()
        np.testing.assert_array_equal(sum(rows), alone.totals(101))


def test_an_estimate_says_what_was_grown(small):
    found = estimate_sum(small, 4, method="growth", tours=50)
    assert (found.method, found.tours, found.steps, found.supernode) == ("growth", 50, 150, 0)
    assert (found.ended, found.exact) == ("tours", False)


def test_the_number_of_edges_needs_no_luck(small):
    found = estimate_sum(small, 2, method="growth", tours=2)
    assert found.value == pytest.approx(small.num_edges)


def test_precision_is_reached_or_the_budget_ends_it():
    graph = generate.barabasi_albert(300, 3, seed=1)
    reached = estimate_sum(graph, 5, method="growth", tours=20, precision=0.004)
    assert reached.ended == "precision"
    assert reached.relative_error <= 0.004
    short = estimate_sum(graph, 5, method="growth", tours=20, precision=1e-4, max_steps=20_000)
    assert short.ended == "budget"
    assert short.relative_error > 1e-4
    assert short.steps <= 20_000


def test_a_budget_too_small_is_an_error_with_advice(small):
    with pytest.raises(TourError, match=r"50 sets take 150 steps to grow.* raise max_steps \(now 149\)"):
        estimate_sum(small, 4, method="growth", tours=50, max_steps=149)


def test_progress_never_goes_back_and_stays_below_one():
    told = []
    estimate_sum(SMALL["hub"](), 4, method="growth", tours=5_000, progress=told.append)
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] < 1


def test_auto_grows_sets_where_tours_are_too_long():
    graph = generate.planted_groups(300, 300, stray=450, seed=1).graph
    with pytest.raises(TourError, match="did not return"):
        estimate_sum(graph, 8, method="pair-walk", tours=100, supernode=1_000, max_steps=10**6)
    found = estimate_sum(graph, 8, limit=10, precision=0.02, max_steps=10**6)
    assert (found.method, found.ended) == ("growth", "precision")


def rare(graph: Graph, k: int):
    """1 for one k-set of many, the last, which weights of other sets say nothing of."""
    last = connected(graph, k)[-1]
    return lambda ksets: (ksets == last).all(axis=1).astype(float)


def test_auto_walks_where_grown_sets_are_not_sound_and_grows_where_no_tour_comes_home(monkeypatch):
    graph = random_graph(4, nodes=14, edges=30)
    monkeypatch.setattr(choice, "SOUND", 0.0)
    walked = estimate_sum(graph, 4, rare(graph, 4), limit=10, supernode=3)
    assert walked.method in WALKS
    assert abs(walked.value - 1) < 5 * walked.stderr
    left = estimate_sum(graph, 4, rare(graph, 4), limit=10, supernode=3, tours=50, max_steps=150)
    assert left.method == "growth"


def test_auto_weighs_errors_against_work(monkeypatch):
    graph = random_graph(4, nodes=14, edges=30)
    monkeypatch.setattr(choice, "QUICK", 0)
    assert estimate_sum(graph, 4, limit=10, supernode=3).method == "growth"
    monkeypatch.setattr(choice, "DOUBT", 1e9)
    assert estimate_sum(graph, 4, limit=10, supernode=3).method in WALKS


def test_a_number_is_surely_more_only_where_it_is(small, seed):
    number, component = len(connected(small, 4)), check_k(small, 4)
    draws = Draws(Summand(small, lambda ksets: np.zeros(len(ksets))), 1, ALONE)
    for limit, more in ((number // 4, True), (number, False), (4 * number, False)):
        assert surely_more(draws, 4, component, limit, np.random.default_rng(seed)) is more


def test_auto_does_not_count_far_what_is_surely_more(monkeypatch):
    graph, limits = random_graph(4, nodes=14, edges=30), []

    def count(*given, limit, **how):
        limits.append(limit)
        return count_roots(*given, limit=limit, **how)

    monkeypatch.setattr(estimate, "count_roots", count)
    monkeypatch.setattr(estimate, "LIMIT", 10)
    number = estimate_sum(graph, 4, limit=5_000).value
    assert estimate_sum(graph, 4, limit=int(number) // 4).method == "growth"
    assert limits == [10, 5_000, 10]
    assert estimate_sum(graph, 4, method="exact").value == number
