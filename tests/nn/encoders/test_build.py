"""What holds for every encoder of k-sets."""

import numpy as np
import pytest
import torch
from scipy import sparse

from mhmgnn import DataError, Graph
from mhmgnn.nn.encoders.build import build
from mhmgnn.nn.motifs.batch import MotifBatch, gather
from mhmgnn.registry import ENCODERS

OF_KSETS = [name for name in ENCODERS if name != "whole"]
SHAPES = [(name, layers, attributes) for name in OF_KSETS for layers in (1, 2) for attributes in (0, 2)]


@pytest.mark.parametrize("name, layers, attributes", SHAPES)
@pytest.mark.parametrize("k", [2, 4])
def test_an_embedding_is_blind_to_node_order(name, layers, attributes, k, make_graph, make_ksets):
    batch = gather(make_graph(edge_attr=bool(attributes)), make_ksets(k))
    encoder = build(name, 5, 16, layers, attributes, k).double()
    order = torch.randperm(k)
    shuffled = MotifBatch(
        batch.x,
        batch.rows[:, order],
        batch.adjacency[:, order][:, :, order],
        None if batch.edge_attr is None else batch.edge_attr[:, order][:, :, order],
    )
    torch.testing.assert_close(encoder(shuffled), encoder(batch), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", OF_KSETS)
def test_an_embedding_does_not_depend_on_node_names(name, make_graph, make_ksets):
    graph, ksets = make_graph(edge_attr=True), make_ksets(3)
    new = np.random.default_rng(0).permutation(20)
    old = np.repeat(np.arange(20), graph.degrees)
    once = old < graph.indices
    edges = np.c_[new[old], new[graph.indices]][once]
    renamed = Graph.from_edges(edges, features=graph.x[new.argsort()], edge_attr=graph.edge_attr[once])
    encoder = build(name, 5, 16, 1, 2, 3).double()
    there = encoder(gather(renamed, np.sort(new[ksets], axis=1)))
    torch.testing.assert_close(there, encoder(gather(graph, ksets)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name, layers, attributes", SHAPES)
def test_every_parameter_gets_a_gradient(name, layers, attributes, make_graph, make_ksets):
    encoder = build(name, 5, 16, layers, attributes, 4)
    embedding = encoder(gather(make_graph(edge_attr=bool(attributes)), make_ksets(4)))
    (embedding * torch.randn_like(embedding)).sum().backward()
    still = [who for who, value in encoder.named_parameters() if value.grad is None or not value.grad.any()]
    assert still == []


@pytest.mark.parametrize("name", OF_KSETS)
def test_a_path_and_a_triangle_of_the_same_features_differ(name):
    x = np.random.default_rng(0).normal(size=(6, 5))
    graph = Graph.from_edges([[0, 1], [1, 2], [3, 4], [4, 5], [3, 5]], features=np.r_[x[:3], x[:3]])
    path, triangle = build(name, 5, 16, 1, 0, 3)(gather(graph, np.array([[0, 1, 2], [3, 4, 5]])))
    assert (path - triangle).norm() > 1e-3


@pytest.mark.parametrize("name", OF_KSETS)
def test_a_path_knows_which_node_is_in_the_middle(name):
    graph = Graph.from_edges([[0, 1], [1, 2], [3, 4], [3, 5]], features=np.tile(np.eye(3), (2, 1)))
    one, other = build(name, 3, 16, 1, 0, 3)(gather(graph, np.array([[0, 1, 2], [3, 4, 5]])))
    assert (one - other).norm() > 1e-3


@pytest.mark.parametrize("name", OF_KSETS)
def test_an_embedding_changes_with_an_edge_attribute(name):
    attr = [[1.0], [1.0], [1.0], [-1.0]]
    x = np.tile(np.eye(3), (2, 1))
    graph = Graph.from_edges([[0, 1], [1, 2], [3, 4], [4, 5]], features=x, edge_attr=attr)
    one, other = build(name, 3, 16, 1, 1, 3)(gather(graph, np.array([[0, 1, 2], [3, 4, 5]])))
    assert (one - other).norm() > 1e-3


@pytest.mark.parametrize("name", OF_KSETS)
def test_sparse_features_give_the_values_and_gradients_of_dense_ones(name, make_graph, make_ksets):
    dense = np.random.default_rng(0).poisson(0.2, size=(20, 30)).astype(np.float32)
    dense[3] = 0  # a node without any
    found = []
    for features in (dense, sparse.csr_array(dense)):
        torch.manual_seed(0)
        encoder = build(name, 30, 16, 1, 0, 3).double()
        embedding = encoder(gather(make_graph(features=features), make_ksets(3)))
        embedding.square().mul(torch.arange(16)).sum().backward()
        found.append([embedding, *(value.grad for value in encoder.parameters())])
    torch.testing.assert_close(found[0], found[1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", OF_KSETS)
def test_an_embedding_has_length_1_though_the_kset_has_no_edge(name, make_graph):
    graph = Graph.from_edges([[0, 1]], features=np.eye(5), num_nodes=5)
    embedding = build(name, 5, 16, 2, 0, 3)(gather(graph, np.array([[2, 3, 4]])))
    torch.testing.assert_close(embedding.norm(dim=1), torch.ones(1))


@pytest.mark.parametrize("name", OF_KSETS)
@pytest.mark.parametrize("built, given", [(0, 2), (2, 0)])
def test_edge_attributes_that_the_encoder_does_not_expect_are_refused(
    name, built, given, make_graph, make_ksets
):
    batch = gather(make_graph(edge_attr=bool(given)), make_ksets(3))
    with pytest.raises(DataError, match=f"edges have {given} attributes; the encoder was built for {built}"):
        build(name, 5, 16, 1, built, 3)(batch)


def test_an_unknown_encoder_is_refused_with_the_list():
    with pytest.raises(
        DataError, match="'sega'; it must be one of sage, gin, gcn, gat, kgnn, relational, whole"
    ):
        build("sega", 5, 16, 1, 0, 3)


def test_relational_pooling_refuses_to_go_through_720_orders():
    with pytest.raises(DataError, match="k = 6"):
        build("relational", 5, 16, 1, 0, 6)


@pytest.mark.parametrize("name", OF_KSETS)
def test_no_ksets_give_no_embeddings_and_no_gradient(name, make_graph):
    features = sparse.csr_array(np.eye(20, dtype=np.float32))
    encoder = build(name, 20, 16, 1, 0, 3)
    embedding = encoder(gather(make_graph(features=features), np.empty((0, 3), np.int64)))
    embedding.sum().backward()
    assert embedding.shape == (0, 16)
    assert not any(value.grad is not None and value.grad.any() for value in encoder.parameters())
