"""Group energies: learned without labels, the same on any threads and after a kill, for sets of any size."""

import json
import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import mhmgnn
from mhmgnn import DataError, Graph, RunConfig
from mhmgnn.config import GroupsConfig
from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.graph.sets import Sets
from mhmgnn.models.groups import GroupReader
from mhmgnn.nn.pieces import BLOCK
from mhmgnn.runtime.distributed import ALONE
from mhmgnn.subgraphs.cliques import list_cliques
from mhmgnn.subgraphs.loose import loose_sets
from mhmgnn.training.calibration import reliability, settle_odds
from mhmgnn.training.groups import _balanced, _new_energy, fit_groups, hold_out
from mhmgnn.training.worlds.examples import Examples, draw_examples
from mhmgnn.training.worlds.families import Family
from mhmgnn.training.worlds.sizes import SizeLaw
from mhmgnn.training.worlds.store import WorldStore
from mhmgnn.training.worlds.world import Ground, plant_world

GROUPS = GroupsConfig(worlds=6, held_back=1, laws=6, examples=60, largest=8, epochs=4)
LAW = SizeLaw(0.3, 0.4, 0.3, np.ones(GROUPS.largest + 1), 1.0)
TINY = ["train.steps=2", "train.batch=2", "model.dim=8"]


def carts(seed=0, *, counts=True) -> tuple[Graph, list[tuple[int, ...]]]:
    """Sixty nodes in ten circles, which meet in groups of up to five; and these groups."""
    rng = np.random.default_rng(seed)
    groups = [
        tuple(sorted((6 * circle + rng.choice(6, rng.integers(2, 6), replace=False)).tolist()))
        for circle in rng.integers(10, size=200)
    ]
    chance = [tuple(sorted(rng.choice(60, 2, replace=False).tolist())) for _ in range(60)]
    pairs = [pair for group in [*groups, *chance] for pair in combinations(group, 2)]
    return Graph.from_edges(pairs, num_nodes=60, weights=None if counts else False), groups


@pytest.fixture(scope="module")
def model():
    config = replace(RunConfig().with_settings(TINY), groups=GROUPS)
    return mhmgnn.fit(carts()[0], 3, config=config)


def state(fitted) -> dict[str, bytes]:
    return {name: tensor.numpy().tobytes() for name, tensor in fitted.energy.state_dict().items()}


@pytest.mark.parametrize(("worlds", "unseen"), [(56, 6), (14, 4), (6, 1), (2, 1)])
def test_worlds_held_out_are_spread_over_all(worlds, unseen):
    held, taught = hold_out(list(range(worlds)), unseen)
    assert len(held) == unseen
    assert sorted(held + taught) == list(range(worlds))
    if unseen > 3:
        null = 1 - GroupsConfig().null  # null worlds come last
        assert np.mean(np.array(held) >= null * worlds) == pytest.approx(0.25, abs=0.1)


def test_energies_are_finite_for_connected_sets_of_any_size_and_infinite_for_others(model):
    graph = model.graph
    near = next(v for v in graph.indices[graph.indptr[0] : graph.indptr[1]].tolist())
    far = next(v for v in range(60) if v not in graph.indices[graph.indptr[0] : graph.indptr[1]] and v)
    sets = [[0], [0, near], list(range(6)), [0, far]]
    for match in ("contained", "exact"):
        energies = model.energy(sets, match=match)
        assert np.isfinite(energies[:3]).all()
        assert energies[3] == np.inf
    np.testing.assert_array_equal(model.energy(sets), model.energy(sets, match="contained"))


def test_an_energy_does_not_depend_on_the_other_sets_or_on_the_order_of_nodes(model):
    together = model.energy([[0, 1, 2], [3, 4], [5, 4, 3, 2]])
    alone = [model.energy([kset])[0] for kset in ([2, 1, 0], [4, 3], [2, 3, 4, 5])]
    np.testing.assert_allclose(together, alone, rtol=1e-5)


def test_an_energy_does_not_depend_on_the_piece_that_its_set_is_scored_in(model, monkeypatch):
    sets = model.graph.sets(mhmgnn.connected_sets(model.graph, 3)[:200])
    whole = model.reader().score(sets)
    monkeypatch.setattr("mhmgnn.nn.pieces.PIECE", BLOCK)
    np.testing.assert_array_equal(model.reader().score(sets), whole)
    assert model.reader().score(sets.take(np.arange(0))).shape == (0, 2)


def test_the_energies_of_the_paper_are_asked_for_by_kind(model):
    sets = [[0, 1, 2], [1, 2, 3]]
    with pytest.raises(DataError, match="kind is 'loud'; it must be one of noise, edges"):
        model.energy(sets, kind="loud")
    with pytest.raises(DataError, match="match is 'exact' and kind is 'noise'; give one of them"):
        model.energy(sets, match="exact", kind="noise")
    with pytest.raises(DataError, match="match is 'some'; it must be one of exact, contained"):
        model.energy(sets, match="some")
    np.testing.assert_array_equal(model.energy(sets, kind="noise"), model.energy(sets, kind="edges"))
    assert not np.array_equal(model.energy(sets, kind="noise"), model.energy(sets))


def test_a_saved_model_gives_the_same_energies(model, tmp_path):
    model.save(tmp_path / "run")
    sets = [[0, 1], [0, 1, 2], [0, 1, 2, 3, 4]]
    again = mhmgnn.load(tmp_path / "run")
    np.testing.assert_array_equal(again.energy(sets, match="exact"), model.energy(sets, match="exact"))
    assert json.loads((tmp_path / "run/model/provenance.json").read_text())["facts"]["groups"]["worlds"] == 6


def test_a_model_without_groups_says_so_and_has_the_energies_of_the_paper():
    config = RunConfig().with_settings([*TINY, "groups.worlds=0"])
    plain = mhmgnn.fit(carts()[0], 3, config=config)
    with pytest.raises(DataError, match=r"knows no groups.*groups\.worlds above 0"):
        plain.energy([[0, 1, 2]], match="exact")
    np.testing.assert_array_equal(plain.energy([[0, 1, 2]]), plain.energy([[0, 1, 2]], kind="noise"))


def test_a_graph_with_other_knowledge_of_counts_is_refused(model):
    bare = replace(model.graph, weights=None)
    with pytest.raises(DataError, match="the graph has no counts, and the groups were learned with counts"):
        model.energy([[0, 1, 2]], match="exact", graph=bare)


def test_where_there_is_hardly_a_triangle_there_are_no_groups(capsys):
    ring = Graph.from_edges([(i, (i + 1) % 200) for i in range(200)])
    config = replace(RunConfig().with_settings(TINY), groups=GROUPS)
    found = mhmgnn.fit(ring, 3, config=config, quiet=False)
    assert found.group_energy is None
    assert found.facts["groups"] is None
    assert "fewer than 100 triangles: too few to learn groups from" in capsys.readouterr().err


def test_networks_that_read_units_alone_are_trained_twice_as_long(model):
    log = model.facts["groups"]["log"]
    epochs = [[row["epoch"] for row in log if row["network"] == number] for number in range(4)]
    level, unit = list(range(GROUPS.epochs)), list(range(2 * GROUPS.epochs))
    assert epochs == [level, level, unit, unit]


def test_worlds_depend_on_seed_and_number_alone(monkeypatch, tmp_path):
    graph = carts(1)[0]
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("MHMGNN_THREADS", threads)
        found.append(state(fit_groups(graph, GROUPS, 5, crew=ALONE, store=WorldStore(None, ""))))
    assert found[0] == found[1]
    other = state(fit_groups(graph, GROUPS, 6, crew=ALONE, store=WorldStore(None, "")))
    assert other != found[0]


def test_worlds_that_were_kept_are_not_drawn_again_and_give_the_same_energy(monkeypatch, tmp_path):
    graph = carts(2)[0]
    first = state(fit_groups(graph, GROUPS, 5, crew=ALONE, store=WorldStore(tmp_path / "w", "mine")))
    (tmp_path / "w/world-000002.safetensors").write_bytes(b"torn")
    (tmp_path / "w/world-000004.safetensors").unlink()
    drawn = []
    whole = mhmgnn.training.groups.draw_examples
    monkeypatch.setattr(
        "mhmgnn.training.groups.draw_examples", lambda *words: drawn.append(1) or whole(*words)
    )
    again = state(fit_groups(graph, GROUPS, 5, crew=ALONE, store=WorldStore(tmp_path / "w", "mine")))
    assert again == first
    assert len(drawn) == 2
    fit_groups(graph, GROUPS, 5, crew=ALONE, store=WorldStore(tmp_path / "w", "another"))
    assert len(drawn) == 2 + GROUPS.worlds


def test_groups_are_found_from_pairs_without_any_label():
    graph, groups = carts(3)
    config = replace(GROUPS, worlds=10, laws=16, examples=150, epochs=8)
    fitted = fit_groups(graph, config, 0, crew=ALONE, store=WorldStore(None, ""))
    reader = GroupReader(fitted.energy, graph, at_home=True)
    triangles = list_cliques(graph, 3)
    inside = np.array([any(set(row) <= set(group) for group in groups) for row in triangles.tolist()])
    energy = reader.energies(Sets.of_rows(triangles))[:, 1]
    order = np.argsort(np.argsort(-energy))
    auc = (order[inside].mean() - (inside.sum() - 1) / 2) / (~inside).sum()
    assert auc > 0.9


def test_energies_are_the_same_when_the_truth_is_removed_and_nobody_may_read_it(monkeypatch):
    data = mhmgnn.datasets.hypergraph([list(group) for group in carts(3)[1]])
    learned = state(fit_groups(data.graph, GROUPS, 0, crew=ALONE, store=WorldStore(None, "")))

    def refuse(*_):
        raise AssertionError("labels were read")

    bare = replace(data, truth=None)
    for name in ("members", "offsets"):
        monkeypatch.setattr(Hyperedges, name, property(refuse), raising=False)
    with pytest.raises(AssertionError, match="labels were read"):
        len(data.truth)
    assert state(fit_groups(bare.graph, GROUPS, 0, crew=ALONE, store=WorldStore(None, ""))) == learned


def test_connected_sets_that_are_no_cliques_are_hardly_ever_taken_for_groups(model):
    graph = model.graph
    for k in (3, 4):
        loose = np.unique(loose_sets(graph, k, 300, np.random.default_rng(k)), axis=0)
        for match in ("exact", "contained"):
            chance = 1 / (1 + np.exp(model.energy(loose, match=match)))
            assert chance.mean() < 0.1
            cliques = 1 / (1 + np.exp(model.energy(list_cliques(graph, k), match=match)))
            assert cliques.mean() > 2 * chance.mean()


def test_a_network_that_knows_nothing_gives_every_size_and_kind_the_share_of_its_groups():
    joined = Examples.join([examples(number) for number in range(3)])
    energy = _new_energy(joined, GROUPS, 0)
    for network in energy.by_level.networks:
        torch.nn.init.zeros_(network.heads.weight)
        torch.nn.init.zeros_(network.heads.bias)
    settle_odds(energy, joined)
    curves = reliability(energy, joined)
    assert set(curves) == {"cliques", "others"}
    for rows in (rows for by_question in curves.values() for rows in by_question.values()):
        chance, share, weight = np.array(rows).T
        assert weight.sum() == pytest.approx(1)
        assert weight @ chance == pytest.approx(weight @ share, abs=1e-4)


def test_groups_and_other_cliques_weigh_the_same_in_each_world():
    worlds = [examples(number) for number in range(3)]
    weights = _balanced(worlds, 0)
    joined = Examples.join(worlds)
    owner = np.repeat(np.arange(3), [world.sizes.size for world in worlds])
    yes, triangles = joined.answers[:, 0], (joined.sizes == 3) & (joined.missing == 0)
    sums = [weights[triangles & (yes == answer) & (owner == w)].sum() for answer in (0, 1) for w in range(3)]
    np.testing.assert_allclose(sums, sums[0], rtol=1e-4)


def test_a_world_weighs_as_much_as_its_lesson_says():
    first, second = examples(0), examples(1)
    second = second._replace(lessons=second.lessons * [0.5, 0.0])
    cut = first.sizes.size
    owner_sums = []
    for question in (0, 1):
        weights = _balanced([first, second], question)
        joined = Examples.join([first, second])
        mine = (joined.sizes == 3) & (joined.missing == 0) & joined.answers[:, question]
        owner_sums.append([weights[:cut][mine[:cut]].sum(), weights[cut:][mine[cut:]].sum()])
    assert owner_sums[0][1] == pytest.approx(0.5 * owner_sums[0][0], rel=1e-4)
    assert owner_sums[1][1] == 0


def examples(number: int) -> Examples:
    rng = np.random.default_rng(number)
    world = plant_world(Ground.of(carts()[0]), [LAW], Family(1.0), GROUPS, rng)
    return draw_examples(world, 100, rng)


def test_two_processes_learn_the_groups_of_one(tmp_path):
    graph = carts(4)[0]
    owner = np.repeat(np.arange(60), graph.degrees)
    pairs = np.column_stack([owner, graph.indices, graph.weights.astype(int)])[owner < graph.indices]
    np.savetxt(tmp_path / "pairs.csv", pairs, "%d", ",", header="a,b,count", comments="")
    sizes = "worlds=6", "held_back=1", "laws=6", "examples=60", "largest=8", "epochs=4"
    settings = [word for one in (*TINY, *(f"groups.{size}" for size in sizes)) for word in ("--set", one)]
    for devices in ("1", "2"):
        words = ["fit", "pairs.csv", f"run{devices}", "--quiet", "--devices", devices, *settings]
        subprocess.run([sys.executable, "-m", "mhmgnn", *words], cwd=tmp_path, check=True)
    one, two = (load_file(tmp_path / f"run{devices}/model/weights.safetensors") for devices in "12")
    learned = [name for name in one if name.startswith("groups.")]
    assert len(learned) > 10
    assert all(torch.equal(one[name], two[name]) for name in learned)
