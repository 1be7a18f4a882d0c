"""Text files of groups: one group a line, or a row for each member of a group."""

from __future__ import annotations

import os
from pathlib import Path

from mhmgnn.config import check_one_of
from mhmgnn.datasets.groups import Groups, read_groups
from mhmgnn.io.tables import existing_file, is_parquet
from mhmgnn.io.text import cut, data_lines, sniff

LAYOUTS = ("auto", "lines", "members")
TITLES = {"group", "edge", "hyperedge"}  # of a first column that names groups, with or without _id


def read_group_file(path: str | os.PathLike[str], *, layout: str = "auto") -> Groups:
    """The groups of a file: one group a line ("lines"), or a table with a row for each member ("members").

    In lines, names are separated by commas, tabs or blanks; a name that holds the separator stands in
    quotes, and empty cells are left out. Tables are as `datasets.groups.read_groups` takes them, and so are
    Parquet and HIF, which are read alike by every layout. "auto" takes text for a table if its first column
    is titled group, edge or hyperedge, or if every line has two cells; else each line is a group.
    """
    check_one_of("layout", layout, LAYOUTS)
    file = existing_file(path)
    if layout == "members" or is_parquet(file) or file.name.removesuffix(".gz").endswith(".json"):
        return read_groups(file)
    lines = _cells(file)
    if layout == "auto" and (_titled(lines[0]) or all(len(cells) == 2 for cells in lines)):
        return read_groups(file)
    return read_groups([[cell for cell in cells if cell] for cells in lines])


def _cells(path: Path) -> list[list[str]]:
    found = sniff(path, header=False)
    return [cut(line, found.delimiter) for _, line in data_lines(path, found)]


def _titled(cells: list[str]) -> bool:
    return cells[0].lower().removesuffix("_id") in TITLES
