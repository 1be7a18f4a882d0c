from collections import Counter

import igraph
import naive
import numpy as np
import pytest
from conftest import random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from mhmgnn import DataError, Graph, connected_sets, estimate_sum
from mhmgnn.subgraphs.exact import count_roots, in_chunks
from mhmgnn.subgraphs.shapes import motif_shapes

CORA = {3: 49_041, 4: 1_295_733, 5: 45_174_275}


def as_sets(ksets: np.ndarray) -> Counter[frozenset[int]]:
    return Counter(map(frozenset, ksets.tolist()))


def as_igraph(graph: Graph) -> igraph.Graph:
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    edges = np.column_stack([source, graph.indices])[source < graph.indices]
    return igraph.Graph(n=graph.num_nodes, edges=edges.tolist())


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_every_connected_set_is_listed_once(small, k):
    found = connected_sets(small, k)
    assert as_sets(found) == Counter(naive.connected_sets(small, k))
    assert (np.diff(found) > 0).all()
    assert found.dtype == np.int32


@given(seed=st.integers(0, 10**6), k=st.integers(2, 6), edges=st.integers(6, 40))
@settings(max_examples=60, deadline=None)
def test_enumeration_equals_the_definition_on_random_graphs(seed, k, edges):
    graph = random_graph(seed, nodes=9, edges=edges)
    truth = naive.connected_sets(graph, k)
    if truth:
        assert as_sets(connected_sets(graph, k)) == Counter(truth)
    else:
        with pytest.raises(DataError, match="largest connected component"):
            connected_sets(graph, k)


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda: igraph.Graph.Full(10), {3: 120, 6: 210, 10: 1}),
        (lambda: igraph.Graph.Star(30), {3: 29 * 28 // 2, 4: 29 * 28 * 27 // 6}),
        (lambda: igraph.Graph.Ring(20), {3: 20, 8: 20}),
        (lambda: igraph.Graph.Tree(15, 2), {2: 14, 15: 1}),
    ],
    ids=["clique", "star", "ring", "tree"],
)
def test_counts_are_those_of_the_formula(make, count):
    graph = Graph.from_edges(make().get_edgelist())
    assert {k: estimate_sum(graph, k).value for k in count} == count
    assert {k: len(connected_sets(graph, k)) for k in count} == count


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_totals_equal_igraph(k, seed):
    for source in (
        igraph.Graph.Barabasi(60, 2),
        igraph.Graph.Erdos_Renyi(60, m=90),
        igraph.Graph.Tree(80, 3),
    ):
        graph = Graph.from_edges(source.simplify().get_edgelist(), num_nodes=source.vcount())
        assert estimate_sum(graph, k).value == source.motifs_randesu_no(size=k)


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_shapes_equal_igraph(k):
    source = igraph.Graph.Erdos_Renyi(40, m=70)
    graph = Graph.from_edges(source.get_edgelist(), num_nodes=40)
    theirs = source.motifs_randesu(size=k)
    ours = estimate_sum(graph, k, f="shape").value
    assert ours.tolist() == [
        theirs[igraph.Graph(k, shape.edges).isoclass()] for shape in motif_shapes(k).shapes
    ]


@pytest.mark.parametrize("k", [3, 4, 5])
def test_cora_has_the_known_number_of_connected_sets(cora, k):
    assert (cora.num_nodes, cora.num_edges) == (2708, 5278)
    assert estimate_sum(cora, k, limit=10**8).value == CORA[k]
    assert estimate_sum(cora, k, f="shape", limit=10**8).sum().value == CORA[k]


@pytest.mark.parametrize("k", [3, 4])
def test_cora_has_the_motif_classes_of_igraph(cora, k):
    theirs = as_igraph(cora).motifs_randesu(size=k)
    ours = estimate_sum(cora, k, f="shape").value
    assert ours.tolist() == [
        theirs[igraph.Graph(k, shape.edges).isoclass()] for shape in motif_shapes(k).shapes
    ]


@pytest.mark.slow
def test_cora_has_as_many_6_sets_as_igraph_says(cora):
    assert estimate_sum(cora, 6, method="exact").value == as_igraph(cora).motifs_randesu_no(size=6)


def test_chunks_hold_what_the_list_holds(small):
    roots = count_roots(small, 3, limit=10**6)
    chunks = list(in_chunks(roots, 3, rows=5))
    assert len(chunks) > 1
    assert as_sets(np.concatenate(chunks)) == as_sets(connected_sets(small, 3))


def test_threads_do_not_change_the_list(small):
    np.testing.assert_array_equal(connected_sets(small, 4, threads=1), connected_sets(small, 4, threads=3))


def test_more_sets_than_the_limit_are_refused(small):
    most = len(connected_sets(small, 3))
    assert len(connected_sets(small, 3, limit=most)) == most
    with pytest.raises(DataError, match=f"more than {most - 1} connected 3-sets"):
        connected_sets(small, 3, limit=most - 1)


@pytest.mark.parametrize("k", [1, 17, 2.5, True, "3"])
def test_a_k_out_of_range_is_refused(small, k):
    with pytest.raises(DataError, match="whole number from 2 to 16"):
        connected_sets(small, k)
