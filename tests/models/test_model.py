from itertools import combinations

import naive
import numpy as np
import pytest
import torch
from conftest import random_graph
from torch.nn import functional

from mhmgnn import DataError, Graph, fit, load
from mhmgnn.config import RunConfig, SetsConfig
from mhmgnn.graph.names import Names
from mhmgnn.nn.motifs.batch import gather
from mhmgnn.nn.motifs.features import node_features


def small(*settings):
    """The settings of a run that takes a moment."""
    tiny = ["model.dim=8", "subgraphs.size=8", "train.steps=2", "train.batch=3", "train.learning_rate=0.01"]
    return RunConfig().with_settings([*tiny, *settings])


def with_features(graph, width=5):
    x = 3 * np.random.default_rng(7).standard_normal((graph.num_nodes, width)).astype(np.float32)
    return Graph(*graph.rows, x, names=Names.of([f"n{node}" for node in range(graph.num_nodes)]))


def rows(ksets):
    return np.array(sorted(sorted(kset) for kset in ksets))


def every(graph, k=3):
    return np.array(list(combinations(range(graph.num_nodes), k)))


@pytest.fixture(scope="module", name="graph")
def named_graph():
    return with_features(random_graph(3))


@pytest.fixture(scope="module", name="model")
def trained_model(graph):
    return fit(graph, config=small("model.degree_features=true"))


@pytest.fixture(scope="module", name="plain")
def model_as_in_the_paper(graph):
    return fit(graph, config=small("model.degree_features=true").as_in_paper())


def test_vectors_as_in_the_paper_have_length_4(plain, graph):
    np.testing.assert_allclose(np.linalg.norm(plain.embed(every(graph)), axis=1), 4, rtol=1e-5)
    assert plain.parts == {"noise": 1.0}


def test_a_vector_depends_neither_on_the_order_of_nodes_nor_on_the_other_rows(model, graph):
    rng = np.random.default_rng(0)
    ksets, order = every(graph), rng.permutation(len(every(graph)))
    vectors = model.embed(ksets)
    np.testing.assert_array_equal(model.embed(rng.permuted(ksets, axis=1)), vectors)
    np.testing.assert_allclose(model.embed(ksets[order]), vectors[order], atol=2e-5)
    np.testing.assert_allclose(model.embed(ksets[5:6]), vectors[5:6], atol=2e-5)


def test_chunks_do_not_show(model, graph, monkeypatch):
    whole = model.embed(every(graph)), model.energy(every(graph))
    monkeypatch.setattr("mhmgnn.models.motifs.CHUNK", 7)
    np.testing.assert_allclose(model.embed(every(graph)), whole[0], atol=2e-5)
    np.testing.assert_allclose(model.energy(every(graph)), whole[1], atol=1e-5)


def test_names_and_indices_mean_the_same_nodes(model):
    np.testing.assert_array_equal(model.embed([["n4", "n1", "n7"]]), model.embed([[1, 4, 7]]))
    np.testing.assert_array_equal(model.energy([["n4", "n1", "n7"]]), model.energy([[1, 4, 7]]))


def test_energy_is_infinite_exactly_where_a_set_is_not_connected_and_vectors_are_not(model, graph):
    ksets, near = every(graph), naive.adjacency(graph)
    connected = [naive.is_connected(near, frozenset(kset)) for kset in ksets.tolist()]
    assert 0 < sum(connected) < len(ksets)
    assert np.isfinite(model.energy(ksets)).tolist() == connected
    assert np.isfinite(model.embed(ksets)).all()


def test_vector_and_energy_are_those_of_the_network_on_the_motif(plain, graph):
    model = plain
    features = node_features(graph, model.config.model)
    weights = model.network.state_dict()
    ksets = rows(naive.connected_sets(graph, 3))
    vectors, energies = model.embed(ksets), model.energy(ksets)
    for kset, vector, energy in zip(ksets, vectors, energies, strict=True):
        with torch.no_grad():
            motif = gather(graph, kset[None, :], features=features)
            parts = [part.encoder(motif)[0] for part in model.network.energies]
        h = torch.cat(parts)
        evened = weights["whitening"].T @ (h - weights["centre"])
        np.testing.assert_allclose(vector, 4 * evened / evened.norm(), atol=2e-5)
        expected = 0.0
        for number, part in enumerate(parts):
            of = {name: weights[f"energies.{number}.{name}"] for name in ("rho.0.weight", "rho.0.bias")}
            hidden = functional.leaky_relu(of["rho.0.weight"] @ part + of["rho.0.bias"])
            expected += float(weights[f"energies.{number}.last.weight"][0] @ hidden)
        assert energy == pytest.approx(expected, abs=1e-5)
    assert np.ptp(energies) > 1e-2  # a constant would agree as well


def test_the_energy_of_a_graph_is_the_sum_over_its_connected_sets(model, graph):
    found = model.graph_energy()
    assert found.exact
    assert found.value == pytest.approx(model.energy(rows(naive.connected_sets(graph, 3))).sum(), rel=1e-4)


def test_completions_are_all_nodes_that_keep_the_set_connected_lowest_energy_first(model, graph):
    near = naive.adjacency(graph)
    for pair in combinations(range(graph.num_nodes), 2):
        found = model.complete([f"n{pair[0]}", pair[1]], top=graph.num_nodes, kind="noise")
        others = set(range(graph.num_nodes)) - set(pair)
        expected = {v for v in others if naive.is_connected(near, frozenset((*pair, v)))}
        assert {candidate.node for candidate in found} == expected
        energies = [candidate.energy for candidate in found]
        assert energies == sorted(energies)
        assert [candidate.name for candidate in found] == [f"n{candidate.node}" for candidate in found]
        if found:
            sets = [[*pair, candidate.node] for candidate in found]
            np.testing.assert_allclose(energies, model.energy(sets), atol=1e-5)
        assert model.complete(pair, top=2, kind="noise") == found[:2]
        out = [candidate.node for candidate in found]
        rest = model.complete(pair, top=99, kind="noise", exclude=out[:1])
        assert [candidate.node for candidate in rest] == out[1:]


def test_a_wrong_number_of_nodes_to_complete_is_refused(model):
    with pytest.raises(DataError, match="3 nodes are given; by an energy of noise, of k = 3, give 2"):
        model.complete([0, 1, 2], kind="noise")
    with pytest.raises(DataError, match="top is 0"):
        model.complete([0, 1], top=0)


@pytest.mark.parametrize("limit", [10**7, 1], ids=["exact", "descent"])
@pytest.mark.parametrize(
    "options",
    [{}, {"require": ["n4"]}, {"exclude": ["n4", 1]}, {"cliques": True}, {"require": [4], "exclude": ["n1"]}],
    ids=str,
)
def test_discoveries_are_the_lowest_of_all_sets_that_are_asked_for(model, graph, options, limit):
    require, exclude = ({int(str(v).strip("n")) for v in options.get(w, ())} for w in ("require", "exclude"))
    near = naive.adjacency(graph)
    asked = [
        kset
        for kset in naive.connected_sets(graph, 3)
        if kset >= require
        and kset.isdisjoint(exclude)
        and (not options.get("cliques") or all(b in near[a] for a, b in combinations(kset, 2)))
    ]
    found = model.discover(top=6, limit=limit, **options)
    assert found.exact == (limit > 1)
    energies = [item.energy for item in found.sets]
    np.testing.assert_allclose(energies, np.sort(model.energy(rows(asked)))[:6], atol=1e-5)
    np.testing.assert_allclose(energies, model.energy([item.names for item in found.sets]), atol=1e-5)
    sets = {frozenset(item.nodes) for item in found.sets}
    assert sets <= set(asked)
    assert len(sets) == len(found.sets) == min(6, len(asked))


def relabelled(graph, order):
    """The same graph with node v called order[v]."""
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    edges = np.column_stack([order[source], order[graph.indices]])
    return Graph.from_edges(edges, features=graph.x[np.argsort(order)])


def test_another_graph_with_the_same_features_is_read_and_numbering_does_not_matter(model, graph):
    order = np.random.default_rng(1).permutation(graph.num_nodes)
    other, ksets = relabelled(graph, order), every(graph)
    vectors, energies = model.embed(ksets), model.energy(ksets)
    np.testing.assert_allclose(model.embed(order[ksets], graph=other), vectors, atol=2e-5)
    np.testing.assert_allclose(model.energy(order[ksets], graph=other), energies, atol=1e-5)
    np.testing.assert_allclose(model.embed(ksets), vectors, atol=2e-5)  # its own graph, again
    assert model.graph_energy(other).value == pytest.approx(model.graph_energy().value, rel=1e-4)
    best = {frozenset(order[list(item.nodes)].tolist()) for item in model.discover(top=3).sets}
    assert {frozenset(item.nodes) for item in model.discover(top=3, graph=other).sets} == best


def test_a_graph_with_other_features_is_refused(model, graph):
    with pytest.raises(DataError, match="4 node features; the model was trained on 5"):
        model.embed([[0, 1, 2]], graph=with_features(graph, width=4))
    attributed = Graph(*graph.rows, graph.x, np.ones((graph.indices.size, 2), np.float32))
    with pytest.raises(DataError, match="2 edge attributes; the model was trained on 0"):
        model.discover(graph=attributed)


def test_a_saved_model_gives_the_same_vectors_bit_for_bit(model, graph, tmp_path):
    model.save(tmp_path / "run")
    back = load(tmp_path / "run")
    np.testing.assert_array_equal(back.embed(every(graph)), model.embed(every(graph)))
    np.testing.assert_array_equal(back.energy([["n4", "n1", "n7"]]), model.energy([["n4", "n1", "n7"]]))
    assert is_mapped(back.graph.indices)
    assert (back.config, back.facts) == (model.config, model.facts)


def test_a_sound_model_is_loaded_without_the_slow_comparison_of_shapes(model, tmp_path, monkeypatch):
    model.save(tmp_path)
    compared = []
    monkeypatch.setattr("mhmgnn.models.load._check_shapes", lambda made, state: compared.append(made))
    network = load(tmp_path).network
    assert compared == [network]  # once, and on weights that are there


def is_mapped(array):
    while array is not None and not isinstance(array, np.memmap):
        array = array.base
    return array is not None


def test_what_is_no_whole_model_is_refused(model, tmp_path):
    with pytest.raises(DataError, match=r"nowhere.* is no saved model"):
        load(tmp_path / "nowhere")
    model.save(tmp_path)
    weights = tmp_path / "model" / "weights.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    with pytest.raises(DataError, match=r"weights\.safetensors is damaged"):
        load(tmp_path)


def changed(trained, untrained):
    """The parameters that training has moved."""
    before = dict(untrained.network.named_parameters())
    return {n for n, tensor in trained.network.named_parameters() if not torch.equal(tensor, before[n])}


@pytest.mark.parametrize("encoder", ["sage", "gin", "gcn", "gat", "kgnn", "relational"])
def test_every_encoder_learns_and_is_blind_to_the_numbering(graph, encoder):
    settings = f"model.encoder={encoder}", "train.steps=1"
    model = fit(graph, config=small(*settings))
    parameters = set(dict(model.network.named_parameters()))
    assert changed(model, fit(graph, config=small(*settings, "train.steps=0"))) == parameters
    order = np.random.default_rng(1).permutation(graph.num_nodes)
    ksets = rows(naive.connected_sets(graph, 3))
    found = model.embed(order[ksets], graph=relabelled(graph, order))
    np.testing.assert_allclose(found, model.embed(ksets), atol=1e-4)


def test_with_k_2_it_is_a_model_of_edges(graph):
    model = fit(graph, 2, config=small())
    near = naive.adjacency(graph)
    pairs = every(graph, 2)
    assert np.isfinite(model.energy(pairs)).tolist() == [b in near[a] for a, b in pairs.tolist()]
    assert {candidate.node for candidate in model.complete([4], top=99, kind="noise")} == near[4]
    assert model.graph_energy().value == pytest.approx(
        model.energy(rows(naive.connected_sets(graph, 2))).sum(), rel=1e-4
    )


def test_a_model_of_whole_graphs_embeds_graphs_and_refuses_sets(graph):
    model = fit(graph, config=small("model.encoder=whole"))
    order = np.random.default_rng(1).permutation(graph.num_nodes)
    one, same, other = model.embed_graphs([graph, relabelled(graph, order), with_features(random_graph(4))])
    np.testing.assert_allclose(one, same, atol=1e-5)
    assert np.abs(one - other).max() > 1e-4
    energy = model.graph_energy(relabelled(graph, order))
    assert energy.exact
    assert energy.value == pytest.approx(model.graph_energy().value, abs=1e-5)
    for use in (model.embed, model.energy, model.complete, lambda _: model.discover()):
        with pytest.raises(DataError, match=r"whole graphs \(k = n\), not k-sets; use embed_graphs"):
            use([[0, 1, 2]])


def test_a_whole_graph_is_the_mean_or_the_sum_of_its_connected_sets(model, graph):
    vectors = model.embed(rows(naive.connected_sets(graph, 3)))
    tiny = with_features(Graph.from_edges([(0, 1)]))
    for pool, expected in (("mean", vectors.mean(axis=0)), ("sum", vectors.sum(axis=0))):
        found, nothing = model.embed_graphs([graph, tiny], pool=pool)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
        assert not nothing.any()
    with pytest.raises(DataError, match="pool is 'max'; it must be one of mean, sum"):
        model.embed_graphs([graph], pool="max")


def test_tours_pool_a_graph_without_bias(model, graph, monkeypatch, seed):
    exact = model.embed_graphs([graph], pool="sum")[0]
    monkeypatch.setattr("mhmgnn.models.graph_vector.POOLED", SetsConfig(exact=0, tours=200, supernode=2))
    drawn = np.array([model.embed_graphs([graph], pool="sum", seed=50 * seed + i)[0] for i in range(50)])
    z = (drawn.mean(axis=0) - exact) / (drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn)))
    assert drawn.std(axis=0).max() > 0
    assert np.abs(z).max() < 6  # the largest of as many columns as the model has dimensions


def test_without_features_degrees_stand_in():
    near_hub = [(0, leaf) for leaf in range(1, 9)]
    graph = Graph.from_edges([*near_hub, (1, 2)])
    model = fit(graph, config=small())
    parameters = set(dict(model.network.named_parameters()))
    assert changed(model, fit(graph, config=small("train.steps=0"))) == parameters
    leaves, others, triangle = model.embed([[0, 5, 6], [0, 7, 8], [0, 1, 2]])
    np.testing.assert_array_equal(leaves, others)
    assert np.abs(leaves - triangle).max() > 1e-4


def test_a_model_of_many_graphs_asks_which_one_is_meant(graph, tmp_path):
    model = fit([graph, with_features(random_graph(4))], config=small())
    with pytest.raises(DataError, match="say which graph is meant"):
        model.embed([[0, 1, 2]])
    model.save(tmp_path)
    ksets = rows(naive.connected_sets(graph, 3))
    np.testing.assert_array_equal(load(tmp_path).energy(ksets, graph=graph), model.energy(ksets, graph=graph))
