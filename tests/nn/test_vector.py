import numpy as np
import torch

from mhmgnn.nn.vector import Usual, VectorMap


def rows(m=400, seed=0):
    """Rows whose columns have very different means and spreads, and share a direction."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(m, 1))
    return ((shared + 0.3 * rng.normal(size=(m, 6))) * 10.0 ** np.arange(-2, 4) + 5).astype(np.float32)


def fitted(given, shares=None, dim=3, spread=1.0):
    vector = VectorMap({name: part.shape[1] for name, part in given.items()}, dim)
    vector.fit(given, shares or dict.fromkeys(given, 1.0), 0, spread)
    return vector


def applied(vector, given, asked=None):
    rows = {name: torch.from_numpy(part) for name, part in (asked or given).items()}
    return vector(rows, {name: Usual.of(part) for name, part in given.items()})


def test_a_map_does_not_depend_on_the_units_of_the_rows():
    given = rows(), rows() * np.float32(7) - np.float32(3)
    found = [applied(fitted({"one": x}), {"one": x}) for x in given]
    torch.testing.assert_close(*found, atol=1e-3, rtol=1e-3)


def test_numbers_have_the_spread_that_is_asked_for_and_weak_directions_are_lifted():
    x = rows()
    found = applied(fitted({"one": x}, dim=6, spread=0.5), {"one": x}).double()
    assert abs(float(found.std(dim=0).mean()) - 0.5) < 0.01
    standardised = Usual.of(x).apply(torch.from_numpy(x))
    before, after = (torch.linalg.eigvalsh(torch.cov(z.T)) for z in (standardised, found))
    assert after[-1] / after[0] < (before[-1] / before[0]) ** 0.6


def test_fewer_directions_than_numbers_fill_all_numbers():
    x = rows()
    found = applied(fitted({"one": x}, dim=20), {"one": x})
    assert (found.std(dim=0) > 0).all()
    assert int(torch.linalg.matrix_rank(found - found.mean(dim=0))) == 6


def test_a_column_that_never_changes_adds_nothing_and_far_values_are_clipped():
    x = np.concatenate([rows(), np.full((400, 1), 3.0, np.float32)], axis=1)
    vector, usual = fitted({"one": x}), Usual.of(x)
    far = torch.from_numpy(x[:1] + 1e9)
    assert torch.isfinite(vector({"one": far}, {"one": usual})).all()
    torch.testing.assert_close(usual.apply(far), torch.full((1, 7), 3.0))


def test_a_vector_is_the_sum_of_what_its_parts_add():
    given = {"one": rows(seed=1), "two": rows(seed=2)}
    vector = fitted(given, {"one": 3.0, "two": 1.0})
    assert vector.parts == {"one": 0.75, "two": 0.25}
    alone = [applied(vector, given, {name: given[name]}) for name in given]
    torch.testing.assert_close(applied(vector, given), alone[0] + alone[1])


def test_parts_have_their_shares_of_the_variance(monkeypatch):
    monkeypatch.setattr("mhmgnn.nn.vector.WHITEN", 0.0)
    given = {"one": rows(seed=1), "two": rows(seed=2)}
    vector = fitted(given, {"one": 0.9, "two": 0.1}, dim=12)
    one, two = (float(applied(vector, given, {name: given[name]}).var(dim=0).sum()) for name in given)
    assert abs(one / (one + two) - 0.9) < 0.01


def test_what_two_parts_know_is_told_once():
    x = rows()
    both = {"one": x, "two": 2 * x}
    found, alone = applied(fitted(both, dim=6), both), applied(fitted({"one": x}, dim=6), {"one": x})
    torch.testing.assert_close(found @ found.T, alone @ alone.T, atol=1e-3, rtol=1e-3)  # signs may differ


def test_without_any_row_nothing_is_standardised():
    usual = Usual.of(np.empty((0, 2), np.float32))
    torch.testing.assert_close(usual.apply(torch.tensor([[1.0, -2.0]])), torch.tensor([[1.0, -2.0]]))
