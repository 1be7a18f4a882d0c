from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import sparse
from torch_geometric.nn import DeepGraphInfomax, GCNConv

from mhmgnn import DataError, Graph
from mhmgnn.baselines.dgi import DGI, DGISettings, _shuffle, fit_dgi, smoothing
from mhmgnn.baselines.union import features_of, union

SETTINGS = DGISettings(dim=16, epochs=40, learning_rate=1e-2)


def featured(graph, width=6, seed=0):
    """The graph with features that neighbours share in part."""
    x = np.random.default_rng(seed).random((graph.num_nodes, width)).astype(np.float32)
    return replace(graph, x=(x + graph.to_scipy() @ x).astype(np.float32))


def renumbered(graph, order):
    """The graph whose node i is node order[i] of `graph`."""
    matrix = graph.to_scipy()[order][:, order]
    return Graph.from_scipy(matrix, features=graph.x[order])


def without_edges(n):
    return Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32))


def side_by_side(*graphs):
    """The graphs as components of one, by the definition."""
    return Graph.from_scipy(
        sparse.block_diag([graph.to_scipy() for graph in graphs]),
        features=np.concatenate([graph.x for graph in graphs]),
    )


def rings():
    """Four rings, each with a feature of its own."""
    edges = [(25 * c + i, 25 * c + (i + 1) % 25) for c in range(4) for i in range(25)]
    return Graph.from_edges(edges, features=np.repeat(np.eye(4), 25, axis=0))


def planetoid(data_dir, name):
    """A graph with row-normalised features, labels, training and test nodes."""
    with np.load(data_dir / "planetoid" / f"{name}.npz") as raw:
        parts = (raw["feat_data"].astype(np.float32), raw["feat_indices"], raw["feat_indptr"])
        x = sparse.csr_array(parts, shape=tuple(raw["feat_shape"]))
        x = sparse.csr_array(x.multiply(1 / np.maximum(x.sum(axis=1), 1)[:, None]))
        graph = Graph.from_edges(np.stack([raw["adj_src"], raw["adj_dst"]], axis=1), features=x)
        return graph, raw["labels"], raw["train_index"], raw["test_index"]


def test_the_layer_smooths_as_its_equation_says(small):
    smooth = smoothing(small).matrix
    found = sparse.csr_array((smooth.values.numpy(), smooth.indices.numpy(), smooth.indptr.numpy()))
    with_loops = small.to_scipy().toarray() + np.eye(small.num_nodes)
    root = np.diag(with_loops.sum(axis=1) ** -0.5)
    np.testing.assert_allclose(found.toarray(), root @ with_loops @ root, rtol=1e-6)


def test_a_union_keeps_edges_inside_their_graphs(small):
    other = featured(Graph.from_edges([(0, 1), (1, 2)], num_nodes=4))
    both = union([featured(small), other, other])
    expected = sparse.block_diag([g.to_scipy() for g in (small, other, other)])
    assert (both.graph.to_scipy() != expected).nnz == 0
    assert both.owner.tolist() == [0] * small.num_nodes + [1] * 4 + [2] * 4
    np.testing.assert_array_equal(both.graph.x, np.concatenate([featured(small).x, other.x, other.x]))


def test_a_shuffle_stays_inside_each_graph_and_loses_no_node():
    owner = np.repeat([0, 1, 2], [5, 1, 30])
    lent = _shuffle(owner, np.random.default_rng(0))
    assert sorted(lent.tolist()) == list(range(36))
    assert (owner[lent] == owner).all()
    assert (lent != np.arange(36)).any()


def test_training_lowers_the_loss_below_that_of_a_guess(seed):
    losses = fit_dgi(rings(), SETTINGS, seed=seed).losses
    assert abs(losses[0] - np.log(2)) < 0.1
    assert min(losses) < losses[0] - 0.2


def test_training_stops_once_the_loss_has_not_fallen_for_patience_epochs(small):
    losses = fit_dgi(featured(small), replace(SETTINGS, epochs=1000, patience=3), seed=0).losses
    assert len(losses) < 1000
    assert len(losses) - 1 - int(np.argmin(losses)) == 3


def test_the_vectors_of_renumbered_nodes_are_the_same(small):
    graph = featured(small)
    model = fit_dgi(graph, SETTINGS, seed=0)
    order = np.random.default_rng(1).permutation(graph.num_nodes)
    np.testing.assert_allclose(model.nodes(renumbered(graph, order)), model.nodes(graph)[order], atol=1e-5)


def test_other_components_leave_a_vector_alone(small):
    graph, other = featured(small), featured(Graph.from_edges([(0, 1), (1, 2)]), seed=5)
    model = fit_dgi(graph, SETTINGS, seed=0)
    np.testing.assert_allclose(
        model.nodes(side_by_side(other, graph))[3:], model.nodes(graph), atol=1e-5, rtol=1e-5
    )


def test_sparse_features_give_what_dense_ones_give(small):
    dense = featured(small)
    slim = replace(dense, x=sparse.csr_array(dense.x))
    models = [fit_dgi(graph, SETTINGS, seed=0) for graph in (dense, slim)]
    np.testing.assert_allclose(models[0].losses[:5], models[1].losses[:5], rtol=1e-4)
    np.testing.assert_allclose(models[0].nodes(dense), models[0].nodes(slim), atol=1e-5)


def test_a_seed_fixes_the_vectors_and_another_changes_them(small):
    graph = featured(small)
    first, again, other = (fit_dgi(graph, SETTINGS, seed=seed).nodes(graph) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_a_seed_fixes_the_vectors_on_two_threads():
    edges = np.random.default_rng(0).integers(3000, size=(9000, 2))
    graph = featured(Graph.from_edges(edges, num_nodes=3000))
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        first, *others = (fit_dgi(graph, DGISettings(epochs=5), seed=3).nodes(graph) for _ in range(4))
    finally:
        torch.set_num_threads(threads)
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_a_restored_model_gives_the_same_vectors(small):
    graph = featured(small)
    model = fit_dgi(graph, SETTINGS, seed=0)
    restored = DGI.restore(SETTINGS, model.in_features, model.state())
    np.testing.assert_array_equal(restored.nodes(graph), model.nodes(graph))
    with pytest.raises(DataError, match="the weights do not fit"):
        DGI.restore(SETTINGS, model.in_features + 1, model.state())


def test_the_summary_is_the_sigmoid_of_the_mean(small):
    graph = featured(small)
    model = fit_dgi(graph, SETTINGS, seed=0)
    mean = model.nodes(graph).mean(axis=0)
    np.testing.assert_allclose(model.summary(graph), 1 / (1 + np.exp(-mean)), rtol=1e-5)


def test_each_of_many_graphs_has_a_summary_and_a_shuffle_of_its_own():
    graphs = [replace(g, x=np.eye(3, dtype=np.float32)[[i] * g.num_nodes]) for i, g in enumerate(triangles())]
    apart, joined = (fit_dgi(given, SETTINGS, seed=0) for given in (graphs, side_by_side(*graphs)))
    assert min(apart.losses) > np.log(2) - 0.001  # within a graph all features are alike: nothing to tell
    assert min(joined.losses) < np.log(2) - 0.1


def triangles():
    return [Graph.from_edges([(0, 1), (1, 2), (2, 0)]) for _ in range(3)]


def test_one_node_and_nodes_without_features_or_edges_have_vectors():
    alone = without_edges(1)
    some = Graph.from_edges([(0, 1)], num_nodes=4)
    for graph in (alone, some):
        model = fit_dgi(graph, SETTINGS, seed=0)
        assert np.isfinite(model.nodes(graph)).all()
        assert model.nodes(graph).shape == (graph.num_nodes, 16)
    assert features_of(some).tolist() == [[1.0]] * 4
    assert model.nodes(without_edges(0)).shape == (0, 16)


def test_a_graph_with_other_features_is_refused(small):
    model = fit_dgi(featured(small), SETTINGS, seed=0)
    for other in (small, featured(small, width=7)):
        with pytest.raises(DataError, match=r"node features; the baseline was trained on 6"):
            model.nodes(other)
    with pytest.raises(DataError, match=r"graphs with \[6, 7\] node features"):
        fit_dgi([featured(small), featured(small, width=7)], SETTINGS, seed=0)
    with pytest.raises(DataError, match="without a node"):
        fit_dgi([], SETTINGS, seed=0)


def test_classes_of_cora_are_read_off_the_vectors(data_dir):
    from sklearn.linear_model import LogisticRegression

    graph, labels, train, test = planetoid(data_dir, "cora")
    vectors = fit_dgi(graph, DGISettings(epochs=60), seed=0).nodes(graph)
    classifier = LogisticRegression(C=100, max_iter=2000).fit(vectors[train], labels[train])
    assert classifier.score(vectors[test], labels[test]) > 0.7


def test_vectors_and_loss_are_those_of_pyg(small):
    graph = featured(small)
    fitted = fit_dgi(graph, SETTINGS, seed=0)
    ours = fitted._network
    theirs = DeepGraphInfomax(
        SETTINGS.dim,
        encoder=GCNConv(graph.num_features, SETTINGS.dim),
        summary=lambda z, *_: z.mean(dim=0).sigmoid(),
        corruption=lambda x, edges: (x, edges),
    )
    data = graph.to_pyg()
    with torch.no_grad():
        theirs.encoder.lin.weight.copy_(ours.layer.weight)
        theirs.encoder.bias.copy_(ours.layer.bias)
        theirs.weight.copy_(ours.discriminator.weight)
        vectors = ours.activation(theirs.encoder(data.x, data.edge_index))
        np.testing.assert_allclose(fitted.nodes(graph), vectors.numpy(), rtol=1e-4, atol=1e-5)
        noise = vectors.flip(0)
        summary = theirs.summary(vectors)
        owner, means = (
            torch.zeros(len(vectors), dtype=torch.long),
            torch.full((1, len(vectors)), 1 / len(vectors)),
        )
        ours.offset.zero_()
        found = ours.loss(vectors, noise, owner, means)
        torch.testing.assert_close(2 * found, theirs.loss(vectors, noise, summary), rtol=1e-4, atol=1e-5)
