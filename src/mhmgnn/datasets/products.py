"""Products that the same users took within a year: the games of Steam, the clothes of Rent the Runway.

A cart is the set of distinct products that a user took in that year. Two products are adjacent when some cart
holds both. The paper (Cotta et al. 2020) does not say which users it keeps; here they are those with 3 to 6
products (Steam) or 3 to 19 (Rent the Runway), the bounds that come closest to the sizes it prints. A cart is
kept whole or dropped whole, and what is dropped leaves no node, edge or feature behind. The paper and here:

- steam, 2014: 1,098 nodes, 7,839 edges and 775 words; here the same
- steam, 2015: 1,322 nodes, 7,547 edges; here the same
- rent, 2016: 2,985 nodes, 55,979 edges and 1,475 words; here 2,801, 51,253 and 118 other features
- rent, 2017: 5,003 nodes, 67,365 edges; here 5,097 and 68,283

Nodes are in the order of the shop's own numbers for its products, which are their names. The columns of the
features are chosen from the first year alone; their values come from each year's own rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, json

from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.files import AnyPath, raw_bytes, raw_file
from mhmgnn.datasets.hyperedges import Hyperedges, project
from mhmgnn.datasets.sources import SINGLE, Source, one_file, register
from mhmgnn.datasets.words import Terms, common_words, shares, words
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.names import one_chunk

LEAST = 3  # products in a cart

_REVIEW = {"user_id": pa.string(), "item_id": pa.string(), "posted": pa.string(), "review": pa.string()}
_ANSWERS = {
    "category": pa.string(),
    "rented_for": pa.string(),
    "body_type": pa.string(),
    "size": pa.int64(),
    "fit": pa.string(),
    "age": pa.int64(),
    "rating": pa.int64(),
}
_RENTAL = {"user_id": pa.int64(), "item_id": pa.int64(), "review_date": pa.date32()}


class Shop(NamedTuple):
    """Where the rows of a shop lie, and which carts are taken from them."""

    name: str
    file: str
    years: tuple[int, int]  # the first trains, the second tests
    most: int  # products in a cart


STEAM = Shop("steam", "steam/australian_user_reviews.flat.jsonl.gz", (2014, 2015), most=6)
RENT = Shop("rent", "renttherunway/renttherunway.transactions.csv.gz", (2016, 2017), most=19)


class _Year(NamedTuple):
    """The carts kept of one year, and the rows of the raw file that they are made of."""

    products: np.ndarray  # (n,) int64: the shop's numbers, sorted; node i is products[i]
    carts: Hyperedges
    rows: pa.Table
    node: np.ndarray  # (rows,) int64: the product of each row


def steam(data_dir: AnyPath | None = None) -> Dataset[Hyperedges]:
    """Games that the same users reviewed in 2014, `later` in 2015; the truth is what each of them reviewed.

    Users with 3 to 6 games in the year are kept. A feature is 1 where a review of the game by one of them
    holds the word, else 0. The words, `steam_columns`, are those said of at least 2 % of the games of 2014,
    without stop words.
    """
    years = _steam_years(data_dir)
    said = [_said(year) for year in years]
    return _dataset(STEAM, years, said, common_words(said[0]))


def steam_columns(data_dir: AnyPath | None = None) -> list[str]:
    """The word that each column of the features of `steam` stands for."""
    return common_words(_said(_steam_years(data_dir)[0]))


def rent(data_dir: AnyPath | None = None) -> Dataset[Hyperedges]:
    """Clothes that the same users rented in 2016, `later` in 2017; the truth is what each of them rented.

    Users with 3 to 19 pieces in the year are kept. The paper has 1,475 words of reviews as features. Review
    texts are not available, so the features are others: which share of the rentals of a piece by these users
    was of each category, occasion, body type, size, fit, age (by decade) and rating, for every answer given
    in 2016; `rent_columns` lists them.
    """
    years = _rent_years(data_dir)
    said = [_answered(year) for year in years]
    return _dataset(RENT, years, said, sorted(said[0].names))


def rent_columns(data_dir: AnyPath | None = None) -> list[str]:
    """What each column of the features of `rent` is the share of, such as "fit: small"."""
    return sorted(_answered(_rent_years(data_dir)[0]).names)


def _dataset(shop: Shop, years: list[_Year], said: list[Terms], columns: list[str]) -> Dataset[Hyperedges]:
    first, second = (
        Graph.from_edges(
            project(year.carts, year.products.size),
            features=terms.onto(columns),
            names=year.products.tolist(),
        )
        for year, terms in zip(years, said, strict=True)
    )
    later = Dataset(f"{shop.name} {shop.years[1]}", second, years[1].carts)
    return Dataset(shop.name, first, years[0].carts, later)


def _said(year: _Year) -> Terms:
    return words(year.rows["review"], year.node, year.products.size)


def _answered(year: _Year) -> Terms:
    answers = {question: year.rows[question] for question in _ANSWERS}
    age = np.clip(answers["age"].to_numpy(), 10, 79)  # people write 2, and 117
    answers["age"] = pa.chunked_array([pa.array(age // 10 * 10, pa.int64(), from_pandas=True)])
    return shares(answers, year.node, year.products.size)


def _steam_years(data_dir: AnyPath | None) -> list[_Year]:
    path = raw_file(STEAM.name, STEAM.file, data_dir)
    parse = json.ParseOptions(explicit_schema=pa.schema(_REVIEW), unexpected_field_behavior="ignore")
    try:
        rows = json.read_json(pa.BufferReader(raw_bytes(STEAM.name, path)), parse_options=parse)
        rows.validate(full=True)
        rows = rows.set_column(1, "item_id", rows["item_id"].cast(pa.int64()))
    except (pa.ArrowException, OSError) as error:
        raise _damaged(STEAM, path, error) from error
    _check_filled(STEAM, path, rows.select(list(_REVIEW)))
    in_year = [pc.ends_with(rows["posted"], f", {year}.") for year in STEAM.years]  # Posted May 5, 2014.
    return _keep_carts(STEAM, path, [rows.filter(mask) for mask in in_year])


def _rent_years(data_dir: AnyPath | None) -> list[_Year]:
    path = raw_file(RENT.name, RENT.file, data_dir)
    types = _RENTAL | _ANSWERS
    convert = csv.ConvertOptions(
        column_types=types, include_columns=list(types), strings_can_be_null=True, null_values=[""]
    )
    try:
        rows = csv.read_csv(pa.BufferReader(raw_bytes(RENT.name, path)), convert_options=convert)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(RENT, path, error) from error
    _check_filled(RENT, path, rows.select(list(_RENTAL)))
    in_year = [pc.equal(pc.year(rows["review_date"]), year) for year in RENT.years]
    return _keep_carts(RENT, path, [rows.filter(mask) for mask in in_year])


def _check_filled(shop: Shop, path: Path, rows: pa.Table) -> None:
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        if column.null_count:
            raise _damaged(shop, path, f"{column.null_count} of {len(column)} rows have no {name}")


def _damaged(shop: Shop, path: Path, why: object) -> DataError:
    first_line = str(why).partition("\n")[0]
    return DataError(f"{path} is damaged: {first_line}; get it again with `mhmgnn data fetch {shop.name}`")


def _keep_carts(shop: Shop, path: Path, rows_by_year: list[pa.Table]) -> list[_Year]:
    years = [_keep_year(rows, shop.most) for rows in rows_by_year]
    for number, year in zip(shop.years, years, strict=True):
        if not len(year.carts):
            raise _damaged(shop, path, f"nobody has {LEAST} to {shop.most} products in {number}")
    return years


def _keep_year(rows: pa.Table, most: int) -> _Year:
    """The users of one year with `LEAST` to `most` distinct products; a row listed twice counts once."""
    sizes = rows.group_by("user_id").aggregate([("item_id", "count_distinct")])
    size = sizes["item_id_count_distinct"]
    users = sizes["user_id"].filter(pc.and_(pc.greater_equal(size, LEAST), pc.less_equal(size, most)))
    rows = rows.filter(pc.is_in(rows["user_id"], value_set=one_chunk(users)))
    rows = rows.group_by(rows.column_names, use_threads=False).aggregate([])
    products, node = np.unique(rows["item_id"].to_numpy(), return_inverse=True)
    user = one_chunk(rows["user_id"]).dictionary_encode().indices.to_numpy()
    taken = np.unique(np.column_stack([user, node]), axis=0)  # each product of each user once
    offsets = np.searchsorted(taken[:, 0], np.arange(len(users) + 1))
    return _Year(products, Hyperedges(taken[:, 1].copy(), offsets), rows, node)


_FILTER = "the paper does not describe its filter; ours is the simplest that comes near, see docs/tasks.md"
_NO_TEXT = "the paper has words of reviews, which are not available; ours are facts of the rentals"

register(
    Source(
        name="steam",
        kind="products, two years",
        loader=lambda data_dir, seed: steam(data_dir),
        files=(
            one_file(
                "steam/australian_user_reviews.flat.jsonl.gz",
                28355159,
                "6a2e9405021289b431a49741cd660686d5f32952cc1fd671634566703a90eb18",
                origin="one line a review, non-ASCII characters blank, from a copy in "
                "clblommberg/PI_MLOPS_Steam on GitHub; the original is the McAuley Lab's "
                "https://mcauleylab.ucsd.edu/public_datasets/data/steam/australian_user_reviews.json.gz",
            ),
        ),
        table=SINGLE,
        published={"nodes": 1098, "edges": 7839, "features": 775},
        later={"nodes": 1322, "edges": 7547, "features": 775},
    )
)
register(
    Source(
        name="rent",
        kind="products, two years",
        loader=lambda data_dir, seed: rent(data_dir),
        files=(
            one_file(
                "renttherunway/renttherunway.transactions.csv.gz",
                13942573,
                "8fb1cce7c5776ccf7f6458d0c5a32e7ba5870d61c9ed9e1923a27105aae0d0ca",
                origin="one line a rental, without the review text, from a copy in "
                "dai-anna/RenttheRunwayRecommendations on GitHub; the original is the McAuley Lab's "
                "https://mcauleylab.ucsd.edu/public_datasets/data/renttherunway/renttherunway_final_data.json.gz",
            ),
        ),
        table=SINGLE,
        published={"nodes": 2985, "edges": 55979, "features": 1475},
        later={"nodes": 5003, "edges": 67365, "features": 1475},
        notes={"nodes": _FILTER, "edges": _FILTER, "features": _NO_TEXT},
    )
)
