import warnings

import networkx as nx
import numpy as np
import pytest
import torch

from mhmgnn import Graph

with (
    warnings.catch_warnings()
):  # PyG 2.8 calls `torch.jit.script`, deprecated in torch 2.13, as it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    import torch_geometric.nn  # noqa: F401


@pytest.fixture(autouse=True)
def _same_weights():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


@pytest.fixture
def make_graph():
    """A random graph of 20 nodes with 5 features, and 2 edge attributes if asked for."""

    def make(*, edges=70, edge_attr=False, features=None):
        rng = np.random.default_rng(1)
        pairs = np.array(nx.gnm_random_graph(20, edges, seed=1).edges())
        x = rng.normal(size=(20, 5)) if features is None else features
        attr = rng.normal(size=(len(pairs), 2)) if edge_attr else None
        return Graph.from_edges(pairs, features=x, num_nodes=20, edge_attr=attr)

    return make


@pytest.fixture
def make_ksets():
    def make(k, m=40):
        return np.sort(np.random.default_rng(k).random((m, 20)).argsort(axis=1)[:, :k], axis=1)

    return make
