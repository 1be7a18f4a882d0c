import numpy as np
import torch

from mhmgnn.nn.vector import PartMap, Usual, VectorMap


def rows(m=400, seed=0):
    """Rows whose columns have very different means and spreads, and share a direction."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(m, 1))
    return ((shared + 0.3 * rng.normal(size=(m, 6))) * 10.0 ** np.arange(-2, 4) + 5).astype(np.float32)


def test_a_map_does_not_depend_on_the_units_of_the_rows():
    one, other = PartMap(6, 3), PartMap(6, 3)
    given, scaled = rows(), rows() * np.float32(7) - np.float32(3)
    one.fit(given, 0, 1.0)
    other.fit(scaled, 0, 1.0)
    found = [m(torch.from_numpy(x), Usual.of(x)) for m, x in ((one, given), (other, scaled))]
    torch.testing.assert_close(*found, atol=1e-3, rtol=1e-3)


def test_numbers_have_the_spread_that_is_asked_for_and_weak_directions_are_lifted():
    x = rows()
    part = PartMap(6, 6)
    part.fit(x, 0, 0.5)
    usual = Usual.of(x)
    found = part(torch.from_numpy(x), usual).double()
    assert abs(float(found.std(dim=0).mean()) - 0.5) < 0.01
    before, after = (torch.linalg.eigvalsh(torch.cov(z.T)) for z in (usual.apply(torch.from_numpy(x)), found))
    assert after[-1] / after[0] < (before[-1] / before[0]) ** 0.6


def test_a_column_that_never_changes_adds_nothing_and_far_values_are_clipped():
    x = np.concatenate([rows(), np.full((400, 1), 3.0, np.float32)], axis=1)
    part = PartMap(7, 2)
    part.fit(x, 0, 1.0)
    usual = Usual.of(x)
    far = torch.from_numpy(x[:1] + 1e9)
    assert torch.isfinite(part(far, usual)).all()
    torch.testing.assert_close(usual.apply(far), torch.full((1, 7), 3.0))


def test_without_any_row_nothing_is_standardised():
    usual = Usual.of(np.empty((0, 2), np.float32))
    torch.testing.assert_close(usual.apply(torch.tensor([[1.0, -2.0]])), torch.tensor([[1.0, -2.0]]))


def test_parts_stand_side_by_side_in_the_order_asked_for():
    both = VectorMap({"one": (6, 2), "two": (6, 3)})
    assert both.parts == {"one": 2, "two": 3}
    x = {name: rows(seed=i) for i, name in enumerate(both.parts)}
    for name, one in both.maps.items():
        one.fit(x[name], 0, 1.0)
    usual = {name: Usual.of(part) for name, part in x.items()}
    given = {name: torch.from_numpy(part) for name, part in x.items()}
    found = both({name: given[name] for name in ("two", "one")}, usual)
    torch.testing.assert_close(found[:, 3:], both.maps["one"](given["one"], usual["one"]))
