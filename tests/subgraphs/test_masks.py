import numpy as np
import pytest

from mhmgnn.subgraphs import _masks


def masks(slots: set[int], words: int) -> np.ndarray:
    out = np.zeros(words, np.uint64)
    for slot in slots:
        out[slot >> 6] |= _masks.bit_of(slot)
    return out


@pytest.mark.parametrize("slots", [1, 63, 64, 65, 130])
def test_a_filled_mask_lists_every_slot_once(slots):
    mask, found = np.zeros(3, np.uint64), np.full(slots, -1)
    _masks.fill(mask, slots)
    _masks.list_slots(mask, 3, found)
    assert found.tolist() == list(range(slots))


def test_the_first_slot_of_a_mask_is_its_least(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        slots = set(rng.choice(130, rng.integers(1, 9), replace=False).tolist())
        assert _masks.first_slot(masks(slots, 3)[None], 0, 3) == min(slots)
    assert _masks.first_slot(masks(set(), 3)[None], 0, 3) == -1


def test_a_pivot_has_the_most_neighbours_that_are_left(seed):
    rng = np.random.default_rng(seed)
    near = [set(rng.choice(70, 20, replace=False).tolist()) for _ in range(70)]
    left, also = set(range(0, 60, 2)), {61, 63}
    best = max(left | also, key=lambda slot: (len(near[slot] & left), -slot))
    rows = np.stack([masks(one, 2) for one in near])
    assert _masks.best_pivot(rows, masks(left, 2), masks(also, 2), 2, 70) == best
