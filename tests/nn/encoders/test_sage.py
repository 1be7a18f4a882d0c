import numpy as np
import pytest
import torch
from torch.nn.functional import leaky_relu
from torch_geometric.nn import SAGEConv

from mhmgnn.graph import Graph
from mhmgnn.nn.encoders import fused, layers
from mhmgnn.nn.encoders.layers import run
from mhmgnn.nn.encoders.sage import Sage
from mhmgnn.nn.motifs.batch import gather


def as_one_graph(batch):
    """All motifs side by side: (bk, p) features and PyG's edge_index."""
    k = batch.rows.shape[1]
    motif, to, come = batch.adjacency.nonzero(as_tuple=True)
    return batch.x[batch.rows].flatten(0, 1), torch.stack([motif * k + come, motif * k + to])


def grads(encoder, pooled):
    encoder.zero_grad()
    (pooled * torch.linspace(-1, 1, pooled.numel(), dtype=pooled.dtype).view_as(pooled)).sum().backward()
    return [value.grad for value in encoder.layers.parameters()]


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("layers", [1, 2])
def test_sage_is_sageconv_and_the_number_of_neighbours_on_the_same_motifs(k, layers, make_graph, make_ksets):
    batch = gather(make_graph(), make_ksets(k))
    encoder = Sage(5, 32, layers)
    h, edges = as_one_graph(batch)
    neighbours = batch.adjacency.sum(dim=-1).view(-1, 1)
    for layer in encoder.layers:
        conv = SAGEConv(layer.own.in_features, 32)
        conv.load_state_dict(
            {
                "lin_l.weight": layer.other.weight,
                "lin_l.bias": layer.own.bias,
                "lin_r.weight": layer.own.weight,
            }
        )
        h = leaky_relu(conv(h, edges) + neighbours * layer.per_neighbour)
    expected = encoder.readout(h.view(len(batch.rows), k, 32).sum(dim=1))
    torch.testing.assert_close(encoder(batch), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("k", [2, 3, 4, 7])
@pytest.mark.parametrize("dim", [16, 40])
@pytest.mark.parametrize("dtype, atol", [(torch.float32, 1e-5), (torch.float64, 1e-8)])
def test_the_compiled_layer_equals_the_plain_one(k, dim, dtype, atol, make_graph, make_ksets):
    batch = gather(make_graph(), make_ksets(k))
    encoder = Sage(5, dim).to(dtype)
    projected = encoder.layers[0].project(batch.x)
    assert fused.serves(projected, batch)
    compiled, plain = encoder.pool(batch), run(encoder.layers, projected, batch)
    torch.testing.assert_close(compiled, plain, rtol=0, atol=atol)
    torch.testing.assert_close(grads(encoder, compiled), grads(encoder, plain), rtol=1e-5, atol=20 * atol)


@pytest.mark.parametrize("kept", [1, 1_000])
def test_blocks_and_what_is_run_again_change_nothing(kept, make_graph, make_ksets, monkeypatch):
    batch = gather(make_graph(), make_ksets(4))
    encoder = Sage(5, 16, layers=2).double()
    whole = encoder.pool(batch)
    expected = grads(encoder, whole)
    monkeypatch.setattr(layers, "BLOCK", 7)
    monkeypatch.setattr(layers, "KEPT", kept)
    found = encoder.pool(batch)
    torch.testing.assert_close(found, whole, rtol=0, atol=1e-12)
    torch.testing.assert_close(grads(encoder, found), expected, rtol=1e-8, atol=1e-10)


def test_the_compiled_gradient_is_the_slope_of_the_compiled_value(make_graph, make_ksets):
    batch = gather(make_graph(), make_ksets(3, m=4))
    inputs = [torch.randn(*shape, dtype=torch.float64) for shape in ((len(batch.x), 6), (3,))]
    for tensor in inputs:
        tensor.requires_grad_()
    assert torch.autograd.gradcheck(
        lambda y, near: fused.pooled(y, near, batch.rows, batch.adjacency), inputs
    )


def test_nodes_of_the_same_features_are_told_apart_by_the_shape_of_their_motif():
    """A path and a triangle: a mean over neighbours alone sees no difference."""
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4], [4, 2]], features=np.ones((5, 2)))
    path, triangle = Sage(2, 16)(gather(graph, np.array([[0, 1, 2], [2, 3, 4]])))
    assert (path - triangle).abs().max() > 1e-3


def test_the_number_of_threads_does_not_change_one_bit(make_graph, make_ksets, monkeypatch):
    batch = gather(make_graph(), make_ksets(4, m=5_000))
    encoder = Sage(5, 72)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("MHMGNN_THREADS", threads)
        pooled = encoder.pool(batch)
        found.append([pooled, *grads(encoder, pooled)])
    assert all(torch.equal(a, b) for other in found[1:] for a, b in zip(found[0], other, strict=True))
