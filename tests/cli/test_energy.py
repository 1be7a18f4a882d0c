"""`mhmgnn energy` on sets of any size, by match and by kind."""

import json

import numpy as np
import pytest
from cli.test_main import run
from training.test_groups import GROUPS, TINY, carts

import mhmgnn
from mhmgnn import RunConfig


@pytest.fixture(scope="module", name="place")
def trained_run(tmp_path_factory):
    from dataclasses import replace

    folder = tmp_path_factory.mktemp("energy")
    config = replace(RunConfig().with_settings(TINY), groups=GROUPS)
    mhmgnn.fit(carts()[0], 3, config=config).save(folder / "run")
    (folder / "mixed.csv").write_text("a,b,c,d\n0,1,2,3\n0,1\n2,3,4,\n0,59,,\n")
    (folder / "threes.csv").write_text("0,1,2\n3,4,5\n")
    return folder


@pytest.mark.parametrize("match", ["exact", "contained"])
def test_sets_of_mixed_sizes_have_the_energies_of_the_library(capsys, place, match):
    code, out, _ = run(capsys, "energy", f"{place}/run", f"{place}/mixed.csv", "--match", match, "--json")
    assert code == 0
    rows = json.loads(out)
    sets = [[0, 1, 2, 3], [0, 1], [2, 3, 4], [0, 59]]
    assert [row["names"] for row in rows] == [[str(node) for node in one] for one in sets]
    expected = mhmgnn.load(place / "run").energy(sets, match=match)
    found = [np.inf if row["energy"] is None else row["energy"] for row in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_without_a_file_energies_are_printed_beside_their_sets(capsys, place):
    _, out, _ = run(capsys, "energy", f"{place}/run", f"{place}/mixed.csv")
    sets = [[0, 1, 2, 3], [0, 1], [2, 3, 4], [0, 59]]
    energies = mhmgnn.load(place / "run").energy(sets)
    lines = [
        f"{energy:10.4f}  {', '.join(map(str, one))}" for energy, one in zip(energies, sets, strict=True)
    ]
    assert out.splitlines() == lines


def test_a_kind_of_noise_has_energies_of_k_nodes_alone(capsys, place):
    _, out, _ = run(capsys, "energy", f"{place}/run", f"{place}/threes.csv", "--kind", "edges", "--json")
    expected = mhmgnn.load(place / "run").energy([[0, 1, 2], [3, 4, 5]], kind="edges")
    assert [np.inf if row["energy"] is None else row["energy"] for row in json.loads(out)] == pytest.approx(
        expected.tolist()
    )
    code, _, err = run(capsys, "energy", f"{place}/run", f"{place}/mixed.csv", "--kind", "edges", "--json")
    assert code == 2
    assert "has 4 columns" in err


def test_a_match_that_is_not_known_is_refused(capsys, place):
    code, _, err = run(capsys, "energy", f"{place}/run", f"{place}/mixed.csv", "--match", "some", "--json")
    assert code == 2
    assert "match is 'some'; it must be one of exact, contained" in err
