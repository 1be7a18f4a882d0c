from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from mhmgnn import DataError, Graph, connected_sets
from mhmgnn.config import ModelConfig, RunConfig, SetsConfig, SubgraphConfig, TrainConfig
from mhmgnn.nn.energy import new_network
from mhmgnn.nn.losses import graph_energy
from mhmgnn.nn.motifs.features import stack_features
from mhmgnn.training.batches import Sampler, TrainingBatch, ahead, new_sampler
from mhmgnn.training.budget import choose_budget, energy_of
from mhmgnn.training.noise.noise import noise_kinds
from mhmgnn.training.objective import objectives
from mhmgnn.training.source import Source

SMALL = RunConfig(
    model=ModelConfig(dim=8),
    subgraphs=SubgraphConfig(size=12, noise="features"),
    sets=SetsConfig(tours=20, supernode=10),
    train=TrainConfig(batch=4),
)


def the_batch(sampler: Sampler, step: int) -> TrainingBatch:
    """The batch of a step where there is one kind of noise."""
    (batch,) = sampler.batch(step).values()
    return batch


def words(nodes=60, edges=140, *, features=True, seed=1) -> Graph:
    rng = np.random.default_rng(seed)
    pairs = list(nx.gnm_random_graph(nodes, edges, seed=seed).edges())
    return Graph.from_edges(
        pairs, features=rng.normal(size=(nodes, 5)) if features else None, num_nodes=nodes
    )


def test_a_batch_depends_on_its_step_alone():
    graph = words()
    twice = new_sampler([graph], SMALL, seed=3), new_sampler([graph], SMALL, seed=3)
    twice[0].batch(0)
    for a, b in zip(the_batch(twice[0], 5).motifs, the_batch(twice[1], 5).motifs, strict=True):
        assert a is b is None or torch.equal(a, b)


def test_processes_share_the_batch_of_one():
    sampler = new_sampler([words()], SMALL, seed=3)
    (objective,) = objectives(new_network(SMALL, 5, 0, seed=0), 1)
    alone = objective(the_batch(sampler, 2))
    shared = sum(objective(sampler.batch(2, rank=rank, world=3)[0]) for rank in range(3))
    torch.testing.assert_close(shared, alone, rtol=1e-6, atol=1e-6)


def test_noise_has_the_edges_and_weights_of_its_data_and_other_features():
    batch = the_batch(new_sampler([words()], SMALL, seed=3), 0)
    half = len(batch.weights) // 2
    assert torch.equal(batch.motifs.adjacency[:half], batch.motifs.adjacency[half:])
    assert torch.equal(batch.weights[:half], batch.weights[half:])
    assert torch.equal(batch.owner[:half] + 4, batch.owner[half:])
    assert not torch.equal(batch.motifs.rows[:half], batch.motifs.rows[half:])
    assert batch.is_data.tolist() == [1.0] * 4 + [0.0] * 4


def test_noise_by_edges_keeps_features_and_adds_ksets():
    graph = words(features=False)
    batch = the_batch(new_sampler([graph], replace(SMALL, subgraphs=SubgraphConfig(size=12)), seed=3), 0)
    data = int((batch.owner < 4).sum())
    assert data < len(batch.owner) - data


def test_mean_weights_add_up_to_one_and_sum_weights_to_the_number_of_ksets():
    graph = words()
    for energy in ("mean", "sum"):
        config = replace(SMALL, train=replace(SMALL.train, energy=energy))
        sampler = new_sampler([graph], config, seed=3)
        batch = the_batch(sampler, 0)
        totals = graph_energy(torch.ones_like(batch.weights), batch.weights, batch.owner, 8)
        drawn = [Graph(*part.subgraph.rows) for part in sampler.source.draw(np.arange(4))]
        counts = [len(connected_sets(graph, 3)) for graph in drawn]
        torch.testing.assert_close(
            totals, torch.ones(8) if energy == "mean" else torch.tensor(counts * 2).float()
        )


@pytest.mark.parametrize(
    "sets",
    [SetsConfig(exact=0, tours=10, supernode=5), SetsConfig(tours=10, supernode=5, most=20)],
    ids=["tours", "a fair share"],
)
def test_gradients_from_a_sample_agree_with_exact_ones_in_expectation(sets):
    graph = words(nodes=14, edges=30)
    exact = replace(
        SMALL, subgraphs=SubgraphConfig(size=14, noise="features"), train=TrainConfig(batch=1, energy="mean")
    )
    sampled = replace(exact, sets=sets)
    network = new_network(exact, 5, 0, seed=1).double()

    def energy_gradient(config: RunConfig, seed: int) -> np.ndarray:
        batch = the_batch(new_sampler([graph], config, seed=seed), 0)
        motifs = batch.motifs._replace(x=batch.motifs.x.double())
        network.zero_grad()
        mine = batch.owner == 0
        (network(motifs)[mine] * batch.weights[mine].double()).sum().backward()
        return torch.cat([p.grad.flatten() for p in network.parameters()]).numpy()

    truth = energy_gradient(exact, 0)
    drawn = np.array([energy_gradient(sampled, seed) for seed in range(150)])
    spread = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    moving = spread > 1e-9
    assert moving.sum() > 100
    assert (np.abs(drawn.mean(axis=0) - truth)[moving] < 5 * spread[moving]).all()


def test_k_2_is_an_edge_model():
    graph = words()
    config = replace(SMALL, train=TrainConfig(k=2, batch=2))
    batch = the_batch(new_sampler([graph], config, seed=0), 0)
    assert batch.motifs.adjacency[:, 0, 1].all()
    drawn = Source([graph], config, seed=0).draw(np.arange(2))
    edges = sum(part.subgraph.indices.size // 2 for part in drawn)
    assert len(batch.weights) == 2 * edges


def test_many_graphs_come_as_they_are_each_once_an_epoch():
    graphs = [words(nodes=6 + i, edges=9, seed=i) for i in range(8)]
    sampler = new_sampler(graphs, SMALL, seed=0)
    sizes = [part.subgraph.nodes.size for part in sampler.source.draw(np.arange(8))]
    assert sorted(sizes) == [6 + i for i in range(8)]
    assert sizes != [part.subgraph.nodes.size for part in sampler.source.draw(np.arange(8, 16))]


def test_graphs_without_ksets_have_no_energy():
    tiny = Graph.from_edges([[0, 1]], features=np.ones((2, 5)))
    config = replace(SMALL, train=TrainConfig(batch=2))
    batch = the_batch(new_sampler([tiny, words()], config, seed=0), 0)
    energy = graph_energy(torch.ones_like(batch.weights), batch.weights, batch.owner, 4)
    assert sorted(energy.tolist()) == pytest.approx([0, 0, 1, 1], abs=1e-4)


def test_drawing_ahead_keeps_the_order():
    sampler = new_sampler([words()], SMALL, seed=0)
    found = [batch[0].weights for batch in ahead(sampler, range(3, 9), lambda: [0], rank=0, world=1)]
    assert len(found) == 6
    for step, weights in zip(range(3, 9), found, strict=True):
        assert torch.equal(weights, the_batch(sampler, step).weights)


def test_a_tighter_error_asks_for_more_tours():
    graph = words(nodes=200, edges=600)
    config = RunConfig(
        model=ModelConfig(dim=8), sets=SetsConfig(exact=0, error=0.3), train=TrainConfig(batch=2)
    )
    chosen = []
    for error in (0.3, 0.03):
        source = Source([graph], config, seed=0)
        energy = energy_of(new_network(config, 5, 0, seed=0), source)
        chosen.append(choose_budget(source, replace(config.sets, error=error), energy))
    assert chosen[0].tours < chosen[1].tours
    given = replace(config.sets, tours=7, supernode=30)
    assert choose_budget(source, given, energy) == given


def test_each_kind_of_noise_comes_with_the_same_data():
    both = replace(SMALL, subgraphs=SubgraphConfig(size=12, noise="both"))
    first, second = new_sampler([words()], both, seed=3).batch(0).values()
    alone = the_batch(new_sampler([words()], SMALL, seed=3), 0)
    assert torch.equal(first.weights, alone.weights)
    for one, other in zip(first.data()[0], second.data()[0], strict=True):
        assert one is other is None or one.shape[1:] == other.shape[1:]
    data, (motifs, weights) = first.data(), second.data()
    assert torch.equal(data[1], weights)
    assert torch.equal(data[0].adjacency, motifs.adjacency)
    nodes = [part.x[part.rows] for part in (data[0], motifs)]
    assert torch.equal(*nodes)


def test_a_kind_of_noise_that_is_not_wanted_is_not_drawn():
    both = replace(SMALL, subgraphs=SubgraphConfig(size=12, noise="both"))
    sampler = new_sampler([words()], both, seed=3)
    drawn, whole = sampler.batch(0, of=[1]), sampler.batch(0)
    assert list(drawn) == [1]
    assert torch.equal(drawn[1].motifs.adjacency, whole[1].motifs.adjacency)


def test_auto_takes_every_kind_of_noise_that_the_graph_allows():
    auto = replace(SMALL, subgraphs=SubgraphConfig())
    attributed = Graph.from_edges([[0, 1], [1, 2]], features=np.ones((3, 2)), edge_attr=[1, 2])
    bare = Graph.from_edges([[0, 1], [1, 2]], edge_attr=[1, 2])

    def kinds(graph: Graph, config: RunConfig = auto) -> list[str]:
        return [noise.name for noise in noise_kinds([graph], config)]

    assert kinds(words()) == kinds(attributed) == ["features", "edges"]
    assert kinds(words(features=False)) == kinds(bare) == ["edges"]
    assert kinds(words(), auto.with_settings(["model.encoder=whole"])) == ["features"]


def test_noise_that_the_graph_cannot_have_is_refused():
    config = replace(SMALL, subgraphs=SubgraphConfig(noise="features"))
    with pytest.raises(DataError, match="needs node features"):
        new_sampler([words(features=False)], config, seed=0)
    whole = SMALL.with_settings(["subgraphs.noise=both", "model.encoder=whole"])
    with pytest.raises(DataError, match='noise "both" is for k-sets'):
        new_sampler([words()], whole, seed=0)
    with pytest.raises(DataError, match="all need the same number"):
        stack_features([np.ones((2, 3)), np.ones((2, 4))])


def test_noise_of_whole_graphs_has_the_edges_of_its_data_and_other_features():
    graphs = [words(nodes=8, edges=12, seed=seed) for seed in range(4)]
    whole = SMALL.with_settings(["model.encoder=whole"])
    batch = the_batch(new_sampler(graphs, whole, seed=0), 0)
    half, edges = len(batch.motifs.owner) // 2, len(batch.motifs.source) // 2
    assert batch.is_data.tolist() == [1.0] * 4 + [0.0] * 4
    assert torch.equal(batch.motifs.source[edges:], batch.motifs.source[:edges] + half)
    assert torch.equal(batch.motifs.owner[half:], batch.motifs.owner[:half] + 4)
    data, noise = batch.motifs.x[:half], batch.motifs.x[half:]
    assert not torch.equal(data, noise)
    for graph in range(4):
        mine = batch.motifs.owner[:half] == graph
        assert sorted(data[mine].tolist()) == sorted(noise[mine].tolist())


@pytest.mark.parametrize("features", [True, False])
def test_added_edges_have_attributes_of_edges_that_were_there(features):
    rng, plain = np.random.default_rng(0), words(features=features)
    pairs = np.argwhere(np.triu(plain.to_scipy().toarray()))
    graph = Graph.from_edges(
        pairs, features=plain.x, edge_attr=rng.normal(size=(len(pairs), 2)), num_nodes=plain.num_nodes
    )
    config = replace(SMALL, subgraphs=SubgraphConfig(size=12, noise="edges"))
    batch = the_batch(new_sampler([graph], config, seed=3), 0)
    attr, adjacent = batch.motifs.edge_attr, batch.motifs.adjacency
    known = {tuple(row) for row in graph.edge_attr.tolist()}
    assert {tuple(row) for row in attr[adjacent].tolist()} <= known
    assert not attr[~adjacent].any()
    torch.testing.assert_close(attr, attr.transpose(1, 2))
    is_noise = batch.is_data[batch.owner] == 0
    assert {tuple(row) for row in attr[is_noise][adjacent[is_noise]].tolist()} != known
