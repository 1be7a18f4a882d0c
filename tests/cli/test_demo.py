import networkx as nx
import numpy as np
import pytest

from mhmgnn.baselines.completion import RIVALS
from mhmgnn.cli.commands.demo import _text
from mhmgnn.cli.demo import demo, report_demo
from mhmgnn.config import RunConfig
from mhmgnn.datasets.market import generate
from mhmgnn.evaluation.completion import complete_all, hold_out
from mhmgnn.models.completion import Completer
from mhmgnn.models.completion_tuning import tune

CONFIG = RunConfig().with_settings(
    ["model.dim=8", "subgraphs.size=20", "train.steps=3", "train.batch=4", "train.checkpoint_every=1"]
)


def list_maximal(graph) -> list[list[int]]:
    """Maximal cliques of three nodes and more, by networkx."""
    cliques = nx.find_cliques(nx.from_scipy_sparse_array(graph.to_scipy()))
    return [clique for clique in cliques if len(clique) > 2]


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


def test_groups_by_name_are_cliques_and_said_to_be_carts_if_they_are(found, market):
    near = market.graph.to_scipy().toarray() > 0
    carts = {frozenset(market.truth[i].tolist()) for i in range(len(market.truth))}
    assert len({item.nodes for item, _ in found.best}) == len(found.best) > 3
    for item, real in found.best:
        size = len(item.nodes)
        assert near[np.ix_(item.nodes, item.nodes)].sum() == size * (size - 1)
        assert real == (frozenset(item.nodes) in carts)
        assert item.names == tuple(map(market.graph.label, item.nodes))


def test_groups_of_ours_and_of_rivals_are_compared_with_the_carts(found, market):
    carts = {frozenset(market.truth[i].tolist()) for i in np.flatnonzero(market.truth.sizes > 2)}
    groups = [frozenset(group.nodes) for group in found.model.groups(sizes=(3, 160)).groups]
    rows = {row.by: row.figures for row in found.recovery.rows}
    assert list(rows) == ["maximal cliques", "greedy cover", "mhmgnn"]
    assert rows["mhmgnn"]["best"] == sum(group in carts for group in groups[:50]) / len(groups[:50])
    assert rows["mhmgnn"]["recall"] == len(carts.intersection(groups)) / len(carts)
    largest = sorted(map(len, list_maximal(market.graph)), reverse=True)
    assert rows["maximal cliques"]["precision"] * len(largest) == pytest.approx(
        sum(frozenset(clique) in carts for clique in list_maximal(market.graph))
    )


def test_hidden_products_are_ranked_by_ours_and_by_every_rival(found, market):
    held = hold_out(market.truth, 160, seed=3, counts=True)
    rows = {row.by: row.figures for row in found.completion.rows}
    assert list(rows) == [*RIVALS, "mhmgnn"]
    ours = Completer(held.graph, tune(held.graph)).scores
    assert rows["mhmgnn"] == complete_all(ours, held.queries)._asdict()


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
    for row in (*found.recovery.rows, *found.completion.rows):
        assert f"\n  {row.by}" in text


def test_the_page_leads_with_carts_and_ends_with_training(found, run, tmp_path):
    page = report_demo(found, run, tmp_path / "demo.html").read_text(encoding="utf-8")
    order = [page.index(f'id="{name}"') for name in ("recovery", "completion", "found", "tasks", "training")]
    assert order == sorted(order)
