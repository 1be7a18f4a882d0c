from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import sparse
from torch_geometric.nn import SAGEConv

from mhmgnn import DataError, Graph
from mhmgnn.baselines.graphsage import GraphSAGE, SageSettings, _loss, _Lstm, _pairs, fit_graphsage
from mhmgnn.baselines.neighbours import Hood, by_degree, in_turn, surround

AGGREGATORS = ["mean", "max", "lstm"]


def settings(aggregator, **changes):
    return SageSettings(
        aggregator=aggregator, **({"dim": 16, "steps": 30, "batch": 32, "learning_rate": 1e-2} | changes)
    )


def featured(graph, width=6, seed=0):
    x = np.random.default_rng(seed).random((graph.num_nodes, width)).astype(np.float32)
    return replace(graph, x=x)


def without_edges(n):
    return Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32))


def side_by_side(*graphs):
    return Graph.from_scipy(
        sparse.block_diag([graph.to_scipy() for graph in graphs]),
        features=np.concatenate([graph.x for graph in graphs]),
    )


def neighbours(graph, node):
    return set(graph.indices[graph.indptr[node] : graph.indptr[node + 1]].tolist())


def test_surroundings_hold_distinct_neighbours_up_to_the_size(small):
    graph = replace(small, x=np.arange(small.num_nodes, dtype=np.float32)[:, None])
    rng = np.random.default_rng(0)
    nodes = np.array([0, 3, 4])
    around = surround(graph, graph.x, nodes, (3, 2), keys=lambda degrees: rng.random(degrees.sum()))
    two_away = around.x[:, 0].long()
    one_away = two_away[around.inner.own]
    for given, hood, below, size in (
        (nodes, around.outer, one_away, 3),
        (one_away.numpy(), around.inner, two_away, 2),
    ):
        assert below[hood.own].tolist() == given.tolist()
        for i, node in enumerate(given.tolist()):
            drawn = below[hood.indices[hood.indptr[i] : hood.indptr[i + 1]]].tolist()
            assert len(set(drawn)) == len(drawn) == min(size, len(neighbours(graph, node)))
            assert set(drawn) <= neighbours(graph, node)


def test_every_neighbour_is_drawn_as_often_as_every_other(seed):
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 9)], features=np.arange(9.0)[:, None])
    rng = np.random.default_rng(seed)
    drawn, times = np.zeros(9), 500
    for _ in range(times):
        around = surround(star, star.x, np.array([0]), (3, 8), keys=lambda d: rng.random(d.sum()))
        drawn[around.x[around.inner.own][around.outer.indices, 0].long().numpy()] += 1
    expected = times * 3 / 8
    assert drawn.sum() == 3 * times
    assert (np.abs(drawn[1:] - expected) < 5 * np.sqrt(expected * 5 / 8)).all()


def test_pairs_are_all_that_walks_meet_but_a_node_with_itself():
    path = Graph.from_edges([(i, i + 1) for i in range(6)], num_nodes=8)
    rng = np.random.default_rng(0)
    pairs = np.concatenate(
        [batch for batch, _ in zip(_pairs(path, settings("mean"), rng), range(60), strict=False)]
    )
    met = set(map(tuple, pairs.tolist()))
    assert met == {(i, j) for i in range(7) for j in range(7) if 0 < abs(i - j) <= 4}


def test_the_loss_is_that_of_its_equation():
    z = torch.nn.functional.normalize(torch.randn(5, 3, generator=torch.Generator().manual_seed(0)))
    at = torch.tensor([0, 1, 2, 3, 4, 0, 4])  # pairs (0, 2) and (1, 3); negatives 4, 0, 4

    def log_sigmoid(value):
        return -np.log1p(np.exp(-value))

    expected = 0.0
    for u, v in ((0, 2), (1, 3)):
        expected -= log_sigmoid(float(z[u] @ z[v])) / 2
        expected -= sum(log_sigmoid(-float(z[u] @ z[n])) for n in (4, 0, 4)) / 2
    assert float(_loss(z, at, 2)) == pytest.approx(expected, rel=1e-5)


def test_the_lstm_is_that_of_torch_on_each_row():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        ours, theirs, x = _Lstm(4), torch.nn.LSTM(3, 4), torch.randn(6, 3)
    hood = Hood(torch.arange(4), torch.tensor([0, 2, 2, 5, 6]), torch.tensor([3, 1, 0, 5, 2, 4]))
    with torch.no_grad():
        ours.gates.weight.copy_(theirs.weight_hh_l0)
        ours.gates.bias.copy_(theirs.bias_ih_l0 + theirs.bias_hh_l0)
        ours.gates.bias[4:8] -= 1  # the forget gate is open from the start
        ours.out.weight.copy_(torch.eye(4))
        found = ours(x @ theirs.weight_ih_l0.T, hood)
        for i, row in enumerate([[3, 1], [], [0, 5, 2], [4]]):
            last = theirs(x[row])[0][-1] if row else torch.zeros(4)
            torch.testing.assert_close(found[i], last)


def test_the_mean_network_is_that_of_its_equation(small):
    graph = featured(small)
    model = fit_graphsage(graph, settings("mean"), seed=0)
    w = model.state()
    mean = graph.to_scipy().toarray() / np.maximum(graph.degrees, 1)[:, None]
    h = graph.x
    for layer in ("inner", "outer"):
        h = h @ w[f"{layer}.own.weight"].T + w[f"{layer}.own.bias"] + mean @ h @ w[f"{layer}.send.weight"].T
        h = np.maximum(h, 0) if layer == "inner" else h / np.linalg.norm(h, axis=1, keepdims=True)
    np.testing.assert_allclose(model.nodes(graph), h, atol=1e-5)


@pytest.mark.parametrize("aggregator", AGGREGATORS)
class TestEachAggregator:
    def test_training_lowers_the_loss(self, aggregator, cycles):
        losses = fit_graphsage(cycles, settings(aggregator, steps=60), seed=0).losses
        assert np.mean(losses[-10:]) < np.mean(losses[:10]) - 0.5

    def test_a_seed_fixes_the_vectors_and_another_changes_them(self, aggregator, cycles):
        first, again, other = (
            fit_graphsage(cycles, settings(aggregator), seed=seed).nodes(cycles) for seed in (3, 3, 4)
        )
        np.testing.assert_array_equal(first, again)
        assert not np.allclose(first, other)

    def test_other_components_leave_a_vector_alone(self, aggregator, small):
        graph, other = featured(small), featured(Graph.from_edges([(0, 1), (1, 2)]), seed=5)
        model = fit_graphsage(graph, settings(aggregator, near=2, far=2, steps=3), seed=0)
        together = model.nodes(side_by_side(other, graph))
        np.testing.assert_allclose(together[3:], model.nodes(graph), atol=1e-5)

    def test_a_restored_model_gives_the_same_vectors(self, aggregator, small):
        graph, chosen = featured(small), settings(aggregator, near=2, far=2, steps=3)
        model = fit_graphsage(graph, chosen, seed=0)
        restored = GraphSAGE.restore(chosen, model.in_features, model.state())
        np.testing.assert_array_equal(restored.nodes(graph), model.nodes(graph))

    def test_one_node_and_nodes_without_features_or_edges_have_vectors(self, aggregator):
        alone = without_edges(1)
        some = Graph.from_edges([(0, 1)], num_nodes=4)
        for graph in (alone, some):
            model = fit_graphsage(graph, settings(aggregator, steps=3), seed=0)
            assert np.isfinite(model.nodes(graph)).all()
            assert model.nodes(graph).shape == (graph.num_nodes, 16)
        assert model.nodes(without_edges(0)).shape == (0, 16)

    def test_many_graphs_train_as_their_union(self, aggregator, cycles):
        many = [featured(Graph.from_edges([(0, 1), (1, 2)]), width=3), cycles]
        apart, joined = (
            fit_graphsage(given, settings(aggregator, steps=5), seed=0)
            for given in (many, side_by_side(*many))
        )
        assert apart.losses == joined.losses

    def test_a_graph_with_other_features_is_refused(self, aggregator, small):
        model = fit_graphsage(featured(small), settings(aggregator, steps=1), seed=0)
        with pytest.raises(DataError, match="the graph has 7 node features; the baseline was trained on 6"):
            model.nodes(featured(small, width=7))


@pytest.fixture
def cycles():
    """Three cycles with features of their own: whom a walk meets is told by features."""
    edges = [(10 * c + i, 10 * c + (i + 1) % 10) for c in range(3) for i in range(10)]
    rng = np.random.default_rng(0)
    x = np.repeat(np.eye(3), 10, axis=0) + 0.1 * rng.random((30, 3))
    return Graph.from_edges(edges, features=x.astype(np.float32))


def test_aggregators_differ_in_what_they_make_of_the_same_neighbours(cycles):
    vectors = [fit_graphsage(cycles, settings(a, steps=0), seed=0).nodes(cycles) for a in AGGREGATORS]
    assert not any(np.allclose(vectors[i], vectors[j], atol=0.01) for i, j in ((0, 1), (0, 2), (1, 2)))


def test_nodes_that_meet_end_up_closer_than_nodes_that_do_not(cycles):
    vectors = fit_graphsage(cycles, settings("mean", steps=100), seed=0).nodes(cycles)
    near = vectors @ vectors.T
    same = np.kron(np.eye(3), np.ones((10, 10))).astype(bool)
    assert near[same].min() > near[~same].max() + 0.5


def test_training_stops_once_the_loss_has_settled(cycles):
    assert len(fit_graphsage(cycles, settings("mean", steps=2000, patience=20), seed=0).losses) < 2000


def test_an_order_by_degree_does_not_depend_on_other_nodes():
    keys = by_degree(7)
    np.testing.assert_array_equal(keys(np.array([3, 0, 5, 3]))[-3:], keys(np.array([3])))
    assert not np.array_equal(keys(np.array([3])), by_degree(8)(np.array([3])))
    assert in_turn(np.array([3, 0, 5])).tolist() == [0.0] * 8


def test_an_unknown_aggregator_is_refused():
    with pytest.raises(DataError, match="aggregator is 'sum'; it must be one of mean, max, lstm"):
        SageSettings(aggregator="sum")


def test_classes_of_cora_are_read_off_the_vectors(data_dir):
    from sklearn.linear_model import LogisticRegression

    with np.load(data_dir / "planetoid" / "cora.npz") as raw:
        parts = (raw["feat_data"].astype(np.float32), raw["feat_indices"], raw["feat_indptr"])
        x = sparse.csr_array(parts, shape=tuple(raw["feat_shape"]))
        x = sparse.csr_array(x.multiply(1 / np.maximum(x.sum(axis=1), 1)[:, None]))
        graph = Graph.from_edges(np.stack([raw["adj_src"], raw["adj_dst"]], axis=1), features=x)
        labels, train, test = raw["labels"], raw["train_index"], raw["test_index"]
    vectors = fit_graphsage(graph, SageSettings(steps=60), seed=0).nodes(graph)
    classifier = LogisticRegression(C=100, max_iter=2000).fit(vectors[train], labels[train])
    assert classifier.score(vectors[test], labels[test]) > 0.5


def test_vectors_of_the_mean_are_those_of_two_layers_of_pyg(small):
    graph = featured(small)
    fitted = fit_graphsage(graph, settings("mean"), seed=0)
    data, h = graph.to_pyg(), None
    with torch.no_grad():
        for layer in (fitted._network.inner, fitted._network.outer):
            theirs = SAGEConv(layer.own.in_features, 16)
            theirs.lin_r.weight.copy_(layer.own.weight)
            theirs.lin_l.bias.copy_(layer.own.bias)
            theirs.lin_l.weight.copy_(layer.send.weight)
            h = theirs(data.x if h is None else h.relu(), data.edge_index)
    np.testing.assert_allclose(
        fitted.nodes(graph), torch.nn.functional.normalize(h).numpy(), rtol=1e-4, atol=1e-5
    )
