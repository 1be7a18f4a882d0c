import numpy as np
import pytest
from scipy import sparse

from mhmgnn import DataError, Graph
from mhmgnn.nn.motifs.batch import SparseRows
from mhmgnn.nn.motifs.graphs import batch_graphs


def path(features, *, edge_attr=None):
    n = len(features)
    return Graph.from_edges(np.c_[: n - 1, 1:n], features=np.asarray(features), edge_attr=edge_attr)


def test_every_edge_stays_inside_its_graph_and_goes_both_ways():
    batch = batch_graphs([path(np.eye(3)), path(np.eye(3)[:2]), path(np.eye(3))])
    edges = set(zip(batch.source.tolist(), batch.target.tolist(), strict=True))
    assert edges == {(0, 1), (1, 0), (1, 2), (2, 1), (3, 4), (4, 3), (5, 6), (6, 5), (6, 7), (7, 6)}
    assert batch.owner.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]


def test_sparse_features_of_several_graphs_stay_sparse():
    graphs = [Graph.from_edges([[0, 1]], features=sparse.csr_array(np.eye(2))) for _ in range(2)]
    x = batch_graphs(graphs).x
    assert isinstance(x, SparseRows)
    assert x.indices.tolist() == [0, 1, 0, 1]


def test_edge_attributes_follow_their_edges():
    batch = batch_graphs([path(np.eye(2), edge_attr=[[3.0]]), path(np.eye(2), edge_attr=[[5.0]])])
    assert batch.edge_attr.ravel().tolist() == [3, 3, 5, 5]


def test_graphs_that_do_not_fit_together_are_refused():
    with pytest.raises(DataError, match=r"\[2, 3\] node features"):
        batch_graphs([path(np.eye(3)), path(np.eye(2))])
    with pytest.raises(DataError, match="1 of 2 graphs have edge attributes"):
        batch_graphs([path(np.eye(2), edge_attr=[[3.0]]), path(np.eye(2))])
