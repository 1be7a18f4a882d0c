import json
from collections import Counter
from pathlib import Path

import pytest

from mhmgnn import DataError
from mhmgnn.config import SetsConfig
from mhmgnn.datasets.sources import SOURCES
from mhmgnn.paper.methods import OURS, methods_of, way_of
from mhmgnn.paper.recipe import RECIPES, Recipe, choose, recipes

PAPER = Path(__file__).parents[3] / "shared" / "paper_results.json"


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.toml")), ids=lambda path: path.stem)
def test_a_recipe_loads_and_is_called_by_its_cell(path):
    recipe = Recipe.load(path)
    assert path.stem == recipe.cell.place.replace("/", "-")
    assert SOURCES[recipe.cell.dataset].published
    assert all(way_of(recipe, method) for method in methods_of(recipe))


def test_the_recipes_fill_the_42_cells_of_the_model():
    filled = Counter((r.cell.task, r.cell.k) for r in recipes() if OURS in r.published)
    sets = {("hyperedge", 3): 6, ("hyperedge", 4): 6, ("hyperedge", 5): 5}
    sets |= {("dag-leaves", k): 3 for k in (3, 4, 5)}
    assert filled == sets | {("whole-graph", k): 4 for k in (3, 4, 5, "n")}
    assert filled.total() == 42


def test_every_published_figure_stands_in_the_recipes_once():
    if not PAPER.is_file():
        pytest.skip(f"{PAPER} is not there")
    ours = [
        (r.cell.task, r.cell.dataset, r.cell.k, method, *figure)
        for r in recipes()
        for method, figure in r.published.items()
    ]
    theirs = [
        tuple(row[key] for key in ("task", "dataset", "k", "method", "mean", "std"))
        for row in json.loads(PAPER.read_text())
    ]
    assert len(theirs) == 328
    assert Counter(ours) == Counter(theirs)


def test_every_figure_is_told_from_its_own_table():
    if not PAPER.is_file():
        pytest.skip(f"{PAPER} is not there")
    by_cell = {(r.cell.task, r.cell.dataset, r.cell.k): r for r in recipes()}
    for row in json.loads(PAPER.read_text()):
        recipe = by_cell[row["task"], row["dataset"], row["k"]]
        walks = row["method"].startswith(("node2vec", "DeepWalk"))
        assert row["table"] == (recipe.transductive if walks else recipe.table)


def test_a_recipe_sets_what_the_paper_sets_and_leaves_the_rest():
    by_place = {recipe.cell.place: recipe.config for recipe in recipes()}
    pubmed = by_place["hyperedge/pubmed-4"]
    assert (pubmed.subgraphs.size, pubmed.train.batch, pubmed.train.k) == (500, 10, 4)
    assert [by_place[f"dag-leaves/cora-{k}"].model.layers for k in (3, 4, 5)] == [1, 1, 2]
    assert by_place["hyperedge/steam-5"].model.layers == 1
    whole = by_place["whole-graph/proteins-n"]
    assert (whole.model.encoder, whole.model.layers, whole.train.batch) == ("whole", 2, 50)
    for config in by_place.values():
        assert config.train.learning_rate == 1e-3
        assert config.sets == SetsConfig()


def test_what_has_no_k_goes_with_every_k():
    chosen = choose(recipes(), tasks=["whole-graph"], sizes=["n"], datasets=["enzymes"])
    assert [recipe.cell.k for recipe in chosen] == [None, "n"]


def test_words_that_name_nothing_are_refused():
    with pytest.raises(DataError, match="dataset is 'corra'; it must be one of citeseer, cora"):
        choose(recipes(), datasets=["corra"])
    with pytest.raises(DataError, match="k is '6'"):
        choose(recipes(), sizes=["6"])


def test_a_broken_recipe_is_refused_with_its_file(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('[cell]\ntask = "hyperedge"\ndataset = "cora"\ntable = "t"\n[run.train]\nbtach = 3\n')
    with pytest.raises(DataError, match=r"bad\.toml is no recipe: \[train\] has no setting 'btach'"):
        Recipe.load(path)


@pytest.mark.parametrize(
    "old, new",
    [
        ('"MHM-GNN" = [', '"MHM-GNN" = ["a", '),
        ('"MHM-GNN" = [0.', '"MHM-GNN" = [7.'),
        ("[published]", "[other]\n[[published]]"),
        ("[cell]", "[[cell]]"),
        ("[run.train]", "[[run.train]]"),
        ("k = 3", "k = [3]"),
        ("k = 3", 'k = "three"'),
        ('dataset = "cora"', "dataset = 7"),
        ('table = "', 'table = ["'),
        ("[cell]", "[cell" + ".cell" * 3000 + "]"),
        ("k = 3", "k = " + "[" * 5000),
    ],
)
def test_a_recipe_of_other_kinds_is_refused(tmp_path, old, new):
    text = (RECIPES / "hyperedge-cora-3.toml").read_text()
    assert old in text
    (tmp_path / "bad.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(DataError, match=r"bad\.toml is no recipe"):
        Recipe.load(tmp_path / "bad.toml")
