"""Each layer against PyG's dense layer with the same weights."""

import pytest
import torch
from torch import nn
from torch_geometric.nn import DenseGATConv, DenseGCNConv, DenseGINConv

from mhmgnn.nn.encoders.gat import GatLayer
from mhmgnn.nn.encoders.gcn import GcnLayer
from mhmgnn.nn.encoders.gin import GinLayer
from mhmgnn.nn.motifs.batch import gather


def gin(layer):
    with torch.no_grad():
        layer.eps.fill_(0.3)
    return DenseGINConv(nn.Sequential(layer.first, nn.LeakyReLU(), layer.second), eps=0.3)


def gcn(layer):
    conv = DenseGCNConv(5, 16)
    conv.load_state_dict({"lin.weight": layer.linear.weight, "bias": layer.linear.bias})
    return conv


def gat(layer):
    conv = DenseGATConv(5, 4, heads=4)
    attention = {"att_src": layer.source[None, None], "att_dst": layer.target[None, None]}
    conv.load_state_dict({"lin.weight": layer.linear.weight, "bias": layer.linear.bias, **attention})
    return conv


@pytest.mark.parametrize("kind, oracle", [(GinLayer, gin), (GcnLayer, gcn), (GatLayer, gat)])
@pytest.mark.parametrize("k", [2, 4])
def test_a_layer_equals_the_dense_layer_of_pyg(kind, oracle, k, make_graph, make_ksets):
    batch = gather(make_graph(), make_ksets(k))
    layer = kind(5, 16)
    conv = oracle(layer)
    if kind is GinLayer:  # PyG resets the weights that it is given
        assert conv.nn[0] is layer.first
    expected = conv(batch.x[batch.rows], batch.adjacency.float())
    torch.testing.assert_close(
        layer.mix(layer.project(batch.x)[batch.rows], batch), expected, rtol=0, atol=1e-5
    )
