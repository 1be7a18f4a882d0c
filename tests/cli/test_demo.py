import numpy as np
import pytest

from mhmgnn.cli.commands.demo import _text
from mhmgnn.cli.demo import demo
from mhmgnn.config import RunConfig
from mhmgnn.datasets.market import generate

CONFIG = RunConfig().with_settings(
    ["model.dim=8", "subgraphs.size=20", "train.steps=3", "train.batch=4", "train.checkpoint_every=1"]
)


@pytest.fixture(scope="module", name="run")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module", name="found")
def shown(run):
    return demo(products=160, config=CONFIG, seed=3, run=run, quiet=True)


@pytest.fixture(scope="module", name="market")
def same_market():
    return generate(products=160, seed=3)


def test_it_trains_on_the_pairs_of_the_market_of_its_seed(found, market, run):
    np.testing.assert_array_equal(found.model.graph.indices, market.graph.indices)
    assert found.model.facts["steps"] == 3
    assert (run / "model" / "weights.safetensors").is_file()


def test_three_methods_meet_the_same_two_probes(found):
    assert [name for name, _ in found.detections] == ["sum of raw features", "random weights", "mhmgnn"]
    scores = np.array([(score.paper, score.converged) for _, score in found.detections])
    assert ((scores > 0.3) & (scores < 1)).all()
    assert len(np.unique(scores, axis=0)) == 3  # none stands in for another


def test_carts_are_counted_among_the_triangles(found, market):
    near = market.graph.to_scipy().toarray() > 0
    of_three = [tuple(market.truth[i]) for i in range(len(market.truth)) if market.truth.sizes[i] == 3]
    assert len(found.triangles) == np.trace(np.linalg.matrix_power(near.astype(int), 3)) // 6
    assert found.is_cart.sum() == len(set(of_three))


def test_ten_distinct_triangles_are_found_and_said_to_be_carts_if_they_are(found, market):
    near = market.graph.to_scipy().toarray() > 0
    carts = {frozenset(market.truth[i].tolist()) for i in range(len(market.truth))}
    assert len({item.nodes for item, _ in found.best}) == 10
    for item, real in found.best:
        assert near[np.ix_(item.nodes, item.nodes)].sum() == 6
        assert real == (frozenset(item.nodes) in carts)
        assert item.names == tuple(map(market.graph.label, item.nodes))
    energies = [item.energy for item, _ in found.best]
    assert energies == sorted(energies)


def test_completions_complete_the_products_that_were_asked_for(found):
    assert found.asked == ("espresso machine", "coffee grinder")
    assert list(found.completions) == found.model.complete(found.asked, top=5)
    assert not {candidate.name for candidate in found.completions} & set(found.asked)


def test_the_words_for_a_person_name_what_was_found(found):
    text = _text(found)
    assert text.count("\n  cart ") == sum(real for _, real in found.best)
    for name in (*found.asked, *(candidate.name for candidate in found.completions)):
        assert name in text
    for method, score in found.detections:
        assert f"{method:<52}  {score.paper:.3f}  {score.converged:.3f}" in text
