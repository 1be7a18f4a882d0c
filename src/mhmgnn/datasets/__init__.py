"""Named graphs with the truth hidden from training; one file a family, found by name."""

# ruff: noqa: F401, I001 - a data set is found once its file is imported; in the order of lists
from typing import Literal, overload

from mhmgnn.datasets.dataset import AnyDataset, Dataset, GraphDataset
from mhmgnn.datasets.files import AnyPath
from mhmgnn.datasets.groups import hypergraph
from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.datasets.sources import SOURCES, Source, register
from mhmgnn.datasets.citations import Citations
from mhmgnn.datasets import coauthors
from mhmgnn.datasets import products
from mhmgnn.datasets import market
from mhmgnn.datasets import collections

__all__ = [
    "Citations",
    "Dataset",
    "GraphDataset",
    "Hyperedges",
    "Source",
    "hypergraph",
    "load",
    "register",
]

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
def load(name: str, *, seed: int = 0, data_dir: AnyPath | None = None) -> AnyDataset: ...


def load(name: str, *, seed: int = 0, data_dir: AnyPath | None = None) -> AnyDataset:
    """The data set called `name`: what training may see, and apart from it the truth that it may not.

    Raw files are looked for in `data_dir`, else in the folder that MHMGNN_DATA names, else in the user's
    cache, which `mhmgnn data fetch` fills. `seed` draws the shop of "market" and the sample of "dblp"; the
    others are the same for every seed. "steam" and "rent" are one year, with the next in `later`.

    >>> market = load("market")
    >>> market.graph.num_nodes, len(market.truth)
    (2400, 7200)
    """
    return SOURCES.find(name).loader(data_dir, seed)
