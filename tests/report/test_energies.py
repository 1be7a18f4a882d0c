import numpy as np
import pytest

from mhmgnn import Graph, connected_sets, load
from mhmgnn.report.atlas import principal
from mhmgnn.report.diagnosis import count_sets, diagnose, tour_info
from mhmgnn.report.energies import Contrast, contrast, draw
from mhmgnn.subgraphs.exact import check_k
from mhmgnn.subgraphs.walk import Runner, run_tours, start_walk

NONE = np.empty(0)


@pytest.fixture(scope="module", name="model")
def trained(shop):
    return load(shop.folder)


def test_data_is_told_apart_in_the_share_of_pairs_where_it_is_lower():
    data, noise = np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0])
    pairs = [(a < b) + (a == b) / 2 for a in data for b in noise]
    assert Contrast(data, noise, NONE, NONE, NONE, NONE).told_apart == pytest.approx(np.mean(pairs))


def test_energies_of_k_sets_make_up_those_of_their_graphs(model):
    found = contrast(model, model.graph)
    assert found.noise.size == 2 * found.data.size == 2 * 4 * 3  # both kinds of noise
    np.testing.assert_allclose(found.data_weights @ found.data_sets, found.data.sum(), rtol=1e-5)
    np.testing.assert_allclose(found.noise_weights @ found.noise_sets, found.noise.sum(), rtol=1e-5)


def test_k_sets_are_drawn_with_their_shapes(model):
    drawn = draw(model, model.graph, seed=0)
    near = model.graph.to_scipy().toarray() > 0
    names = [drawn.kinds[kind].name for kind in drawn.kind]
    assert {tuple(kset) for kset in drawn.ksets.tolist()} == {
        tuple(kset) for kset in connected_sets(model.graph, 3).tolist()
    }
    edges = [int(near[np.ix_(kset, kset)].sum()) // 2 for kset in drawn.ksets]
    assert names == ["triangle" if count == 3 else "path" for count in edges]
    counted = count_sets(model.graph, 3, seed=0)
    np.testing.assert_array_equal(counted.value, np.bincount(drawn.kind))


def test_where_k_sets_are_too_many_to_list_tours_draw_them(model, monkeypatch):
    monkeypatch.setattr("mhmgnn.report.energies.LISTED", 10)
    drawn = draw(model, model.graph, seed=0)
    assert "met on 200 tours" in drawn.how
    assert np.isfinite(drawn.energies).all()  # every one is connected
    assert len(np.unique(drawn.ksets, axis=0)) == len(drawn.ksets)


@pytest.fixture(name="walk")
def small_walk(model):
    graph = Graph(*model.graph.rows)
    rng = np.random.default_rng(0)
    return start_walk(graph, check_k(graph, 3), 3, pairs=True, supernode=40, rng=rng)


def energy(ksets: np.ndarray) -> np.ndarray:
    return np.sin(ksets.sum(axis=1))


def test_tours_are_told_as_they_were_walked(walk):
    info = tour_info(walk, 50, 10**6, energy)
    sample = run_tours(walk, 50, max_steps=10**6)
    assert info.ksets == pytest.approx(sample.weights.sum())
    totals, lengths = np.zeros(50), np.zeros(50, int)
    for steps in Runner(walk, 10**6).steps(50):
        for kset, weight, tour in zip(steps.ksets, steps.weights, steps.tour, strict=True):
            totals[tour] += weight * np.sin(kset.sum())
            lengths[tour] += 1
    np.testing.assert_array_equal(info.lengths, lengths)
    size = sample.weights @ np.abs(energy(sample.ksets))
    assert info.relative_error == pytest.approx(totals.std(ddof=1) / np.sqrt(50) / size)
    assert 0 < info.share < 1


def test_a_supernode_that_holds_all_needs_no_tour():
    ring = Graph.from_edges([(i, (i + 1) % 6) for i in range(6)])
    walk = start_walk(ring, check_k(ring, 3), 3, pairs=True, supernode=100, rng=np.random.default_rng(0))
    info = tour_info(walk, 10, 10**6, energy)
    assert (info.ksets, info.share, info.lengths.size, info.relative_error) == (6, 1, 0, 0)


def test_training_graphs_within_the_budget_are_enumerated(model):
    found = diagnose(model, model.graph)
    assert found.enumerated == found.sizes.size == 3
    assert found.tours == ()


def test_a_map_holds_the_most_variance_that_two_directions_can():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(200, 5)) * [3, 1, 2, 0.1, 0.1] + 7
    plane = principal(vectors)
    values = np.linalg.svd(vectors - vectors.mean(axis=0), compute_uv=False) ** 2
    np.testing.assert_allclose((plane.places**2).sum(axis=0), values[:2])
    np.testing.assert_allclose(plane.shares, values[:2] / values.sum())
    np.testing.assert_allclose(plane.places.mean(axis=0), 0, atol=1e-12)


def test_vectors_of_one_entry_lie_on_a_line():
    plane = principal(np.array([[1.0], [2.0], [6.0]]))
    np.testing.assert_allclose(plane.places, [[-2, 0], [-1, 0], [3, 0]])
    assert plane.shares == (1, 0)
