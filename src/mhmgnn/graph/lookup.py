"""Rows of nodes as a person writes them (edges, k-sets), by index or by name -> rows of node indices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mhmgnn.errors import DataError
from mhmgnn.graph.edges import Listing, check_size
from mhmgnn.graph.features import Matrix, check_rows
from mhmgnn.graph.names import Names, by_appearance, one_chunk


class Written(NamedTuple):
    """Rows of nodes, not looked up yet: an integer is an index, a text is a name."""

    numbers: np.ndarray  # (m, width) int64, 0 where the cell is a text
    is_text: np.ndarray  # (m, width) bool
    texts: pa.Array  # the cells that are texts, in reading order


def list_pairs(
    edges: Any, names: Names | None, x: Matrix | None, edge_attr: np.ndarray | None, num_nodes: int | None
) -> Listing:
    """Edges that a person wrote; without `names`, those in the edges are taken in order of appearance."""
    rows = written_rows(edges, 2, "edge")
    check_rows(edge_attr, rows.numbers.shape[0], "edge_attr", "edges")
    if names is None and len(rows.texts):
        if not rows.is_text.all():
            row = int(np.argmin(rows.is_text.all(axis=1)))
            advice = "write integers as texts to mean names, or list the nodes in `names`"
            raise DataError(f"edge {row} holds an index, others hold names; {advice}")
        source, target, names = by_appearance(rows.texts[::2], rows.texts[1::2])
        n = _agreed_size(names, x, num_nodes, len(names))
    else:
        n = _agreed_size(names, x, num_nodes, int(rows.numbers.max(initial=-1)) + 1)
        source, target = look_up(rows, names, n, "edge").T
    return Listing(source, target, n, names, x, edge_attr)


def _agreed_size(names: Names | None, x: Matrix | None, num_nodes: int | None, asked: int) -> int:
    """The number of nodes, which all that state it must agree on; else what the edges ask for."""
    stated = {
        "num_nodes": num_nodes,
        "names": None if names is None else len(names),
        "features": None if x is None else x.shape[0],
    }
    sizes = {what: size for what, size in stated.items() if size is not None}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{size} in {what}" for what, size in sizes.items())
        raise DataError(
            f"the numbers of nodes do not agree: {listed}; there must be one row and name for each node"
        )
    check_size(max([asked, *sizes.values()]))
    return next(iter(sizes.values()), asked)


def written_rows(values: Any, width: int | None, what: str) -> Written:
    """Check that `values` holds rows of `width` nodes each; `what` is what messages call such a row.

    Takes a list of lists, a NumPy array or whatever turns into one. `width` None takes that of the first row.
    """
    if hasattr(values, "__array__"):
        values = np.asarray(values)
        if values.dtype.kind in "iuf":
            return _from_numbers(values, width, what)
        values = values.tolist()
    return _from_lists(list(values), width, what)


def table_rows(table: pa.Table, width: int | None, *, by_name: bool) -> Written:
    """The rows of an Arrow table of k-sets, whose cells are all names or all indices."""
    if width is not None and table.num_columns != width:
        raise DataError(f"the table has {table.num_columns} columns; a k-set here has {width} nodes")
    shape = (table.num_rows, table.num_columns)
    try:
        columns = [
            one_chunk(column.cast(pa.large_string() if by_name else pa.int64())) for column in table.columns
        ]
    except pa.ArrowException as error:
        wanted = (
            "names, so the table must hold texts" if by_name else "no names, so the table must hold indices"
        )
        raise DataError(f"the nodes have {wanted}: {error}") from error
    empty = np.array([np.asarray(column.is_null()) for column in columns]).T.reshape(shape)
    if empty.any():
        raise DataError(f"k-set {_first(empty)} has an empty cell; it needs {table.num_columns} nodes")
    if not by_name:
        numbers = np.stack([column.to_numpy() for column in columns], axis=1)
        return Written(numbers, np.zeros(shape, bool), pa.array([], pa.large_string()))
    in_rows = np.arange(table.num_rows * table.num_columns).reshape(shape[::-1]).T.ravel()
    texts = pa.concat_arrays(columns).take(pa.array(in_rows))
    return Written(np.zeros(shape, np.int64), np.ones(shape, bool), texts)


def look_up(rows: Written, names: Names | None, num_nodes: int, what: str) -> np.ndarray:
    """The node index of every cell, (m, width) int64."""
    nodes = rows.numbers
    outside = (nodes < 0) | (nodes >= num_nodes)
    if outside.any():
        row, node = _first(outside), int(nodes[outside][0])
        limit = f"allowed are 0..{num_nodes - 1}" if num_nodes else "an index is a whole number from 0"
        advice = "" if names is None else f"; nodes have names: write {str(node)!r} as text to mean the name"
        raise DataError(f"{what} {row} holds node {node}; {limit}{advice}")
    if not len(rows.texts):
        return nodes
    if names is None:
        advice = "this graph's nodes have no names: write their indices as integers"
        raise DataError(f"{what} {_first(rows.is_text)} holds the name {rows.texts[0].as_py()!r}; {advice}")
    found = names.find(rows.texts)
    if (found < 0).any():
        bad = int(np.argmax(found < 0))
        row = int(np.flatnonzero(rows.is_text.ravel())[bad]) // nodes.shape[1]
        advice = _advice(rows.texts[bad].as_py(), num_nodes)
        raise DataError(f"{what} {row} holds {rows.texts[bad].as_py()!r}, which no node is called{advice}")
    nodes = nodes.copy()
    nodes[rows.is_text] = found
    return nodes


def whole_numbers(values: np.ndarray, what: str) -> np.ndarray:
    """The (m, width) numbers as int64; a number that is not whole is an error that names its row."""
    if values.dtype.kind == "f":
        broken = ~np.isfinite(values) | (values != np.floor(values)) | (np.abs(values) >= 2.0**63)
    elif values.dtype == np.uint64:
        broken = values >= np.uint64(2**63)
    else:
        return values.astype(np.int64)
    if broken.any():
        raise DataError(f"{what} {_first(broken)} holds {values[broken][0]}; a node index is a whole number")
    return values.astype(np.int64)


def _from_numbers(values: np.ndarray, width: int | None, what: str) -> Written:
    if values.ndim != 2 or (width is not None and values.shape[1] != width):
        advice = _shape_advice(values, width)
        raise DataError(f"the {what}s have shape {values.shape}; allowed is (m, {width or 'k'}){advice}")
    none = pa.array([], pa.large_string())
    return Written(whole_numbers(values, what), np.zeros(values.shape, bool), none)


def _from_lists(rows: list[Any], width: int | None, what: str) -> Written:
    for i, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__iter__"):
            raise DataError(
                f"{what} {i} is {row!r}; write a list of {what}s, each a list of {width or 'k'} nodes"
            )
    if width is None and not rows:
        raise DataError(f"there are no {what}s to tell their size from; say k")
    rows = [tuple(row) for row in rows]
    width = len(rows[0]) if width is None else width
    if set(map(len, rows)) - {width}:
        i, row = next((i, row) for i, row in enumerate(rows) if len(row) != width)
        raise DataError(f"{what} {i} has {len(row)} nodes, {list(row)!r}; it must have {width}")
    cells = list(chain.from_iterable(rows))
    kinds = set(map(type, cells))
    if all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        return _from_numbers(_as_array(cells, what, width), width, what)
    if all(issubclass(kind, str) for kind in kinds):
        shape = (len(rows), width)
        return Written(np.zeros(shape, np.int64), np.ones(shape, bool), pa.array(cells, pa.large_string()))
    return _from_mixed(cells, width, what)


def _from_mixed(cells: Sequence[Any], width: int, what: str) -> Written:
    """Texts beside integers, or something that is neither."""
    for i, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, str | int | np.integer | float | np.floating):
            raise DataError(f"{what} {i // width} holds {cell!r}; a node is an integer index or a text name")
    is_text = np.array([isinstance(cell, str) for cell in cells]).reshape(-1, width)
    numbers = _as_array([0 if isinstance(cell, str) else cell for cell in cells], what, width)
    texts = pa.array([cell for cell in cells if isinstance(cell, str)], pa.large_string())
    return Written(whole_numbers(numbers, what), is_text, texts)


def _as_array(cells: list[Any], what: str, width: int) -> np.ndarray:
    array = np.array(cells) if cells else np.zeros(0, np.int64)
    if array.dtype == object:
        i = next(i for i, cell in enumerate(cells) if not -(2**63) <= cell < 2**63)
        raise DataError(f"{what} {i // width} holds {cells[i]}; that is no node index")
    return array.reshape(-1, width)


def _first(broken: np.ndarray) -> int:
    """The first row with a True."""
    return int(np.argmax(broken.any(axis=1)))


def _shape_advice(values: np.ndarray, width: int | None) -> str:
    if values.ndim == 1:
        return "; put a single one into a list of its own"
    return "; transpose it" if values.ndim == 2 and values.shape[0] == width else ""


def _advice(text: str, num_nodes: int) -> str:
    if text.isdecimal() and int(text) < num_nodes:
        return f"; to mean node number {text}, write it as an integer"
    return ""
