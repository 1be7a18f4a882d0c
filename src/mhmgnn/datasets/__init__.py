"""Named graphs with the truth hidden from training; one file a family."""

from typing import Literal, get_args, overload

from mhmgnn.datasets.citations import Citations
from mhmgnn.datasets.dataset import Dataset, GraphDataset
from mhmgnn.datasets.files import AnyPath
from mhmgnn.datasets.groups import hypergraph
from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.errors import DataError

__all__ = ["Citations", "Dataset", "GraphDataset", "Hyperedges", "hypergraph", "load"]

Cited = Literal["cora", "citeseer", "pubmed"]
Grouped = Literal["dblp", "steam", "rent", "market"]
Collected = Literal["proteins", "enzymes", "imdb-binary", "imdb-multi"]


@overload
def load(name: Cited, *, seed: int = 0, data_dir: AnyPath | None = None) -> Dataset[Citations]: ...
@overload
def load(name: Grouped, *, seed: int = 0, data_dir: AnyPath | None = None) -> Dataset[Hyperedges]: ...
@overload
def load(name: Collected, *, seed: int = 0, data_dir: AnyPath | None = None) -> GraphDataset: ...
@overload
def load(
    name: str, *, seed: int = 0, data_dir: AnyPath | None = None
) -> Dataset[Citations] | Dataset[Hyperedges] | GraphDataset: ...


def load(
    name: str, *, seed: int = 0, data_dir: AnyPath | None = None
) -> Dataset[Citations] | Dataset[Hyperedges] | GraphDataset:
    """The data set called `name`: what training may see, and apart from it the truth that it may not.

    Raw files are looked for in `data_dir`, else in the folder that MHMGNN_DATA names, else in the user's
    cache, which `mhmgnn data fetch` fills. `seed` draws the shop of "market" and the sample of "dblp"; the
    others are the same for every seed. "steam" and "rent" are one year, with the next in `later`.

    >>> market = load("market")
    >>> market.graph.num_nodes, len(market.truth)
    (600, 9000)
    """
    match name:
        case "cora" | "citeseer" | "pubmed":
            from mhmgnn.datasets.citations import citations

            return citations(name, data_dir)
        case "dblp":
            from mhmgnn.datasets.coauthors import dblp

            return dblp(data_dir, seed=seed)
        case "steam":
            from mhmgnn.datasets.products import steam

            return steam(data_dir)
        case "rent":
            from mhmgnn.datasets.products import rent

            return rent(data_dir)
        case "proteins" | "enzymes" | "imdb-binary" | "imdb-multi":
            from mhmgnn.datasets.collections import collection

            return collection(name, data_dir)
        case "market":
            from mhmgnn.datasets.market import generate

            return generate(seed=seed)
    known = (*get_args(Cited), *get_args(Grouped), *get_args(Collected))
    raise DataError(f"there is no data set {name!r}; the known ones are {', '.join(known)}")
