import numpy as np
import pytest
from training.test_groups import GROUPS, TINY, carts

from mhmgnn import DataError, Graph, RunConfig, connected_sets, fit, load
from mhmgnn.context.context import describe, read_sets
from mhmgnn.graph.sets import Sets
from mhmgnn.nn.vector import Usual


def settings(*more):
    config = RunConfig().with_settings([*TINY, "model.dim=40", *more])
    return RunConfig(**{**vars(config), "groups": GROUPS})


@pytest.fixture(scope="module", name="graph")
def shop():
    return carts()[0]


@pytest.fixture(scope="module", name="model")
def trained(graph):
    return fit(graph, 3, config=settings(), seed=0)


def some(graph, m=50):
    ksets = connected_sets(graph, 3)
    return ksets[np.random.default_rng(0).permutation(len(ksets))[:m]]


def test_a_vector_is_its_parts_side_by_side(model, graph):
    ksets = some(graph)
    vectors = model.embed(ksets)
    assert vectors.shape == (50, 40)
    assert list(model.parts)[-3:] == ["context", "inside", "groups"]
    np.testing.assert_array_equal(
        vectors, np.hstack([model.embed(ksets, parts=[name]) for name in model.parts])
    )
    np.testing.assert_array_equal(
        model.embed(ksets, parts=["groups", "context"]),
        np.hstack([model.embed(ksets, parts=[name]) for name in ("groups", "context")]),
    )
    with pytest.raises(DataError, match="a part is 'colour'; it must be one of"):
        model.embed(ksets, parts=["colour"])


def test_the_context_part_holds_the_context_in_units_of_the_graph(model, graph):
    ksets = some(graph)
    reader = model.part_reader(graph)
    usual = Usual.of(read_sets(describe(graph), Sets.of_rows(reader.random_ksets(3))))
    plain = read_sets(describe(graph), Sets.of_rows(ksets))
    scaled = ((plain - usual.mean.numpy()) / usual.spread.numpy()).clip(-3, 3)
    expected = scaled @ model.vector.maps["context"].weight.numpy()
    np.testing.assert_allclose(model.embed(ksets, parts=["context"]), expected, atol=1e-4)


def test_a_saved_model_gives_the_same_vectors_and_parts(model, graph, tmp_path):
    model.save(tmp_path)
    again = load(tmp_path)
    assert list(again.parts.items()) == list(model.parts.items())
    np.testing.assert_array_equal(again.embed(some(graph)), model.embed(some(graph)))


def test_numbers_of_parts_that_a_graph_cannot_have_go_to_the_noises(graph):
    x = np.eye(graph.num_nodes, 4, dtype=np.float32)
    words = fit(Graph(*graph.rows, x), 3, config=settings("groups.worlds=0", "vector.given=0.1"), seed=0)
    assert "given" in words.parts
    tree = fit(Graph.from_edges([[i // 2, i] for i in range(1, 60)]), 3, config=settings(), seed=0)
    assert list(tree.parts) == [*tree.config.subgraphs.kinds, "context", "inside"]
    assert sum(words.parts.values()) == sum(tree.parts.values()) == 40


def test_the_paper_s_vectors_have_one_part(graph):
    model = fit(graph, 3, config=settings().as_in_paper(), seed=0)
    assert model.parts == {"noise": 40}
    assert model.vector is None


def test_shares_must_leave_something_whole():
    with pytest.raises(DataError, match="more than 1 together"):
        RunConfig().with_settings(["vector.context=0.9", "vector.groups=0.2"])
    with pytest.raises(DataError, match=r"given is -0\.1; it is a share, from 0 to 1"):
        RunConfig().with_settings(["vector.given=-0.1"])
