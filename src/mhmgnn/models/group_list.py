"""Groups with the names of their members, and their export to CSV, Parquet and HIF."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.io.atomic import check_target
from mhmgnn.io.hif import ENDINGS, is_hif, write_hif
from mhmgnn.io.tables import TableWriter
from mhmgnn.models.reconstruction import Groups

CHUNK = 2**16  # groups that are written at a time
TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


class Group(NamedTuple):
    """A group that was found."""

    names: tuple[str, ...]
    nodes: tuple[int, ...]
    probability: float


class GroupList:
    """Groups, most probable first."""

    def __init__(self, found: Groups, graph: Graph) -> None:
        self.found = found  # by node
        self._label = graph.label

    @property
    def complete(self) -> bool:
        """Whether every clique that could be a group was looked at."""
        return self.found.complete

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All of them, by name."""
        return tuple(self._stretch(0, len(self)))

    def __len__(self) -> int:
        return self.found.sets.num

    def __iter__(self) -> Iterator[Group]:
        for low in range(0, len(self), CHUNK):  # without a list of all, which may be many times the arrays
            yield from self._stretch(low, low + CHUNK)

    def _stretch(self, low: int, high: int) -> list[Group]:
        sets = self.found.sets.take(np.arange(low, min(high, len(self))))
        labels = {node: self._label(node) for node in np.unique(sets.members).tolist()}
        members, ends = sets.members.tolist(), sets.offsets.tolist()
        nodes = [tuple(members[start:end]) for start, end in pairwise(ends)]
        chances = self.found.probabilities[low:high].tolist()
        return [
            Group(tuple(labels[node] for node in one), one, chance)
            for one, chance in zip(nodes, chances, strict=True)
        ]

    def write(self, path: str | os.PathLike[str], *, long: bool = False) -> Path:
        """Write the groups to a file, atomically, in the format of its ending; returns its path.

        .csv and .tsv (either also .gz): a row per group, with its number, size, probability and members. The
        members stand in one cell, separated by commas, with quotes where a name needs them. `long` writes a
        row per member instead, with the number of its group; .parquet is always long. .json (or .json.gz) is
        HIF, the hypergraph interchange format, which xgi and hypernetx read.
        """
        path = Path(path)
        check_ending(path, long=long)
        if is_hif(path):
            return self._write_hif(path)
        with TableWriter(path) as table:
            for rows in self._members() if long or path.suffix == ".parquet" else self._rows():
                table.write(rows)
        return path

    def _rows(self) -> Iterator[object]:
        import pyarrow as pa

        for low in range(0, max(len(self), 1), CHUNK):
            part = self._stretch(low, low + CHUNK)
            columns = {
                "group": pa.array(range(low, low + len(part)), pa.int64()),
                "size": pa.array([len(group.nodes) for group in part], pa.int64()),
                "probability": pa.array([group.probability for group in part], pa.float64()),
                "members": pa.array([one_cell(group.names) for group in part], pa.string()),
            }
            yield pa.table(columns)

    def _members(self) -> Iterator[object]:
        import pyarrow as pa

        for low in range(0, max(len(self), 1), CHUNK):
            part = self._stretch(low, low + CHUNK)
            number = np.repeat(np.arange(low, low + len(part)), [len(group.nodes) for group in part])
            names = [name for group in part for name in group.names]
            yield pa.table({"group": pa.array(number, pa.int64()), "node": pa.array(names, pa.string())})

    def _write_hif(self, path: Path) -> Path:
        numbered = list(enumerate(self))
        incidences = ({"edge": i, "node": name} for i, group in numbered for name in group.names)
        edges = ({"edge": i, "attrs": {"probability": group.probability}} for i, group in numbered)
        return write_hif(path, incidences, edges=edges, metadata={"complete": self.complete})


def check_ending(path: Path, *, long: bool) -> None:
    """Refuse a file whose ending names no format; called before the groups are searched."""
    if not path.name.endswith((*TABLES, *ENDINGS, ".parquet")):
        endings = ", ".join((*TABLES, ".parquet", *ENDINGS))
        raise DataError(f"cannot write {path}: the ending must be one of {endings}")
    if long and is_hif(path):
        raise DataError(f"{path} is HIF, which has no long form; leave out `long`, or write .csv or .tsv")
    check_target(path)


def choose(found: Groups, graph: Graph, *, top: int | None, with_nodes: Sequence[int]) -> GroupList:
    """The `top` groups that hold all of `with_nodes`, with names."""
    kept = np.ones(found.sets.num, np.bool_)
    owner = np.repeat(np.arange(found.sets.num), found.sets.sizes)
    for node in with_nodes:
        kept &= np.bincount(owner[found.sets.members == node], minlength=kept.size) > 0
    which = np.flatnonzero(kept)[:top]
    return GroupList(Groups(found.sets.take(which), found.probabilities[which], found.complete), graph)


def one_cell(names: Sequence[str]) -> str:
    """Names in one cell of a table, separated by commas, with quotes where one needs them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()
