import pytest

from mhmgnn import DataError, datasets, tasks
from mhmgnn.evaluation.tasks import candidates
from mhmgnn.evaluation.tasks.kind import TASKS
from mhmgnn.paper.recipe import Cell
from mhmgnn.paper.run import Bench


class Edges(tasks.KSetTask):
    name, title = "edges", "Edges inside"

    def labelling(self, graph, truth, k):
        return tasks.Labelling(candidates.connected, lambda ksets: ksets[:, 0] % 2)


@pytest.fixture(autouse=True)
def forget():
    yield
    TASKS.pop("edges", None)


@pytest.fixture(scope="module", name="market")
def shop():
    return datasets.load("market")


def test_the_function_of_a_task_and_its_kind_draw_the_same(market):
    one, same = tasks.hyperedges(market, 3, most=50), TASKS.find("hyperedge").make(market, 3, most=50, seed=0)
    for a, b in zip((one.train, one.test), (same.train, same.test), strict=True):
        assert (a.ksets.tolist(), a.labels.tolist()) == (b.ksets.tolist(), b.labels.tolist())


def test_a_task_without_a_census_takes_labels_from_what_was_drawn(market):
    tasks.register(Edges)
    task = TASKS.find("edges").make(market, 3, most=40, seed=0)
    assert task.name == "edges"
    assert (task.train.labels == task.train.ksets[:, 0] % 2).all()
    assert task.train.labels.mean() == 0.5


def test_a_task_that_nothing_knows_is_an_error():
    told = r"task is 'hyperege'; it must be one of hyperedge, dag-leaves.*; did you mean hyperedge"
    with pytest.raises(DataError, match=told):
        Bench().task(Cell("hyperege", "market", 3), 0, 10)


def test_a_task_on_data_of_another_kind_is_refused(market):
    with pytest.raises(DataError, match="market has no citations"):
        TASKS.find("dag-leaves").make(market, 3, most=10, seed=0)
    with pytest.raises(DataError, match="market is one graph; whole-graph needs a collection"):
        TASKS.find("whole-graph").make(market, None, most=10, seed=0)
    with pytest.raises(DataError, match="hyperedge is asked of market with k = None; it needs one graph"):
        TASKS.find("hyperedge").make(market, None, most=10, seed=0)
    with pytest.raises(DataError, match="a truth of the kind NoneType has no hyperedges"):
        tasks.hyperedges(datasets.Dataset("own", market.graph, None), 3)


def test_names_are_checked_when_a_task_is_registered():
    assert tasks.register(tasks.register(Edges)) is Edges
    with pytest.raises(DataError, match="the task 'hyperedge' exists already"):
        tasks.register(type("Mine", (Edges,), {"name": "hyperedge"}))
    with pytest.raises(DataError, match="cannot be called 'My own'"):
        tasks.register(type("Mine", (Edges,), {"name": "My own"}))
    with pytest.raises(DataError, match="the task Mine lacks name, title"):
        tasks.register(type("Mine", (tasks.TaskKind,), {}))
