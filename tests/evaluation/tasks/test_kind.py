import pytest

from mhmgnn import DataError, datasets, tasks
from mhmgnn.evaluation.tasks import candidates
from mhmgnn.evaluation.tasks.kind import KINDS, task_of
from mhmgnn.paper.recipe import Cell
from mhmgnn.paper.run import Bench


class Edges(tasks.KSetTask):
    name, title = "edges", "Edges inside"

    def labelling(self, graph, truth, k):
        return tasks.Labelling(candidates.connected, lambda ksets: ksets[:, 0] % 2)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr("mhmgnn.evaluation.tasks.kind.KINDS", dict(KINDS))


@pytest.fixture(scope="module", name="market")
def shop():
    return datasets.load("market")


def test_the_function_of_a_task_and_its_kind_draw_the_same(market):
    one, same = tasks.hyperedges(market, 3, most=50), task_of("hyperedge").make(market, 3, most=50, seed=0)
    for a, b in zip((one.train, one.test), (same.train, same.test), strict=True):
        assert (a.ksets.tolist(), a.labels.tolist()) == (b.ksets.tolist(), b.labels.tolist())


def test_a_task_without_a_census_takes_labels_from_what_was_drawn(market):
    tasks.register(Edges)
    task = task_of("edges").make(market, 3, most=40, seed=0)
    assert task.name == "edges"
    assert (task.train.labels == task.train.ksets[:, 0] % 2).all()
    assert task.train.labels.mean() == 0.5


def test_a_task_that_nothing_knows_is_an_error():
    with pytest.raises(DataError, match="task is 'hyperege'; it must be one of hyperedge, dag-leaves"):
        Bench().task(Cell("hyperege", "market", 3), 0, 10)


def test_a_task_on_data_of_another_kind_is_refused(market):
    with pytest.raises(DataError, match="market has no citations"):
        task_of("dag-leaves").make(market, 3, most=10, seed=0)
    with pytest.raises(DataError, match="market is one graph; whole-graph needs a collection"):
        task_of("whole-graph").make(market, None, most=10, seed=0)
    with pytest.raises(DataError, match="hyperedge is asked of market with k = None; it needs one graph"):
        task_of("hyperedge").make(market, None, most=10, seed=0)
    with pytest.raises(DataError, match="a truth of the kind NoneType has no hyperedges"):
        tasks.hyperedges(datasets.Dataset("own", market.graph, None), 3)


def test_names_are_checked_when_a_task_is_registered():
    assert tasks.register(tasks.register(Edges)) is Edges
    with pytest.raises(DataError, match="there is a task 'hyperedge' already"):
        tasks.register(type("Mine", (Edges,), {"name": "hyperedge"}))
    with pytest.raises(DataError, match="cannot be called 'My own'"):
        tasks.register(type("Mine", (Edges,), {"name": "My own"}))
    with pytest.raises(DataError, match="the task Mine lacks name, title"):
        tasks.register(type("Mine", (tasks.TaskKind,), {}))
