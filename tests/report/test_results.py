import pytest
from report.pages import check_page

from mhmgnn import DataError
from mhmgnn.paper.files import add_result
from mhmgnn.paper.item import Item
from mhmgnn.paper.methods import OURS, RANDOM
from mhmgnn.paper.recipe import Cell, recipes
from mhmgnn.report.results import report_results

CORA = Cell("hyperedge", "cora", 3)
RECIPE = next(recipe for recipe in recipes() if recipe.cell == CORA)


@pytest.fixture(name="results")
def folder(tmp_path):
    for method, seed, paper in ((OURS, 0, 0.7), (OURS, 1, 0.8), (RANDOM, 0, 0.5)):
        result = {
            **{"task": CORA.task, "dataset": CORA.dataset, "k": CORA.k, "method": method, "seed": seed},
            **{"split_seed": seed, "shuffled": False, "config": {}, "commit": "0123456789ab", "dirty": False},
            "score": {"paper": paper, "converged": paper + 0.01},
            "counts": {"train": {"kept": {"0": 9, "1": 9}}, "test": {"kept": {"0": 99, "1": 25}}},
            "seconds": {"all": 36.0},
        }
        add_result(Item(RECIPE, method, seed).path(tmp_path / "results"), result)
    return tmp_path / "results"


def test_the_page_holds_what_was_measured_beside_what_was_published(results, tmp_path):
    text = report_results(results, tmp_path / "results.html").read_text(encoding="utf-8")
    told = check_page(text).told("hyperedge-3-cora")
    published = RECIPE.published[OURS]
    ours = "ours, paper's probe 0.750 ± 0.071, ours, converged probe 0.760 ± 0.071"
    assert f"{OURS}: {ours}, published {published.mean:.3f}" in told
    assert "0123456789" in text


def test_data_sets_without_a_result_have_no_chart(results, tmp_path):
    text = report_results(results, tmp_path / "results.html").read_text(encoding="utf-8")
    drawings = [attrs for attrs in check_page(text).of("svg") if "aria-hidden" not in attrs]
    assert [attrs["id"] for attrs in drawings] == ["hyperedge-3-cora"]


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match="mhmgnn reproduce"):
        report_results(tmp_path / "nothing", tmp_path / "page.html")
