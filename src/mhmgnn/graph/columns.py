"""Which columns of an edge list hold the ends, the attributes and the counts, and which are not used."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mhmgnn.errors import DataError
from mhmgnn.graph.counts import COUNT_TITLES
from mhmgnn.io.tables import column_names, is_parquet, places, shortened
from mhmgnn.io.text import cut, data_lines, is_number, sniff


class EdgeFile(NamedTuple):
    """Where the edges of a file stand, and how its ids are meant; see `Graph.read`."""

    path: Path
    ids: str = "auto"
    header: bool | None = None
    columns: tuple[str | int, ...] | None = None
    edge_attr: tuple[str | int, ...] = ()
    weights: str | int | bool | None = None


class Chosen(NamedTuple):
    """Positions of columns, from 0."""

    ends: list[int]  # two
    attr: list[int]
    counts: int | None
    titles: tuple[str, ...]  # of all columns; "0", "1", ... where there are none

    @property
    def wanted(self) -> list[int]:
        """The columns to read, each once: ends, attributes, counts."""
        others = [*self.ends, *self.attr]
        return others if self.counts is None or self.counts in others else [*others, self.counts]

    @property
    def counts_said(self) -> str:
        """The column of counts, as a person calls it."""
        assert self.counts is not None
        return f"column {self.titles[self.counts]!r}" if self._titled else f"column {self.counts} (from 0)"

    @property
    def unused_said(self) -> str:
        """The columns that are not read; nothing if there are none."""
        unused = [title for i, title in enumerate(self.titles) if i not in self.wanted]
        return shortened(unused) + ("" if self._titled else " (from 0)") if unused else ""

    @property
    def _titled(self) -> bool:
        return self.titles != tuple(map(str, range(len(self.titles))))


def with_header(file: EdgeFile) -> EdgeFile:
    """The same file, with titles if a column is asked for by its title."""
    asked = (*(file.columns or ()), *file.edge_attr, file.weights)
    return file._replace(header=True) if any(isinstance(column, str) for column in asked) else file


def choose_columns(file: EdgeFile) -> Chosen:
    """The columns of a table of edges.

    Counts stand in the column that `weights` names. If it is None, they stand in the first further column
    with a usual title, and in text without titles in the third column if that begins with a number.
    """
    titles = column_names(file.path, file.header)
    ends = [0, 1] if file.columns is None else places(file.columns, titles, file.path)
    if len(titles) < 2 or len(set(ends)) != 2:
        found = f"{len(titles)} column" if len(titles) < 2 else f"columns={file.columns!r}"
        raise DataError(f"{file.path}: {found} given; an edge needs two columns, one for each end")
    attr = places(file.edge_attr, titles, file.path)
    if file.weights is None:
        return Chosen(ends, attr, _find_counts(file, titles, {*ends, *attr}), titles)
    if isinstance(file.weights, bool):
        if file.weights:
            raise DataError("weights is True; name the column of counts, or say False for the pairs alone")
        return Chosen(ends, attr, None, titles)
    (counts,) = places((file.weights,), titles, file.path)
    if counts in ends:
        raise DataError(f"{file.path}: weights={file.weights!r} is an end of the edge; name another column")
    return Chosen(ends, attr, counts, titles)


def _find_counts(file: EdgeFile, titles: tuple[str, ...], taken: set[int]) -> int | None:
    further = [i for i in range(len(titles)) if i not in taken]
    if is_parquet(file.path) or sniff(file.path, file.header).has_header:
        return next((i for i in further if titles[i].strip().lower() in COUNT_TITLES), None)
    return 2 if 2 in further and _begins_with_number(file, 2) else None


def _begins_with_number(file: EdgeFile, column: int) -> bool:
    layout = sniff(file.path, file.header)
    _, line = next(data_lines(file.path, layout))
    return is_number(cut(line, layout.delimiter)[column])
