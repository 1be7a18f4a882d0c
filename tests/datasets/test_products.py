import csv
import gzip
import json
import re
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.products import RENT, STEAM, rent, rent_columns, steam, steam_columns
from mhmgnn.datasets.words import STOP_WORDS
from mhmgnn.errors import DataError

Rows = list[dict[str, object]]
SHOPS = {"steam": (steam, STEAM), "rent": (rent, RENT)}
EVERY_SHOP = pytest.mark.parametrize("shop", SHOPS)
YEARS = (2016, 2017)  # of `some_rows`; two less in the reviews
ANSWERS = {
    "category": ["gown", "top"],
    "rented_for": ["party", "work", ""],
    "body_type": ["pear", ""],
    "size": ["0", "4", "12"],
    "fit": ["fit", "small", "large"],
    "age": ["", "31", "117"],
    "rating": ["10", "8", ""],
}
TEXTS = ["Dragon's den", "SPACE ships; lasers", "the pretty farm", "a b c", "", "caf\u00e9 farm\nspace"]


@cache
def some_rows(seed: int = 0) -> Rows:
    """What 40 users took of 30 products, some several times, in two years; most of them 1 to 7, some many."""
    rng = np.random.default_rng(seed)
    numbers = rng.choice(2000, size=30, replace=False)
    rows = []
    for year, user in product(YEARS, range(40)):
        for item in rng.choice(numbers, size=rng.integers(1, 8 if user % 4 else 60)).tolist():
            row = {"user": user, "item": item, "year": year, "day": rng.integers(10, 29)}
            answers = {question: str(rng.choice(possible)) for question, possible in ANSWERS.items()}
            rows.append(row | answers | {"text": str(rng.choice(TEXTS))})
    return rows


def as_review(row: dict[str, object]) -> str:
    ids = {"user_id": f"user {row['user']}", "item_id": str(row["item"])}
    posted = f"Posted May {row['day']}, {row['year'] - 2}."
    return json.dumps(ids | {"posted": posted, "review": row["text"], "recommend": True})


def as_rental(row: dict[str, object]) -> str:
    cells = [row["user"], row["item"], 150, f"{row['year']}-05-{row['day']}", *map(row.get, ANSWERS)]
    return ",".join(map(str, cells))


def load(shop: str, folder: Path, rows: Rows) -> Dataset:
    """Write `rows` as the shop's raw file and load it."""
    path = folder / SHOPS[shop][1].file.removesuffix(".gz")
    path.parent.mkdir(parents=True)
    head = ["user_id,item_id,weight_lbs,review_date," + ",".join(ANSWERS)] if shop == "rent" else []
    path.write_text("\n".join(head + list(map(as_rental if shop == "rent" else as_review, rows))))
    return SHOPS[shop][0](folder)


def by_year(dataset: Dataset, years: tuple[int, int] = YEARS) -> list[tuple[int, Dataset]]:
    return list(zip(years, (dataset, dataset.later), strict=True))


@cache
def raw_rows(shop: str, data_dir: Path) -> Rows:
    """The rows of the real file with its `user`, `item` and `year`, and its columns as they are."""
    with gzip.open(data_dir / SHOPS[shop][1].file, "rt", newline="") as file:
        rows = list(map(json.loads, file)) if shop == "steam" else list(csv.DictReader(file))
    for row in rows:
        year = row["posted"][-5:-1] if shop == "steam" else row["review_date"][:4]
        row |= {"user": row["user_id"], "item": int(row["item_id"]), "year": year}
    return rows


def naive_carts(rows: Rows, year: int | str, most: int) -> dict[object, set[int]]:
    carts = defaultdict(set)
    for row in rows:
        if row["year"] == year:
            carts[row["user"]].add(row["item"])
    return {user: cart for user, cart in carts.items() if 3 <= len(cart) <= most}


def assert_carts(dataset: Dataset, carts: list[set[int]]) -> None:
    """Nodes are the products in carts by their number, edges the pairs in carts, the truth the carts."""
    graph, truth = dataset.graph, dataset.truth
    products = sorted(set().union(*carts))
    assert [graph.label(node) for node in range(graph.num_nodes)] == list(map(str, products))
    found = [tuple(products[node] for node in truth[i]) for i in range(len(truth))]
    assert Counter(found) == Counter(tuple(sorted(cart)) for cart in carts)
    ends = np.array(products)[np.column_stack(sparse.triu(graph.to_scipy()).nonzero())]
    edges = set(map(tuple, ends.tolist()))
    assert edges == {pair for cart in carts for pair in combinations(sorted(cart), 2)}


def cells(dataset: Dataset, columns: list[str]) -> dict[tuple[str, str], float]:
    """What the features hold, by product and column; cells of 0 left out."""
    x = dataset.graph.x.tocoo()
    places = zip(*(axis.tolist() for axis in x.coords), x.data.tolist(), strict=True)
    return {(dataset.graph.label(i), columns[j]): value for i, j, value in places}


def naive_words(rows: Rows, carts: dict[object, set[int]], year: int | str) -> dict[str, set[str]]:
    said: dict[str, set[str]] = {str(item): set() for cart in carts.values() for item in cart}
    for row in rows:
        if row["year"] == year and row["user"] in carts:
            said[str(row["item"])] |= set(re.findall("[a-z]{2,}", str(row["text"]).lower()))
    return said


def assert_same(one: Dataset, other: Dataset) -> None:
    np.testing.assert_array_equal(one.graph.indptr, other.graph.indptr)
    np.testing.assert_array_equal(one.graph.indices, other.graph.indices)
    np.testing.assert_array_equal(one.graph.x.toarray(), other.graph.x.toarray())
    assert list(one.graph.names) == list(other.graph.names)
    carts = [sorted(map(tuple, (d.truth[i].tolist() for i in range(len(d.truth))))) for d in (one, other)]
    assert carts[0] == carts[1]


@pytest.fixture(scope="module")
def real(data_dir: Path) -> dict[str, Dataset]:
    return {"steam": steam(data_dir), "rent": rent(data_dir)}


def test_steam_has_the_nodes_edges_and_words_of_the_paper(real):
    first, second = real["steam"], real["steam"].later
    assert (first.graph.num_nodes, first.graph.num_edges, first.graph.num_features) == (1098, 7839, 775)
    assert (second.graph.num_nodes, second.graph.num_edges, second.graph.num_features) == (1322, 7547, 775)
    assert (len(first.truth), len(second.truth)) == (1859, 1571)  # not in the paper


def test_rent_comes_near_the_paper(real):
    first, second = real["rent"].graph, real["rent"].later.graph
    found = np.array([[first.num_nodes, first.num_edges], [second.num_nodes, second.num_edges]])
    assert found.tolist() == [[2801, 51253], [5097, 68283]]
    paper = np.array([[2985, 55979], [5003, 67365]])
    assert np.abs(found / paper - 1).max() < 0.09
    assert first.num_features == second.num_features == 118  # 1,475 words in the paper
    assert (len(real["rent"].truth), len(real["rent"].later.truth)) == (3901, 5286)  # not in the paper


@EVERY_SHOP
def test_the_real_graphs_are_their_carts_and_nothing_more(shop, real, data_dir):
    rows = raw_rows(shop, data_dir)
    about = SHOPS[shop][1]
    for year, dataset in by_year(real[shop], about.years):
        assert_carts(dataset, list(naive_carts(rows, str(year), about.most).values()))


def test_the_real_words_are_those_of_each_years_reviews(real, data_dir):
    rows = [row | {"text": row["review"]} for row in raw_rows("steam", data_dir)]
    columns = steam_columns(data_dir)
    for year, dataset in by_year(real["steam"], STEAM.years):
        said = naive_words(rows, naive_carts(rows, str(year), STEAM.most), str(year))
        if year == STEAM.years[0]:
            spread = Counter(word for held in said.values() for word in held)
            common = {word for word, products in spread.items() if products >= 0.02 * len(said)}
            assert columns == sorted(common - set(STOP_WORDS.split()))
        expected = {(item, word): 1.0 for item, held in said.items() for word in held & set(columns)}
        assert cells(dataset, columns) == expected


@EVERY_SHOP
def test_what_happens_later_does_not_reach_the_real_training_graph(shop, real, data_dir, tmp_path):
    about = SHOPS[shop][1]
    is_later = re.compile({"steam": rb'"posted": "[^"]*, 2015\."', "rent": rb",2017-"}[shop]).search
    swap = {"steam": (b'"review": "', b'"review": "zebra '), "rent": (b"gown", b"zebra")}[shop]
    path = tmp_path / about.file.removesuffix(".gz")
    path.parent.mkdir()
    with gzip.open(data_dir / about.file) as before, path.open("wb") as after:
        for number, line in enumerate(before):
            if not is_later(line):
                after.write(line)
            elif number % 2:
                after.write(line.replace(*swap))
    changed = SHOPS[shop][0](tmp_path)
    assert_same(changed, real[shop])
    assert changed.later.graph.num_nodes < real[shop].later.graph.num_nodes


@EVERY_SHOP
def test_carts_nodes_and_edges_are_as_defined(shop, tmp_path, seed):
    rows = some_rows(seed)
    for year, found in by_year(load(shop, tmp_path, rows)):
        assert_carts(found, list(naive_carts(rows, year, SHOPS[shop][1].most).values()))


def test_words_are_as_defined(tmp_path, seed):
    rows = some_rows(seed)
    dataset = load("steam", tmp_path, rows)
    columns = steam_columns(tmp_path)
    assert columns == ["caf", "den", "dragon", "farm", "lasers", "pretty", "ships", "space"]
    for year, found in by_year(dataset):
        said = naive_words(rows, naive_carts(rows, year, STEAM.most), year)
        expected = {(item, word): 1.0 for item, held in said.items() for word in held & set(columns)}
        assert cells(found, columns) == expected


def test_shares_are_as_defined(tmp_path, seed):
    rows = some_rows(seed)
    distinct = {as_rental(row): row | {"age": {"": "", "31": "30", "117": "70"}[row["age"]]} for row in rows}
    dataset = load("rent", tmp_path, rows)
    columns = rent_columns(tmp_path)
    for year, found in by_year(dataset):
        carts = naive_carts(rows, year, RENT.most)
        kept = [row for row in distinct.values() if row["year"] == year and row["user"] in carts]
        given = [(str(row["item"]), q, row[q]) for row in kept for q in ANSWERS if row[q]]
        total = Counter((item, q) for item, q, _ in given)
        expected = {(i, f"{q}: {a}"): count / total[i, q] for (i, q, a), count in Counter(given).items()}
        assert cells(found, columns) == pytest.approx(expected)


@EVERY_SHOP
def test_a_user_with_too_few_or_too_many_products_leaves_nothing_behind(shop, tmp_path):
    rows = some_rows()
    new = rows[0] | {"text": "zebra", "category": "zebra"}
    few = [new | {"user": 1000, "item": item} for item in (2000, 2001)]
    many = [new | {"user": 1001, "item": 3000 + i} for i in range(SHOPS[shop][1].most + 1)]
    assert_same(load(shop, tmp_path / "more", rows + few + many), load(shop, tmp_path / "plain", rows))


@EVERY_SHOP
def test_rows_listed_twice_count_once_and_their_order_is_nothing(shop, tmp_path):
    rows = some_rows()
    assert_same(load(shop, tmp_path / "2", [*rows[::-1], *rows[::2]]), load(shop, tmp_path / "1", rows))


@EVERY_SHOP
def test_columns_come_from_the_first_year_alone(shop, tmp_path):
    new = {2016: {"text": "otter", "category": "otter"}, 2017: {"text": "zebra", "category": "zebra"}}
    dataset = load(shop, tmp_path, [row | new[row["year"]] for row in some_rows()])
    columns = {"steam": steam_columns, "rent": rent_columns}[shop](tmp_path)
    otter = [i for i, column in enumerate(columns) if "otter" in column]
    assert len(otter) == 1
    assert not any("zebra" in column for column in columns)
    assert dataset.graph.x[:, otter].toarray().all()
    assert not dataset.later.graph.x[:, otter].toarray().any()
    assert dataset.later.graph.num_features == len(columns)


@EVERY_SHOP
def test_products_are_ordered_by_number_not_by_text(shop, tmp_path):
    row = some_rows()[0]
    rows = [row | {"item": item, "year": year} for item in (100, 9, 10) for year in YEARS]
    assert list(load(shop, tmp_path, rows).graph.names) == ["9", "10", "100"]


def test_stop_words_are_those_of_scikit_learn():
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert set(STOP_WORDS.split()) == ENGLISH_STOP_WORDS


@EVERY_SHOP
def test_a_missing_file_is_named_with_the_command_that_gets_it(shop, tmp_path):
    with pytest.raises(DataError, match=rf"{shop} needs .*mhmgnn data fetch {shop}"):
        SHOPS[shop][0](tmp_path)


@EVERY_SHOP
@pytest.mark.parametrize("fault", ["cut", "not gzip", "nonsense", "no column", "no user", "no number"])
def test_a_damaged_file_is_one_error_that_names_it(shop, fault, tmp_path):
    load(shop, tmp_path, some_rows())
    path = tmp_path / SHOPS[shop][1].file
    plain = path.with_suffix("")
    whole = plain.read_text()
    plain.unlink()
    if fault in ("cut", "not gzip"):
        path.write_bytes(gzip.compress(whole.encode())[:-200] if fault == "cut" else whole.encode())
    else:
        row = some_rows()[-1]
        line = as_rental(row) if shop == "rent" else as_review(row)
        user = str(row["user"]) if shop == "rent" else f'"user {row["user"]}"'
        changes = {
            "nonsense": (line, '{"user_id": [\n]],'),
            "no column": ("item_id", "thing"),
            "no user": (line, line.replace(user, "" if shop == "rent" else "null", 1)),
            "no number": (line, line.replace(str(row["item"]), "x1", 1)),
        }
        path.write_bytes(gzip.compress(whole.replace(*changes[fault]).encode()))
    with pytest.raises(DataError, match=rf"gz is damaged: .*mhmgnn data fetch {shop}`$") as caught:
        SHOPS[shop][0](tmp_path)
    assert "\n" not in str(caught.value)


@EVERY_SHOP
@pytest.mark.parametrize("missing", YEARS)
def test_a_year_without_carts_is_refused(shop, missing, tmp_path):
    stated = SHOPS[shop][1].years[YEARS.index(missing)]
    with pytest.raises(DataError, match=rf"nobody has 3 to \d+ products in {stated}"):
        load(shop, tmp_path, [row for row in some_rows() if row["year"] != missing])
