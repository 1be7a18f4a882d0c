"""Named graphs with the truth hidden from training; one file a family."""

from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.hyperedges import HyperedgeInfo, Hyperedges, describe
from mhmgnn.errors import DataError

__all__ = ["Dataset", "HyperedgeInfo", "Hyperedges", "describe", "load"]


def load(
    name: str,
    *,
    seed: int = 0,
    products: int = 600,
    carts: int | None = None,
    min_together: int = 1,
) -> Dataset[Hyperedges]:
    """The data set called `name`: its graph, and the truth that the graph does not hold.

    "market" is made on the spot from `seed`; `mhmgnn.datasets.market` says how. `products` is the size of the
    shop, a multiple of 8. `carts` is how many its customers fill, 15 a product unless given. Two products are
    adjacent when at least `min_together` carts hold both. The same options give the same data.

    >>> market = load("market")
    >>> market.graph.num_nodes, len(market.truth)
    (600, 9000)
    """
    known = {"market": _market}
    if name not in known:
        raise DataError(f"there is no data set {name!r}; the known ones are {', '.join(known)}")
    return known[name](seed, products, carts, min_together)


def _market(seed: int, products: int, carts: int | None, min_together: int) -> Dataset[Hyperedges]:
    from mhmgnn.datasets.market import generate

    return generate(seed=seed, products=products, carts=carts, min_together=min_together)
