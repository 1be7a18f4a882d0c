import numpy as np
import pytest

from mhmgnn import Graph, RunConfig, fit, load
from mhmgnn.context.context import describe
from mhmgnn.models.graph_vector import WIDE, graph_rows, graph_shares, node_inputs, node_row, summary
from mhmgnn.nn.node_kernel import NodeKernel

TINY = ["train.steps=3", "train.batch=2", "model.dim=20"]


def graphs(features=3, number=8, *, seed=0):
    rng = np.random.default_rng(seed)
    found = []
    for i in range(number):
        n = 8 + i
        pairs = {tuple(sorted(pair)) for pair in rng.integers(n, size=(3 * n, 2)) if pair[0] != pair[1]}
        x = rng.normal(size=(n, features)).astype(np.float32) if features else None
        found.append(Graph.from_edges(sorted(pairs), features=x, num_nodes=n))
    return found


@pytest.fixture(scope="module", name="model", params=["k-sets", "whole graphs"])
def trained(request):
    more = ["model.encoder=gin"] if request.param == "whole graphs" else []
    return fit(graphs(), 3, config=RunConfig().with_settings([*TINY, *more]), seed=0)


def test_the_vector_of_a_graph_does_not_depend_on_other_graphs(model):
    some = graphs(seed=1)
    one_by_one = np.vstack([model.embed_graphs([graph]) for graph in some])
    np.testing.assert_allclose(model.embed_graphs(some), one_by_one, rtol=1e-4, atol=1e-5)
    assert model.embed_graphs([]).shape == (0, 20)


def test_the_training_graphs_have_numbers_of_mean_0_and_even_spread(model):
    found = model.embed_graphs(graphs())
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=0.05)
    assert found.std(axis=0).mean() == pytest.approx(20**-0.5, rel=0.2)


def test_a_saved_model_gives_the_same_vectors_of_graphs(model, tmp_path):
    model.save(tmp_path)
    again = load(tmp_path)
    assert again.config == model.config
    np.testing.assert_array_equal(again.embed_graphs(graphs()), model.embed_graphs(graphs()))


def test_rows_of_graphs_have_summary_means_sums_and_what_noises_taught():
    inputs = [node_inputs(graph, np.eye(3, dtype=np.float32)) for graph in graphs()]
    kernel, learned = NodeKernel.fitted(inputs, 0), np.arange(16, dtype=np.float32).reshape(8, 2)
    rows = graph_rows(inputs, kernel, learned)
    assert list(rows) == ["summary", "means", "sums", "noise"]
    np.testing.assert_array_equal(rows["noise"], learned)
    for i, nodes in enumerate(inputs):
        total = len(nodes.degrees) * kernel(nodes)
        np.testing.assert_allclose(rows["summary"][i], summary(nodes), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(rows["means"][i], kernel(nodes), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(
            rows["sums"][i], np.sign(total) * np.log1p(abs(total)), rtol=1e-5, atol=1e-5
        )
    assert sum(graph_shares(0.7).values()) == pytest.approx(1)


def test_models_as_in_the_paper_and_of_one_graph_pool_their_k_sets():
    many = graphs()
    paper = fit(many, 3, config=RunConfig().with_settings(TINY).as_in_paper(), seed=0)
    assert paper.graph_vector is None
    np.testing.assert_array_equal(paper.embed_graphs(many), paper.embed_graphs(many, pool="mean"))
    one = fit(many[-1], 3, config=RunConfig().with_settings([*TINY, "groups.worlds=0"]), seed=0)
    assert one.graph_vector is None
    np.testing.assert_array_equal(one.embed_graphs(many), one.embed_graphs(many, pool="mean"))


def test_the_row_of_nodes_has_means_spreads_sums_sizes_and_degrees():
    graph = graphs()[2]
    found, n = node_row(graph, np.eye(3, dtype=np.float32)), graph.num_nodes
    dense = np.zeros((n, n))
    dense[np.repeat(np.arange(n), graph.degrees), graph.indices] = 1
    near = dense @ graph.x / np.maximum(graph.degrees, 1)[:, None]
    known = np.hstack([graph.x, near, describe(graph).nodes])
    p = known.shape[1]
    np.testing.assert_allclose(found[:p], known.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(found[p : 2 * p], known.std(axis=0), rtol=1e-4, atol=1e-6)
    total = graph.x.sum(axis=0)
    np.testing.assert_allclose(
        found[2 * p : 2 * p + 3], np.sign(total) * np.log1p(np.abs(total)), rtol=1e-4, atol=1e-6
    )
    assert found[2 * p + 3] == pytest.approx(np.log1p(n))
    assert found[-8:].tolist() == [float(np.mean(graph.degrees == d)) for d in range(1, 9)]


def test_the_row_of_nodes_does_not_depend_on_their_order():
    graph = graphs()[3]
    order = np.random.default_rng(5).permutation(graph.num_nodes)
    pairs = np.column_stack([np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices])
    turned = Graph.from_edges(np.argsort(order)[pairs], features=graph.x[order], num_nodes=graph.num_nodes)
    rows = [node_row(one, np.eye(3, dtype=np.float32)) for one in (graph, turned)]
    np.testing.assert_allclose(rows[0], rows[1], rtol=1e-5, atol=1e-6)


def test_wide_features_are_projected_and_none_are_needed():
    wide = fit(graphs(WIDE + 6), 3, config=RunConfig().with_settings(TINY), seed=0)
    assert wide.graph_vector.projection.shape == (WIDE + 6, 32)
    bare = fit(graphs(0), 3, config=RunConfig().with_settings(TINY), seed=0)
    assert bare.graph_vector.projection.shape == (0, 0)
    for model, width in ((wide, WIDE + 6), (bare, 0)):
        assert np.isfinite(model.embed_graphs(graphs(width, seed=2))).all()


def test_a_graph_with_too_few_nodes_for_a_k_set_has_a_vector(model):
    pair = Graph.from_edges([[0, 1]], features=np.ones((2, 3), np.float32))
    one, none = (
        Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.ones((n, 3), np.float32)) for n in (1, 0)
    )
    assert np.isfinite(model.embed_graphs([pair])).all()
    inputs = [node_inputs(graph, np.eye(3, dtype=np.float32)) for graph in (pair, one, none)]
    rows = np.hstack([*graph_rows(inputs, model.graph_vector.kernel, np.zeros((3, 20))).values()])
    assert np.isfinite(rows).all()
    assert not rows[2].any()
    assert np.isfinite(model.embed_graphs([none])).all()
    assert not node_row(none, np.eye(3, dtype=np.float32)).any()
