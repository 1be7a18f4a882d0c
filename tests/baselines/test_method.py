import pytest

from mhmgnn import DataError
from mhmgnn.baselines.method import METHODS, Formula, Method, register, rows_of


class OfKSets(Method):
    name, title, about, settings = "ones", "Ones", "a column of ones", None

    def fit_ksets(self, graph, k, settings, *, seed, quiet):
        return Formula(lambda graph, ksets: ksets[:, :1] * 0 + 1)


@pytest.fixture(autouse=True)
def forget():
    yield
    METHODS.pop("ones", None)


def test_what_a_method_gives_is_read_off_what_it_defines():
    register(OfKSets)
    assert (METHODS.find("ones").of_ksets, METHODS.find("ones").of_graphs) == (True, False)
    with pytest.raises(DataError, match="ones has no rows for whole graphs"):
        METHODS.find("ones").fit_graphs([], 3, None, seed=0, quiet=True)
    with pytest.raises(DataError, match="netlsd has no rows for k-sets"):
        METHODS.find("netlsd").fit_ksets(None, 3, None, seed=0, quiet=True)


def test_a_file_may_run_again_but_not_take_the_name_or_row_of_another():
    assert register(register(OfKSets)) is OfKSets
    with pytest.raises(DataError, match="the baseline 'raw' exists already"):
        register(type("Mine", (OfKSets,), {"name": "raw", "title": "Mine"}))
    with pytest.raises(DataError, match=r"'DGI \(Joint\)' is taken by the baseline dgi"):
        register(type("Mine", (OfKSets,), {"title": "DGI (Joint)"}))


def test_what_lacks_a_name_or_has_a_wrong_one_is_refused():
    with pytest.raises(DataError, match="the baseline Mine lacks name, title, about, settings"):
        register(type("Mine", (Method,), {}))
    with pytest.raises(DataError, match="cannot be called 'My own'"):
        register(type("Mine", (OfKSets,), {"name": "My own"}))


def test_no_two_baselines_share_a_row():
    rows = [row for method in METHODS.values() for row in rows_of(method)]
    assert len(set(rows)) == len(rows)


def test_a_method_that_shares_what_another_learned_names_one_that_is_there():
    assert {method.shares for method in METHODS.values()} - {None} == {"deepwalk", "node2vec"}
