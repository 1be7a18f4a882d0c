import networkx as nx
import numpy as np
import pytest
import torch

from mhmgnn import Graph
from mhmgnn.nn.encoders.build import build
from mhmgnn.nn.energy import Energy, KSetModel
from mhmgnn.nn.motifs.batch import gather
from mhmgnn.subgraphs.exact import connected_sets


@pytest.fixture
def graph():
    pairs = np.array(nx.karate_club_graph().edges())
    return Graph.from_edges(pairs, features=np.random.default_rng(0).normal(size=(34, 7)))


@pytest.fixture
def model():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return KSetModel(*(Energy(build("sage", 7, dim, 1, 0, 3), dim) for dim in (20, 12)))


def test_energy_is_linear_in_the_last_weights_and_reaches_every_parameter(graph, model):
    batch = gather(graph, np.array([[0, 1, 2], [3, 7, 33], [5, 6, 16]]))
    once = model(batch)
    parts = [part.rho(part.encoder(batch)) @ part.last.weight[0] for part in model.energies]
    torch.testing.assert_close(once, parts[0] + parts[1])
    once.square().sum().backward()
    assert all(value.grad is not None and value.grad.any() for value in model.parameters())
    with torch.no_grad():
        for part in model.energies:
            part.last.weight *= -2
    torch.testing.assert_close(model(batch), -2 * once)


def test_vectors_point_where_the_encoder_says_until_they_are_whitened(graph, model):
    batch = gather(graph, connected_sets(graph, 3))
    torch.testing.assert_close(model.embed(batch), 4 / 2**0.5 * model.encode(batch))
    energies = model(batch)
    model.whiten(batch, torch.ones(len(batch.rows)))
    assert (model.embed(batch) - 4 / 2**0.5 * model.encode(batch)).abs().max() > 0.1
    torch.testing.assert_close(model.embed(batch).norm(dim=1), torch.full((len(batch.rows),), 4.0))
    assert torch.equal(model(batch), energies)


def test_each_direction_keeps_the_root_of_its_spread(graph, model):
    batch = gather(graph, connected_sets(graph, 3))
    weights = torch.linspace(1, 3, len(batch.rows))
    model.whiten(batch, weights)
    with torch.no_grad():
        h = model.encode(batch).double().numpy()
        turned = ((model.encode(batch) - model.centre) @ model.whitening).double().numpy()
    before, after = (np.cov(rows.T, aweights=weights, bias=True) for rows in (h, turned))
    variances, axes = np.linalg.eigh(before)
    large = variances > 0.1 * variances[-1]
    assert large.sum() > 2
    along = axes.T @ after @ axes  # the axes stay, and with them what is uncorrelated
    np.testing.assert_allclose(np.diag(along)[large], np.sqrt(variances[large]), rtol=2e-3)
    assert np.abs(along - np.diag(np.diag(along))).max() < 1e-5
    np.testing.assert_allclose(np.average(turned, axis=0, weights=weights), 0, atol=1e-5)


def test_vectors_that_are_all_the_same_are_left_alone(graph, model):
    one = connected_sets(graph, 3)[:1]
    batch = gather(graph, np.repeat(one, 5, axis=0))
    model.whiten(batch, torch.ones(5))
    torch.testing.assert_close(model.embed(batch), 4 / 2**0.5 * model.encode(batch))
