import pytest

from mhmgnn import DataError, datasets
from mhmgnn.datasets.info import tally
from mhmgnn.datasets.sources import SOURCES, Source, register


@pytest.fixture(autouse=True)
def forget():
    yield
    SOURCES.pop("pairs", None)


def pairs(data_dir, seed):
    return datasets.hypergraph([["ann", "bob"], ["bob", "cy", str(data_dir)]][: 1 + seed], name="pairs")


def test_a_loader_is_given_the_folder_and_the_seed():
    register(Source(name="pairs", kind="friends", loader=pairs))
    assert len(datasets.load("pairs").truth) == 1
    assert list(datasets.load("pairs", seed=1, data_dir="here").graph.names) == ["ann", "bob", "cy", "here"]


def test_a_file_may_run_again_but_not_take_the_name_of_another():
    source = Source(name="pairs", kind="friends", loader=pairs)
    register(source)
    register(source)
    with pytest.raises(DataError, match="the data set 'cora' exists already"):
        register(Source(name="cora", kind="friends", loader=pairs))


@pytest.mark.parametrize("name", ["all", "My own", "", 7])
def test_a_name_that_commands_could_not_take_is_refused(name):
    with pytest.raises(DataError, match="the data set cannot be called"):
        register(Source(name=name, kind="friends", loader=pairs))


def test_a_truth_of_any_kind_can_be_counted():
    class Truth:
        def counts(self):
            return {"friends": 4}

    graph = pairs(None, 1).graph
    counted = tally(datasets.Dataset("own", graph, Truth())).counts
    plain = tally(datasets.Dataset("own", graph, None)).counts
    assert ("friends", 4) in [(count.what, count.ours) for count in counted]
    assert len(counted) == len(plain) + 1
