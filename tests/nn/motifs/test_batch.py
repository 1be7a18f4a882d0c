import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mhmgnn import DataError, Graph
from mhmgnn.nn.motifs.batch import SparseRows, adjacency, batch, edge_attributes, gather
from mhmgnn.subgraphs.exact import edge_codes


def random_graph(n, edges, seed, *, features=None, edge_attr=False):
    rng = np.random.default_rng(seed)
    pairs = np.array(nx.gnm_random_graph(n, edges, seed=seed).edges()).reshape(-1, 2)
    attr = rng.normal(size=(len(pairs), 2)) if edge_attr else None
    x = rng.normal(size=(n, 3)) if features is None else features
    return Graph.from_edges(pairs, features=x, num_nodes=n, edge_attr=attr)


def some_ksets(n, k, m, seed):
    rng = np.random.default_rng(seed)
    return np.sort(rng.random((m, n)).argsort(axis=1)[:, :k], axis=1)


@settings(deadline=None, max_examples=40)
@given(n=st.integers(11, 25), density=st.floats(0, 1), k=st.integers(2, 11), seed=st.integers(0, 10**6))
def test_edge_codes_match_the_definition(n, density, k, seed):
    graph = random_graph(n, 1 + int(density * (n * (n - 1) / 2 - 1)), seed)
    neighbours = [
        set(graph.indices[a:b].tolist()) for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)
    ]
    ksets = some_ksets(n, k, 6, seed)
    for kset, bits in zip(ksets.tolist(), edge_codes(graph.rows, ksets).tolist(), strict=True):
        expected = sum(
            1 << (j * (j - 1) // 2 + i) for j in range(k) for i in range(j) if kset[i] in neighbours[kset[j]]
        )
        assert bits == expected


@pytest.mark.parametrize("k", [2, 5, 11])
def test_adjacency_has_the_edges_of_the_induced_subgraph(k):
    graph = random_graph(20, 90, seed=1)
    dense = np.zeros((20, 20), bool)
    dense[np.repeat(np.arange(20), graph.degrees), graph.indices] = True
    ksets = some_ksets(20, k, 30, seed=2)
    found = adjacency(torch.from_numpy(edge_codes(graph.rows, ksets)), k)
    assert np.array_equal(found.numpy(), dense[ksets[:, :, None], ksets[:, None, :]])


def test_edge_codes_do_not_depend_on_the_number_of_threads(monkeypatch):
    graph = random_graph(30, 120, seed=3)
    ksets = some_ksets(30, 4, 40_000, seed=3)
    monkeypatch.setenv("MHMGNN_THREADS", "1")
    alone = edge_codes(graph.rows, ksets)
    monkeypatch.setenv("MHMGNN_THREADS", "3")
    assert np.array_equal(edge_codes(graph.rows, ksets), alone)


def test_each_slot_finds_the_features_of_its_own_node():
    graph = random_graph(20, 40, seed=4)
    ksets = some_ksets(9, 3, 12, seed=4) + 11
    motifs = gather(graph, ksets)
    assert len(motifs.x) == np.unique(ksets).size
    assert np.array_equal(motifs.x[motifs.rows].numpy(), graph.x[ksets])


def test_data_and_noise_share_one_row_a_node():
    graph = random_graph(20, 40, seed=5)
    data = some_ksets(8, 3, 12, seed=5)
    noise = np.random.default_rng(5).permutation(8)[data]
    bits = edge_codes(graph.rows, data)
    motifs = batch(graph.x, np.concatenate([data, noise]), np.tile(bits, 2))
    assert len(motifs.x) == np.unique(data).size
    assert np.array_equal(motifs.x[motifs.rows[12:]].numpy(), graph.x[noise])
    assert torch.equal(motifs.adjacency[:12], motifs.adjacency[12:])


def test_sparse_features_stay_sparse_and_equal_the_dense_ones():
    dense = np.random.default_rng(6).poisson(0.3, size=(20, 40)).astype(np.float32)
    ksets = some_ksets(20, 4, 5, seed=6)
    motifs = gather(random_graph(20, 60, seed=6, features=sparse.csr_array(dense)), ksets)
    assert isinstance(motifs.x, SparseRows)
    shape = (len(motifs.x.indptr) - 1, motifs.x.columns)
    kept = sparse.csr_array((motifs.x.values, motifs.x.indices, motifs.x.indptr), shape=shape).toarray()
    assert np.array_equal(kept[motifs.rows.numpy()], dense[ksets])


def test_edge_attributes_lie_where_their_edge_does():
    graph = random_graph(12, 30, seed=7, edge_attr=True)
    dense = np.zeros((12, 12, 2), np.float32)
    dense[np.repeat(np.arange(12), graph.degrees), graph.indices] = graph.edge_attr
    ksets = some_ksets(12, 4, 20, seed=7)
    assert np.array_equal(edge_attributes(graph, ksets), dense[ksets[:, :, None], ksets[:, None, :]])


def test_a_node_outside_the_graph_is_refused_with_its_row():
    graph = random_graph(20, 40, seed=8)
    with pytest.raises(DataError, match=r"k-set 1, \(3, 20\), names a node outside 0\.\.19"):
        gather(graph, np.array([[0, 1], [3, 20]]))


def test_more_slots_than_bits_are_refused():
    with pytest.raises(DataError, match="k from 2 to 11"):
        gather(random_graph(20, 40, seed=9), np.arange(12)[None])


def test_a_graph_without_features_asks_for_some():
    graph = Graph.from_edges([[0, 1], [1, 2]])
    with pytest.raises(DataError, match="no node features"):
        gather(graph, np.array([[0, 1]]))
    assert gather(graph, np.array([[0, 1]]), features=np.eye(3, dtype=np.float32)).x.shape == (2, 3)
