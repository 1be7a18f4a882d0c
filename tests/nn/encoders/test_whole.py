from dataclasses import replace

import numpy as np
import pytest
import torch

from mhmgnn import Graph
from mhmgnn.nn.encoders.build import build
from mhmgnn.nn.motifs.batch import gather
from mhmgnn.nn.motifs.graphs import batch_graphs


def ring(n, *, order=None, edge_attr=False):
    rng = np.random.default_rng(n)
    x, attr = rng.normal(size=(n, 4)), rng.normal(size=(n, 2))
    order = np.arange(n) if order is None else order
    edges = np.c_[order, order[np.r_[1:n, 0]]]
    return Graph.from_edges(edges, features=x[order.argsort()], edge_attr=attr if edge_attr else None)


@pytest.mark.parametrize("attributes", [0, 2])
def test_a_graph_keeps_its_embedding_when_its_nodes_are_reordered(attributes):
    encoder = build("whole", 4, 16, 2, attributes, 0).double()
    order = np.random.default_rng(0).permutation(9)
    one, other = encoder(
        batch_graphs([ring(9, edge_attr=bool(attributes)), ring(9, order=order, edge_attr=bool(attributes))])
    )
    torch.testing.assert_close(one, other, rtol=0, atol=1e-12)


def test_a_graph_keeps_its_embedding_beside_other_graphs():
    encoder = build("whole", 4, 16, 2, 0, 0).double()
    together = encoder(batch_graphs([ring(5), ring(9), ring(3)]))
    torch.testing.assert_close(together[1:2], encoder(batch_graphs([ring(9)])), rtol=0, atol=1e-12)


@pytest.mark.parametrize("attributes", [0, 2])
def test_graphs_of_k_nodes_are_embedded_as_gin_embeds_their_ksets(attributes):
    gin, of_whole = (
        build("gin", 4, 16, 2, attributes, 5).double(),
        build("whole", 4, 16, 2, attributes, 0).double(),
    )
    of_whole.load_state_dict(gin.state_dict())
    graph = ring(5, edge_attr=bool(attributes))
    expected = gin(gather(graph, np.arange(5)[None]))
    torch.testing.assert_close(of_whole(batch_graphs([graph])), expected, rtol=0, atol=1e-12)


def test_shuffled_features_change_the_embedding_and_every_parameter_gets_a_gradient():
    encoder = build("whole", 4, 16, 2, 2, 0)
    graph = ring(6, edge_attr=True)
    shuffled = replace(graph, x=graph.x[[3, 1, 5, 0, 2, 4]])
    data, noise = encoder(batch_graphs([graph, shuffled]))
    assert (data - noise).norm() > 1e-4
    (data * torch.randn(16)).sum().backward()
    assert all(value.grad is not None and value.grad.any() for value in encoder.parameters())
