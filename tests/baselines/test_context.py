import numpy as np
from conftest import random_graph
from scipy import sparse

from mhmgnn import Graph, connected_sets, fit_baseline
from mhmgnn.baselines.context import WithContext, context_rows
from mhmgnn.context.context import describe, read_sets
from mhmgnn.graph.sets import Sets


def test_rows_are_the_context_with_zero_mean_and_unit_spread_over_all_sets_of_a_small_graph():
    graph = random_graph(1)
    ksets = connected_sets(graph, 3)
    rows = context_rows(graph, ksets)
    plain = read_sets(describe(graph), Sets.of_rows(ksets)).astype(float)
    changing = plain.std(axis=0) > 1e-3
    expected = (plain - plain.mean(axis=0)) / np.where(changing, plain.std(axis=0), 1)
    np.testing.assert_allclose(rows[:, changing], expected.clip(-3, 3)[:, changing], atol=2e-3)


def test_context_stands_beside_the_rows_of_a_method_sparse_or_dense():
    graph = random_graph(1)
    words = sparse.random_array((graph.num_nodes, 7), density=0.4, rng=np.random.default_rng(0)).tocsr()
    ksets = connected_sets(graph, 3)[:20]
    for x in (words.astype(np.float32), words.toarray().astype(np.float32)):
        method = fit_baseline("raw", Graph(*graph.rows, x), k=3)
        both = WithContext(method).embed(ksets, graph=method.graph)
        assert sparse.issparse(both) == sparse.issparse(x)
        both, own = (m.toarray() if sparse.issparse(m) else m for m in (both, method.embed(ksets)))
        np.testing.assert_allclose(both, np.hstack([own, context_rows(method.graph, ksets)]), atol=1e-6)
