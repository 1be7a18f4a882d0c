"""What a data set counts, beside what the paper says that it counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mhmgnn import datasets
from mhmgnn.datasets.citations import Citations
from mhmgnn.datasets.dataset import Dataset, GraphDataset
from mhmgnn.datasets.files import AnyPath
from mhmgnn.datasets.hyperedges import Hyperedges

AnyDataset = Dataset[Citations] | Dataset[Hyperedges] | GraphDataset

SINGLE, MANY = "tab:citation", "tab:graphs"  # labels of the tables in Cotta et al. (2020), arXiv:2010.04259
PUBLISHED: dict[str, tuple[str, dict[str, int]]] = {  # the label of the table, and its row
    "cora": (SINGLE, {"nodes": 2708, "citations": 5429, "features": 1433}),
    "citeseer": (SINGLE, {"nodes": 3327, "citations": 4732, "features": 3703}),
    "pubmed": (SINGLE, {"nodes": 19717, "citations": 44338, "features": 500}),
    "dblp": (SINGLE, {"nodes": 4309, "edges": 12863, "features": 1425}),
    "steam": (SINGLE, {"nodes": 1098, "edges": 7839, "features": 775}),
    "steam, next year": (SINGLE, {"nodes": 1322, "edges": 7547, "features": 775}),
    "rent": (SINGLE, {"nodes": 2985, "edges": 55979, "features": 1475}),
    "rent, next year": (SINGLE, {"nodes": 5003, "edges": 67365, "features": 1475}),
    "proteins": (MANY, {"graphs": 1113, "features": 32, "classes": 2}),
    "enzymes": (MANY, {"graphs": 600, "features": 21, "classes": 6}),
    "imdb-binary": (MANY, {"graphs": 1000, "features": 0, "classes": 2}),
    "imdb-multi": (MANY, {"graphs": 1500, "features": 0, "classes": 3}),
}

_ONE_EDGE = (
    "the paper counts citations; papers that cite each other make one edge, a paper that cites itself none"
)
_FIRE = "the paper does not say how its forest fire burned; ours stops at as many authors, by seed"
_FILTER = "the paper does not describe its filter; ours is the simplest that comes near, see docs/tasks.md"
_NO_TEXT = "the paper has words of reviews, which are not to be had; ours are facts of the rentals"
NOTES: dict[tuple[str, str], str] = {  # why a count of ours is not the paper's, shown where it is not
    ("cora", "edges"): _ONE_EDGE,
    ("citeseer", "edges"): _ONE_EDGE,
    ("citeseer", "nodes without features"): "cited, but not described; the paper's nodes hold them too",
    ("pubmed", "edges"): _ONE_EDGE,
    ("dblp", "edges"): _FIRE,
    ("rent", "nodes"): _FILTER,
    ("rent", "edges"): _FILTER,
    ("rent", "features"): _NO_TEXT,
}
LISTED = 5  # hyperedges of more nodes are counted together


class Count(NamedTuple):
    """One number of a data set."""

    part: str  # "", or "next year" for the graph that a probe is tested on
    what: str
    ours: int
    paper: int | None  # None where the paper gives none
    note: str  # why the two differ


@dataclass(frozen=True)
class DataInfo:
    """The counts of a data set. `print` shows them as a table."""

    name: str
    table: str  # the label of the paper's table, "" where it is in none
    counts: tuple[Count, ...]

    def __str__(self) -> str:
        beside = f"beside table {self.table} of the paper" if self.table else "not in the paper"
        lines = [f"{self.name}, {beside}", f"{'':<40}{'ours':>9}{'paper':>9}"]
        notes: dict[str, list[str]] = {}
        for count in self.counts:
            what = f"{count.what}, {count.part}" if count.part else count.what
            paper = "" if count.paper is None else f"{count.paper:,}"
            lines.append(f"  {what:<38}{count.ours:>9,}{paper:>9}".rstrip())
            notes.setdefault(count.note, []).append(what)
        notes.pop("", None)
        return "\n".join([*lines, *(f"{'; '.join(whats)}: {note}" for note, whats in notes.items())])

    def facts(self) -> dict[str, Any]:
        """The same for a program, in what JSON knows."""
        counts = [count._asdict() for count in self.counts]
        return {"name": self.name, "table": self.table or None, "counts": counts}


def info(name: str, data_dir: AnyPath | None = None, seed: int = 0) -> DataInfo:
    """The counts of the data set called `name`, which is loaded for it, beside the paper's.

    >>> market = info("market")
    >>> [(count.what, count.ours) for count in market.counts if count.what in ("nodes", "hyperedges")]
    [('nodes', 600), ('hyperedges', 9000)]
    """
    return tally(datasets.load(name, seed=seed, data_dir=data_dir))


def tally(dataset: AnyDataset) -> DataInfo:
    """The counts of a data set, beside the paper's for the data set of that name."""
    counts = _beside(dataset.name, "", _counts(dataset))
    if isinstance(dataset, Dataset) and dataset.later is not None:
        counts += _beside(dataset.name, "next year", _counts(dataset.later))
    table, _ = PUBLISHED.get(dataset.name, ("", {}))
    return DataInfo(dataset.name, table, counts)


def _beside(name: str, part: str, ours: dict[str, int]) -> tuple[Count, ...]:
    _, paper = PUBLISHED.get(f"{name}, {part}" if part else name, ("", {}))
    rows = []
    for what, count in ours.items():
        published = paper.get(what)
        same = count == (published or 0)  # none of what the paper does not count needs no word
        note = "" if same else NOTES.get((name, what), "")
        rows.append(Count(part, what, count, published, note))
    return tuple(rows)


def _counts(dataset: AnyDataset) -> dict[str, int]:
    if isinstance(dataset, GraphDataset):
        return {
            "graphs": len(dataset.graphs),
            "features": dataset.graphs[0].num_features,
            "classes": int(np.unique(dataset.labels).size),
            "nodes": sum(graph.num_nodes for graph in dataset.graphs),
            "edges": sum(graph.num_edges for graph in dataset.graphs),
        }
    graph, truth = dataset.graph, dataset.truth
    counts = {"nodes": graph.num_nodes, "edges": graph.num_edges, "features": graph.num_features}
    if isinstance(truth, Citations):
        return counts | {"citations": truth.lines, "nodes without features": truth.without_words}
    return counts | {"hyperedges": len(truth)} | _by_size(truth)


def _by_size(hyperedges: Hyperedges) -> dict[str, int]:
    """How many hyperedges there are of each size up to LISTED, and of more, where there are any."""
    sizes = np.bincount(np.minimum(hyperedges.sizes, LISTED + 1), minlength=LISTED + 2).tolist()
    names = [f"hyperedges of {size}" for size in range(1, LISTED + 1)]
    names.append(f"hyperedges of more than {LISTED}")
    return {name: count for name, count in zip(names, sizes[1:], strict=True) if count}
