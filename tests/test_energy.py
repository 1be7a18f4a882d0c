import networkx as nx
import numpy as np
import torch

from mhmgnn import Graph
from mhmgnn.encoders.build import build
from mhmgnn.energy import KSetModel
from mhmgnn.motifs.batch import gather


def test_energy_is_linear_in_the_last_weights_and_reaches_every_parameter():
    pairs = np.array(nx.karate_club_graph().edges())
    graph = Graph.from_edges(pairs, features=np.random.default_rng(0).normal(size=(34, 7)))
    batch = gather(graph, np.array([[0, 1, 2], [3, 7, 33], [5, 6, 16]]))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = KSetModel(build("sage", 7, 32, 1, 0, 3), 32)
    once = model(batch)
    torch.testing.assert_close(once, model.rho(model.embed(batch)) @ model.energy.weight[0])
    once.square().sum().backward()
    assert all(value.grad is not None and value.grad.any() for value in model.parameters())
    with torch.no_grad():
        model.energy.weight *= -2
    torch.testing.assert_close(model(batch), -2 * once)
