"""The carts of a shop, projected to pairs with counts, and hidden.

A shelf is one purpose in one line: coffee, or coffee for travel. It holds eight products: four roles (gear,
tool, supply, keeper) of two substitutes each. What sells has a long tail: some purposes, some lines and some
products sell far more than others.

A cart starts with one product, which has a purpose; the purpose has occasions (breakfast, guests), and the
customer shops for one of them. Every further product of the cart comes from

- the same shelf,
- the same purpose in any line,
- a purpose of the occasion, of the same line or of any,
- or anywhere in the shop, by chance,

each time by popularity. Substitutes, which have one purpose and one role, are never in one cart. Sizes go
from 2 to 8 and fall by half with each product more. Every product starts one cart at least: what nobody buys
is not in the data.

So most triangles are no cart: they come of several carts that overlap, or lie inside a larger one. The
statistics of the graph stand beside those of real shops in docs/data.md.

The features of a product are the words of its name and of its description. The description is drawn from the
words of its purpose, its line and its role, and from words that fit anything.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from mhmgnn.datasets._stock import FILLERS, LINES, OCCASIONS, PURPOSES, ROLES
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.hyperedges import Hyperedges, count_together
from mhmgnn.datasets.sources import Source, register
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

SHELF = 8  # products of a shelf: place 2 * role + substitute
MOST = SHELF * len(PURPOSES) * len(LINES)
PRODUCTS = 2_400
CARTS_A_PRODUCT = 3

LARGEST_CART = 8
FALL = 0.5  # carts of one product more, for each cart
SOURCES_OF_NEXT = {"shelf": 0.5, "purpose": 0.2, "occasion": 0.2, "anywhere": 0.1}  # of a further product
SAME_LINE = 0.6  # chance that what comes from a purpose of the occasion is of the same line
RANKS = {"purpose": 0.6, "line": 0.9}  # how fast sales fall with the place in the lists of _stock
SECOND = 0.6  # sales of the second of two substitutes, for each of the first
SPREAD = 0.7  # of the log of what a product sells beside this

WORDS_OF_PURPOSE, WORDS_OF_LINE, WORDS_OF_ROLE, FILLER_WORDS = 5, 3, 3, 2  # in a description


def generate(
    *, seed: int = 0, products: int = PRODUCTS, carts: int | None = None, min_together: int = 1
) -> Dataset[Hyperedges]:
    """A graph of products, adjacent where at least `min_together` carts hold both; the carts are the truth.

    The counts of pairs are the carts that hold them. Features are words, (products, words) float32 of 0 and
    1. Their columns are the same for every shop, so that a model of one can embed another. Nodes are numbered
    at random: only names and words say what a product is.
    """
    _check(seed=seed, products=products, carts=carts, min_together=min_together)
    carts = CARTS_A_PRODUCT * products if carts is None else carts
    for_words, for_carts, for_order = np.random.default_rng(seed).spawn(3)
    names, order = shelf_names(products), for_order.permutation(products)  # node i is product order[i]
    x = _describe_products(names, for_words)
    node = np.append(np.argsort(order), -1)  # the filler -1 stays -1
    hidden = Hyperedges.from_padded(node[_draw_carts(_Stock.of(products, for_carts), carts, for_carts)])
    pairs, times = count_together(hidden, products, min_together=min_together)
    graph = Graph.from_edges(pairs, weights=times, features=x[order], names=[names[i] for i in order])
    return Dataset("market", graph, hidden)


def shelf_names(products: int) -> list[str]:
    """Names shelf by shelf, eight each, in the order of roles: all purposes of the plain line first."""
    names = [
        f"{line} {product}".strip()
        for line in LINES
        for purpose in PURPOSES
        for substitutes in (purpose.gear, purpose.tool, purpose.supply, purpose.keeper)
        for product in substitutes
    ]
    return names[:products]


def vocabulary() -> list[str]:
    """The word that each column of the features stands for."""
    texts = [
        *(purpose.words for purpose in PURPOSES),
        *ROLES.values(),
        *LINES.values(),
        FILLERS,
        *shelf_names(MOST),
    ]
    return sorted({word for text in texts for word in text.split()})


def _check(*, seed: int, products: int, carts: int | None, min_together: int) -> None:
    for option, value in {
        "seed": seed,
        "products": products,
        "carts": carts,
        "min_together": min_together,
    }.items():
        if not isinstance(value, int | np.integer) and (option, value) != ("carts", None):
            raise DataError(f"{option}={value!r} is not a whole number")
    if seed < 0:
        raise DataError(f"seed={seed} is negative; take 0 or more")
    if not 2 * SHELF <= products <= MOST:
        raise DataError(
            f"products={products} is out of range; take a multiple of {SHELF}, {2 * SHELF} to {MOST}"
        )
    if products % SHELF:
        below = products - products % SHELF
        raise DataError(
            f"products={products} does not fill shelves of {SHELF}; take {below} or {below + SHELF}"
        )
    if carts is not None and carts < 1:
        raise DataError(f"carts={carts} leaves nothing to learn from; take 1 or more, or None")
    if min_together < 1:
        raise DataError(f"min_together={min_together} would join all products; take 1 or more")


def _describe_products(names: list[str], rng: np.random.Generator) -> sparse.csr_array:
    """The words of each name and of a description drawn for it, (products, words) float32, in shelf order."""
    column = {word: i for i, word in enumerate(vocabulary())}
    lines, roles, filler = list(LINES.values()), list(ROLES.values()), FILLERS.split()
    x = sparse.lil_array((len(names), len(column)), dtype=np.float32)
    for i, name in enumerate(names):
        shelf, place = divmod(i, SHELF)
        line, purpose = divmod(shelf, len(PURPOSES))
        words = [
            *name.split(),
            *rng.choice(PURPOSES[purpose].words.split(), WORDS_OF_PURPOSE, replace=False),
            *rng.choice(lines[line].split(), WORDS_OF_LINE, replace=False),
            *rng.choice(roles[place // 2].split(), WORDS_OF_ROLE, replace=False),
            *rng.choice(filler, FILLER_WORDS, replace=False),
        ]
        x[i, [column[word] for word in words]] = 1
    return x.tocsr()


class _Stock(NamedTuple):
    """Where each product stands, in shelf order, and what it sells."""

    purpose: np.ndarray  # (products,) int64
    line: np.ndarray  # (products,) int64
    kind: np.ndarray  # (products,) int64, the same for substitutes of all lines
    sales: np.ndarray  # (products,) float64

    @classmethod
    def of(cls, products: int, rng: np.random.Generator) -> "_Stock":
        shelf, place = np.divmod(np.arange(products), SHELF)
        line, purpose = np.divmod(shelf, len(PURPOSES))
        fall = (1.0 + purpose) ** -RANKS["purpose"] * (1.0 + line) ** -RANKS["line"] * SECOND ** (place % 2)
        return cls(purpose, line, 4 * purpose + place // 2, fall * rng.lognormal(0.0, SPREAD, products))

    def draw(self, among: np.ndarray, wanted: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A product by sales for each of `wanted`, (m,), among those whose entry of `among` is the same."""
        order = np.argsort(among, kind="stable")
        total = np.concatenate([[0.0], np.cumsum(self.sales[order])])
        low, high = (np.searchsorted(among[order], wanted, side) for side in ("left", "right"))
        drawn = total[low] + rng.random(wanted.size) * (total[high] - total[low])
        return np.asarray(order[np.clip(np.searchsorted(total, drawn, "right") - 1, low, high - 1)])


def _draw_carts(stock: _Stock, carts: int, rng: np.random.Generator) -> np.ndarray:
    """All carts as products in shelf order, (carts, LARGEST_CART) int64; -1 fills those of fewer."""
    kinds = np.unique(stock.kind).size
    sizes = np.arange(2, min(LARGEST_CART, kinds // 2) + 1)
    chances = FALL ** sizes.astype(np.float64)
    size = rng.choice(sizes, size=carts, p=chances / chances.sum())
    drawn = np.full((carts, LARGEST_CART), -1)
    drawn[:, 0] = stock.draw(np.zeros_like(stock.kind), np.zeros(carts, np.int64), rng)
    each = rng.permutation(stock.kind.size)[:carts]
    drawn[: each.size, 0] = each
    trip = _purposes_of_trips(stock, drawn[:, 0], rng)
    for place in range(1, sizes[-1]):
        left = np.flatnonzero(size > place)
        while left.size:
            drawn[left, place] = _next_products(stock, drawn[left, 0], trip[left], rng)
            before = np.where(drawn[left, :place] >= 0, stock.kind[drawn[left, :place]], -1)
            left = left[(before == stock.kind[drawn[left, place], None]).any(axis=1)]  # had already: again
    return drawn


def _purposes_of_trips(stock: _Stock, first: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The purposes of an occasion that the first product may be for, (carts, most) int64; -1 fills."""
    number = {purpose.name: i for i, purpose in enumerate(PURPOSES)}
    sold = stock.purpose.max()  # a small shop has the first purposes alone
    occasions = [[number[name] for name in names.split()] for names in OCCASIONS.values()]
    rows = np.full((len(occasions), max(map(len, occasions))), -1)
    for row, purposes in zip(rows, occasions, strict=True):
        kept = [purpose for purpose in purposes if purpose <= sold]
        row[: len(kept)] = kept
    holds = np.array([[purpose in row for row in rows] for purpose in range(sold + 1)])
    chances = rng.random((first.size, len(rows))) * holds[stock.purpose[first]]
    return np.asarray(rows[chances.argmax(axis=1)])


def _next_products(
    stock: _Stock, first: np.ndarray, trip: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """One further product for each cart, (m,), by its first one and the purposes of its trip, (m, most)."""
    m, purposes = first.size, len(PURPOSES)
    shelves = stock.line * purposes + stock.purpose
    purpose, shelf = stock.purpose[first], shelves[first]
    other = trip[np.arange(m), rng.integers((trip >= 0).sum(axis=1))]
    of_line = stock.line[first] * purposes + other
    same = (rng.random(m) < SAME_LINE) & np.isin(of_line, shelves)
    by_occasion = np.where(
        same, stock.draw(shelves, np.where(same, of_line, shelf), rng), stock.draw(stock.purpose, other, rng)
    )
    choices = np.stack(
        [
            stock.draw(shelves, shelf, rng),
            stock.draw(stock.purpose, purpose, rng),
            by_occasion,
            stock.draw(np.zeros_like(shelves), np.zeros(m, np.int64), rng),
        ]
    )
    which = rng.choice(len(choices), size=m, p=list(SOURCES_OF_NEXT.values()))
    return np.asarray(choices[which, np.arange(m)])


register(
    Source(
        name="market",
        kind="products",
        loader=lambda data_dir, seed: generate(seed=seed),
    )
)
