import numpy as np
import pytest
from training.test_groups import GROUPS, TINY, carts

from mhmgnn import DataError, Graph, RunConfig, connected_sets, fit, load
from mhmgnn.context.context import describe, read_sets
from mhmgnn.graph.sets import Sets
from mhmgnn.models.vector import VectorReader
from mhmgnn.nn.vector import Usual
from mhmgnn.subgraphs.cliques import list_cliques
from mhmgnn.training.vector import renew_units


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


def test_a_vector_is_the_sum_of_its_parts(model, graph):
    ksets = some(graph)
    vectors = model.embed(ksets)
    assert vectors.shape == (50, 40)
    assert list(model.parts)[-3:] == ["context", "inside", "groups"]
    alone = {name: model.embed(ksets, parts=[name]) for name in model.parts}
    np.testing.assert_allclose(vectors, sum(alone.values()), atol=1e-5)
    np.testing.assert_allclose(
        model.embed(ksets, parts=["groups", "context"]), alone["groups"] + alone["context"], atol=1e-5
    )
    with pytest.raises(DataError, match="a part is 'colour'; it must be one of"):
        model.embed(ksets, parts=["colour"])
    with pytest.raises(DataError, match="parts is empty; name some of "):
        model.embed(ksets, parts=[])


def test_units_are_those_of_random_sets_and_of_cliques_beside_them(model, graph):
    reference = model.part_reader(graph).reference(3)
    cliques = list_cliques(graph, 3)
    assert set(map(tuple, reference.tolist())) == set(map(tuple, connected_sets(graph, 3).tolist()))
    assert len(reference) == len(connected_sets(graph, 3)) + len(cliques)


def test_the_context_part_holds_the_context_in_units_of_the_graph(model, graph):
    ksets = some(graph)
    reader = model.part_reader(graph)
    usual = Usual.of(read_sets(describe(graph), Sets.of_rows(reader.reference(3))))
    plain = read_sets(describe(graph), Sets.of_rows(ksets))
    scaled = ((plain - usual.mean.numpy()) / usual.spread.numpy()).clip(-3, 3)
    expected = scaled @ model.vector.maps["context"].weight.numpy()
    np.testing.assert_allclose(model.embed(ksets, parts=["context"]), expected, atol=1e-4)


def test_units_that_are_kept_are_those_that_the_graph_gives(model, graph):
    reader = model.part_reader(graph)
    kept, measured = (VectorReader(model.vector, reader, 3, at_home=home) for home in (True, False))
    ksets, parts = some(graph), list(model.parts)
    (_, one), (_, other) = next(kept.run(ksets, parts)), next(measured.run(ksets, parts))
    np.testing.assert_array_equal(one, other)


def test_a_graph_that_has_grown_gives_units_of_its_own(model, graph, tmp_path):
    model.save(tmp_path)
    grown = load(tmp_path)
    pairs = np.column_stack([np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices])
    more = [[0, node] for node in range(1, graph.num_nodes, 2)]
    grown.graph = Graph.from_edges(np.vstack([pairs, more]), weights=[*graph.weights, *[1] * len(more)])
    vector = renew_units(grown, grown.vector)
    measured = VectorReader(vector, grown.part_reader(grown.graph), 3, at_home=False).usual
    for name, usual in vector.usual.items():
        np.testing.assert_array_equal(usual.mean, measured[name].mean)
    assert not np.array_equal(vector.usual["context"].mean, model.vector.usual["context"].mean)


def test_a_saved_model_gives_the_same_vectors_and_parts(model, graph, tmp_path):
    model.save(tmp_path)
    again = load(tmp_path)
    assert list(again.parts.items()) == list(model.parts.items())
    np.testing.assert_array_equal(again.embed(some(graph)), model.embed(some(graph)))


def test_parts_that_a_graph_cannot_have_leave_their_share_to_the_others(graph):
    x = np.eye(graph.num_nodes, 4, dtype=np.float32)
    words = fit(Graph(*graph.rows, x), 3, config=settings("vector.given=0.1"), seed=0)
    shares = {"context": 0.4, "inside": 0.4, "groups": 0.1, "given": 0.1}  # nothing is left for noises
    assert words.parts == pytest.approx(shares)
    tree = fit(Graph.from_edges([[i // 2, i] for i in range(1, 60)]), 3, config=settings(), seed=0)
    assert list(tree.parts) == [*tree.config.subgraphs.kinds, "context", "inside"]
    assert tree.parts["context"] == pytest.approx(0.4 / 0.9, abs=1e-6)


def test_the_paper_s_vectors_have_one_part(graph):
    model = fit(graph, 3, config=settings().as_in_paper(), seed=0)
    assert model.parts == {"noise": 1.0}
    assert model.vector is None


def test_shares_must_leave_something_whole():
    with pytest.raises(DataError, match="more than 1 together"):
        RunConfig().with_settings(["vector.context=0.9", "vector.groups=0.2"])
    with pytest.raises(DataError, match=r"given is -0\.1; it is a share, from 0 to 1"):
        RunConfig().with_settings(["vector.given=-0.1"])
