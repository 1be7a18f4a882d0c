"""What a data set counts, beside what the paper says that it counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mhmgnn import datasets
from mhmgnn.datasets.dataset import AnyDataset, Counted, Dataset, GraphDataset
from mhmgnn.datasets.files import AnyPath
from mhmgnn.datasets.sources import SOURCES, Source


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
    [('nodes', 2400), ('hyperedges', 7200)]
    """
    return tally(datasets.load(name, seed=seed, data_dir=data_dir))


def tally(dataset: AnyDataset) -> DataInfo:
    """The counts of a data set, beside the paper's for the data set of that name."""
    source = SOURCES.get(dataset.name)
    counts = _beside(_counts(dataset), source.published if source else {}, source, "")
    if isinstance(dataset, Dataset) and dataset.later is not None:
        counts += _beside(_counts(dataset.later), source.later if source else {}, source, "next year")
    return DataInfo(dataset.name, source.table if source else "", tuple(counts))


def _beside(
    ours: Mapping[str, int], paper: Mapping[str, int], source: Source | None, part: str
) -> list[Count]:
    notes = source.notes if source else {}
    rows = []
    for what, count in ours.items():
        same = count == paper.get(what, 0)  # a count of 0 that the paper does not give needs no note
        rows.append(Count(part, what, count, paper.get(what), "" if same else notes.get(what, "")))
    return rows


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
    return counts | (truth.counts() if isinstance(truth, Counted) else {})
