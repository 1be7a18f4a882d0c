from itertools import combinations

import numpy as np
import pytest

from mhmgnn.datasets.hyperedges import Hyperedges, project
from mhmgnn.errors import DataError

CARTS = [{0, 1, 2}, {1, 2, 3, 4}, {0, 4}, {1, 2}, {0, 1, 2}]


@pytest.fixture
def carts() -> Hyperedges:
    return Hyperedges.from_padded(np.array([[*cart, -1, -1][:4] for cart in CARTS]))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_kset_is_held_as_the_definition_says(carts, k):
    ksets = np.array(list(combinations(range(6), k)))
    exact = [any(set(kset) == cart for cart in CARTS) for kset in ksets.tolist()]
    contained = [any(set(kset) <= cart for cart in CARTS) for kset in ksets.tolist()]
    assert carts.holds(ksets).tolist() == exact
    assert carts.holds(ksets, "contained").tolist() == contained


@pytest.mark.parametrize("least", [1, 2, 3])
def test_a_pair_remains_when_enough_hyperedges_hold_it(carts, least):
    kept = [pair for pair in combinations(range(6), 2) if sum(set(pair) <= cart for cart in CARTS) >= least]
    assert project(carts, 6, min_together=least).tolist() == [list(pair) for pair in kept]


def test_what_is_not_possible_is_refused(carts):
    with pytest.raises(DataError, match=r"match='some' is unknown; it is one of exact, contained"):
        carts.holds(np.array([[0, 1]]), "some")
    with pytest.raises(DataError, match=r"min_together=5 leaves no pair; take 4 or less"):
        project(carts, 5, min_together=5)


def test_hyperedges_cannot_be_changed(carts):
    with pytest.raises(ValueError, match="read-only"):
        carts.members[0] = 5
