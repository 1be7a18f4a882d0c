import numpy as np
import pytest

from mhmgnn.runtime.hashtable import EMPTY, REMOVED, add, find, new_table, pair_code


@pytest.mark.parametrize("largest", [40, 10**12])
def test_a_table_holds_what_a_set_holds(seed, largest):
    codes = np.random.default_rng(seed).integers(largest, size=300)
    table, held = new_table(codes.size), set()
    for code in codes.tolist():
        assert add(table, code) == (code not in held)
        held.add(code)
    assert set(table[table >= 0].tolist()) == held


def test_numbers_behind_a_removed_one_are_still_found():
    table = new_table(200)
    for code in range(200):
        add(table, code)
    for code in range(0, 200, 2):
        table[find(table, code)] = REMOVED
    assert all(table[find(table, code)] == (code if code % 2 else EMPTY) for code in range(200))


def test_pairs_have_a_number_each_whatever_their_order():
    codes = {pair_code(u, v, 7) for u in range(7) for v in range(7) if u != v}
    assert len(codes) == 21
