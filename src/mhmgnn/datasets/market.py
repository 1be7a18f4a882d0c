"""The carts of a small shop, projected to pairs and hidden.

A shelf is one purpose in one line: coffee, or coffee for travel. It holds eight products: four roles (gear,
tool, supply, keeper) of two substitutes each. Customers fill three kinds of cart.

- A bundle, 3 or 4 products: all of one shelf, each of another role. Some shelves sell more than others, and
  so does one of two substitutes.
- An errand, 2 products: one of a shelf, and one that stands by its till but belongs to another shelf. Every
  product stands by one till. By every till stand eight products, one for each place on a shelf.
- A comparison, 2 products: substitutes. These are few.

So three products make a cart when they share purpose and line and no two share a role. The other triangles
are joined by different carts: across shelves by errands, within a shelf by comparisons. A few more are
bundles that nobody happened to buy.

The features of a product are the words of its name and of its description. The description is drawn from the
words of its purpose, its line and its role, and from words that fit anything. All shelves, roles and
substitutes take part in carts and in other triangles about alike. So the sum of the features of three
products tells next to nothing of whether they make a cart. Which words meet tells much.

A triangle counts as a cart when it is one, or when it is part of one: `match` decides, see
`Hyperedges.holds`.
"""

import numpy as np
from scipy import sparse

from mhmgnn.datasets._stock import FILLERS, LINES, PURPOSES, ROLES
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.hyperedges import Hyperedges, project
from mhmgnn.datasets.sources import Source, register
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

SHELF = 8  # products of a shelf: place 2 * role + substitute
MOST = SHELF * len(PURPOSES) * len(LINES)
CARTS_A_PRODUCT = 15  # enough for most possible bundles of a shelf to be bought at least once

BUNDLES = 0.76  # shares of the carts; what remains are errands
COMPARISONS = 0.005
FOURS = 0.08  # share of the bundles that take all four roles
SKEW = 0.35  # spread of the log of what sells

WORDS_OF_PURPOSE, WORDS_OF_LINE, WORDS_OF_ROLE, FILLER_WORDS = 5, 3, 3, 2  # in a description


def generate(
    *, seed: int = 0, products: int = 600, carts: int | None = None, min_together: int = 1
) -> Dataset[Hyperedges]:
    """A graph of products, adjacent where at least `min_together` carts hold both; the carts are the truth.

    Features are words, (products, words) float32 of 0 and 1. Their columns are the same for every shop, so
    that a model of one can embed another. Nodes are numbered at random: only names and words say what a
    product is.
    """
    _check(seed=seed, products=products, carts=carts, min_together=min_together)
    carts = CARTS_A_PRODUCT * products if carts is None else carts
    for_words, for_carts, for_order = np.random.default_rng(seed).spawn(3)
    names, order = shelf_names(products), for_order.permutation(products)  # node i is product order[i]
    x = _describe_products(names, for_words)
    node = np.append(np.argsort(order), -1)  # the filler -1 stays -1
    hidden = Hyperedges.from_padded(node[_draw_carts(products // SHELF, carts, for_carts)])
    pairs = project(hidden, products, min_together=min_together)
    graph = Graph.from_edges(pairs, features=x[order], names=[names[i] for i in order])
    return Dataset("market", graph, hidden)


def shelf_names(products: int) -> list[str]:
    """Names shelf by shelf, eight each, in the order of roles: all purposes of the plain line first."""
    names = [
        f"{line} {product}".strip()
        for line in LINES
        for purpose in PURPOSES
        for substitutes in purpose[1:]
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


def _draw_carts(shelves: int, carts: int, rng: np.random.Generator) -> np.ndarray:
    """All carts as products in shelf order, (carts, 4) int64; -1 fills those of two or three."""
    demand = np.exp(SKEW * rng.standard_normal(shelves))
    second = 1 / (1 + np.exp(SKEW * rng.standard_normal((shelves, 4))))  # chance of the second substitute
    comparisons = round(COMPARISONS * carts)
    errands = carts - comparisons - round(BUNDLES * carts)
    drawn = np.full((carts, 4), -1)
    drawn[:errands, :2] = _errands(errands, second, rng)
    drawn[errands : errands + comparisons, :2] = _comparisons(comparisons, shelves, rng)
    drawn[errands + comparisons :] = _bundles(
        carts - errands - comparisons, demand / demand.sum(), second, rng
    )
    return drawn


def _bundles(count: int, demand: np.ndarray, second: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Products of one shelf and of different roles, (count, 4) int64; -1 for a role left out."""
    shelf = rng.choice(demand.size, size=count, p=demand)
    drawn = SHELF * shelf[:, None] + 2 * np.arange(4) + (rng.random((count, 4)) < second[shelf])
    left_out = rng.integers(4, size=count)
    three = rng.random(count) >= FOURS
    drawn[three, left_out[three]] = -1
    return drawn


def _errands(count: int, second: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A product by the till of another shelf, and one of that shelf, (count, 2) int64."""
    shelves = len(second)
    till = np.empty((shelves, SHELF), dtype=np.int64)  # where each product stands
    for place in range(SHELF):
        ring = rng.permutation(shelves)
        till[ring, place] = np.roll(ring, 1)
    stray = rng.permutation(np.arange(count) % till.size)  # all products equally often
    host = till.ravel()[stray]
    role = rng.integers(4, size=count)
    return np.column_stack([stray, SHELF * host + 2 * role + (rng.random(count) < second[host, role])])


def _comparisons(count: int, shelves: int, rng: np.random.Generator) -> np.ndarray:
    """Two substitutes, (count, 2) int64."""
    first = 2 * rng.integers(shelves * SHELF // 2, size=count)
    return np.column_stack([first, first + 1])


register(
    Source(
        name="market",
        kind="products",
        loader=lambda data_dir, seed: generate(seed=seed),
    )
)
