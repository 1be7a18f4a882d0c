"""Rows of nodes as a person writes them (edges, k-sets, sets), by index or by name -> node indices."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mhmgnn.errors import DataError
from mhmgnn.graph.edges import Listing, check_size
from mhmgnn.graph.features import Matrix, check_rows
from mhmgnn.graph.names import Names, by_appearance, one_chunk, text_array
from mhmgnn.graph.sets import Sets

NO_TEXTS = pa.nulls(0, pa.large_string())  # `pa.array` would import pandas


class Written(NamedTuple):
    """Rows of nodes, not looked up yet: an integer is an index, a text is a name."""

    numbers: np.ndarray  # (m, width) int64, 0 where the cell is a text; (cells, 1) with `offsets`
    is_text: np.ndarray  # bool, of the same shape
    texts: pa.Array  # the cells that are texts, in reading order
    offsets: np.ndarray | None = None  # (m + 1,) int64: where rows of mixed sizes begin among the cells


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
        return Written(numbers, np.zeros(shape, bool), NO_TEXTS)
    in_rows = np.arange(table.num_rows * table.num_columns).reshape(shape[::-1]).T.ravel()
    texts = pa.concat_arrays(columns).take(pa.array(in_rows))
    return Written(np.zeros(shape, np.int64), np.ones(shape, bool), texts)


def look_up(rows: Written, names: Names | None, num_nodes: int, what: str) -> np.ndarray:
    """The node index of every cell, (m, width) int64."""
    nodes = rows.numbers
    outside = (nodes < 0) | (nodes >= num_nodes)
    if outside.any():
        row, node = _first(outside, rows.offsets), int(nodes[outside][0])
        limit = f"allowed are 0..{num_nodes - 1}" if num_nodes else "an index is a whole number from 0"
        advice = "" if names is None else f"; nodes have names: write {str(node)!r} as text to mean the name"
        raise DataError(f"{what} {row} holds node {node}; {limit}{advice}")
    if not len(rows.texts):
        return nodes
    if names is None:
        row = _first(rows.is_text, rows.offsets)
        advice = "this graph's nodes have no names: write their indices as integers"
        raise DataError(f"{what} {row} holds the name {rows.texts[0].as_py()!r}; {advice}")
    found = names.find(rows.texts)
    if (found < 0).any():
        bad = int(np.argmax(found < 0))
        row = _row(int(np.flatnonzero(rows.is_text.ravel())[bad]), nodes.shape[1], rows.offsets)
        advice = _advice(rows.texts[bad].as_py(), num_nodes)
        raise DataError(f"{what} {row} holds {rows.texts[bad].as_py()!r}, which no node is called{advice}")
    nodes = nodes.copy()
    nodes[rows.is_text] = found
    return nodes


def look_up_rows(rows: Written, names: Names | None, num_nodes: int, what: str) -> np.ndarray:
    """Rows of one width with their nodes sorted, (m, width) int64; a node twice in a row is an error."""
    nodes = np.sort(look_up(rows, names, num_nodes, what), axis=1)
    twice = nodes[:, 1:] == nodes[:, :-1]
    if twice.any():
        row, place = np.argwhere(twice)[0].tolist()
        raise _repeated(row, int(nodes[row, place]), names, what)
    return nodes


def look_up_sets(given: Any, names: Names | None, num_nodes: int) -> Sets:
    """Sets of any size with the members of each sorted; a node twice in a set, or none, is an error."""
    rows = written_sets(given, by_name=names is not None)
    offsets = rows.offsets
    if offsets is None:
        return Sets.of_rows(look_up_rows(rows, names, num_nodes, "set"))
    nodes = look_up(rows, names, num_nodes, "set")[:, 0]
    owner = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    nodes = nodes[np.lexsort((nodes, owner))]
    twice = (nodes[1:] == nodes[:-1]) & (owner[1:] == owner[:-1])
    if twice.any():
        at = int(np.argmax(twice))
        raise _repeated(int(owner[at]), int(nodes[at]), names, "set")
    return Sets(nodes, offsets)


def written_sets(given: Any, *, by_name: bool) -> Written:
    """Check that `given` holds sets of at least one node: a list of lists, an array, a table or `Sets`."""
    if isinstance(given, Sets):
        rows = _from_sets(given)
    elif isinstance(given, pa.Table):
        rows = table_rows(given, None, by_name=by_name)
    elif hasattr(given, "__array__") and np.asarray(given).dtype.kind in "iuf":
        rows = written_rows(given, None, "set")
    else:
        rows = _from_ragged([*given])
    m, width = rows.numbers.shape
    sizes = np.full(m, width) if rows.offsets is None else np.diff(rows.offsets)
    if (sizes == 0).any():
        raise DataError(f"set {int(np.argmin(sizes))} is empty; a set has at least one node")
    return rows


def whole_numbers(values: np.ndarray, what: str, offsets: np.ndarray | None = None) -> np.ndarray:
    """The (m, width) numbers as int64; a number that is not whole is an error that names its row."""
    if values.dtype.kind == "f":
        broken = ~np.isfinite(values) | (values != np.floor(values)) | (np.abs(values) >= 2.0**63)
    elif values.dtype == np.uint64:
        broken = values >= np.uint64(2**63)
    else:
        return values.astype(np.int64)
    if broken.any():
        row = _first(broken, offsets)
        raise DataError(f"{what} {row} holds {values[broken][0]}; a node index is a whole number")
    return values.astype(np.int64)


def _from_numbers(values: np.ndarray, width: int | None, what: str) -> Written:
    if values.ndim != 2 or (width is not None and values.shape[1] != width):
        advice = _shape_advice(values, width)
        raise DataError(f"the {what}s have shape {values.shape}; allowed is (m, {width or 'k'}){advice}")
    return Written(whole_numbers(values, what), np.zeros(values.shape, bool), NO_TEXTS)


def _from_sets(sets: Sets) -> Written:
    members, offsets = np.asarray(sets.members), np.asarray(sets.offsets)
    if not offsets.size or offsets[0] != 0 or offsets[-1] != members.size or (np.diff(offsets) < 0).any():
        raise DataError(f"the offsets of the sets must rise from 0 to the number of members, {members.size}")
    numbers = whole_numbers(members[:, None], "set", offsets)
    return Written(numbers, np.zeros(numbers.shape, bool), NO_TEXTS, offsets.astype(np.int64))


def _from_lists(rows: list[Any], width: int | None, what: str) -> Written:
    rows = _listed(rows, f"{width or 'k'} nodes", what)
    if width is None and not rows:
        raise DataError(f"there are no {what}s to tell their size from; say k")
    width = len(rows[0]) if width is None else width
    if set(map(len, rows)) - {width}:
        i, row = next((i, row) for i, row in enumerate(rows) if len(row) != width)
        raise DataError(f"{what} {i} has {len(row)} nodes, {list(row)!r}; it must have {width}")
    return _from_cells(list(chain.from_iterable(rows)), width, what)


def _from_ragged(given: list[Any]) -> Written:
    rows = _listed(given, "nodes", "set")
    offsets = np.cumsum([0, *map(len, rows)])
    return _from_cells(list(chain.from_iterable(rows)), 1, "set", offsets)


def _listed(rows: list[Any], nodes: str, what: str) -> list[tuple[Any, ...]]:
    for i, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__iter__"):
            raise DataError(f"{what} {i} is {row!r}; write a list of {what}s, each a list of {nodes}")
    return [tuple(row) for row in rows]


def _from_cells(cells: list[Any], width: int, what: str, offsets: np.ndarray | None = None) -> Written:
    """Cells in reading order; with `offsets` they are a column of width 1."""
    kinds = set(map(type, cells))
    if kinds and all(issubclass(kind, str) for kind in kinds):
        shape = (len(cells) // width, width)
        texts = text_array(cells, f"a node of a {what}")
        return Written(np.zeros(shape, np.int64), np.ones(shape, bool), texts, offsets)
    if all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        numbers, is_text, texts = cells, np.zeros(len(cells), bool), NO_TEXTS
    else:
        numbers, is_text, texts = _mixed(cells, width, what, offsets)
    array = np.array(numbers) if cells else np.zeros(0, np.int64)
    if array.dtype == object:
        i = next(i for i, number in enumerate(numbers) if not -(2**63) <= number < 2**63)
        raise DataError(f"{what} {_row(i, width, offsets)} holds {cells[i]}; that is no node index")
    found = whole_numbers(array.reshape(-1, width), what, offsets)
    return Written(found, is_text.reshape(found.shape), texts, offsets)


def _mixed(
    cells: list[Any], width: int, what: str, offsets: np.ndarray | None
) -> tuple[list[Any], np.ndarray, pa.Array]:
    """The numbers of all cells, 0 for a text; which are texts; the texts. Anything else is an error."""
    for i, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, str | int | np.integer | float | np.floating):
            row = _row(i, width, offsets)
            raise DataError(f"{what} {row} holds {cell!r}; a node is an integer index or a text name")
    is_text = np.array([isinstance(cell, str) for cell in cells])
    texts = text_array([cell for cell in cells if isinstance(cell, str)], f"a node of a {what}")
    return [0 if isinstance(cell, str) else cell for cell in cells], is_text, texts


def _row(cell: int, width: int, offsets: np.ndarray | None) -> int:
    """The row of a cell, counted in reading order."""
    return cell // width if offsets is None else int(np.searchsorted(offsets, cell, side="right")) - 1


def _first(broken: np.ndarray, offsets: np.ndarray | None = None) -> int:
    """The first row with a True."""
    return _row(int(np.argmax(broken)), broken.shape[1], offsets)


def _repeated(row: int, node: int, names: Names | None, what: str) -> DataError:
    name = str(node) if names is None else names[node]
    return DataError(f"{what} {row} holds node {name!r} twice; the nodes of a {what} must differ")


def _shape_advice(values: np.ndarray, width: int | None) -> str:
    if values.ndim == 1:
        return "; put a single one into a list of its own"
    return "; transpose it" if values.ndim == 2 and values.shape[0] == width else ""


def _advice(text: str, num_nodes: int) -> str:
    if text.isdecimal() and int(text) < num_nodes:
        return f"; to mean node number {text}, write it as an integer"
    return ""
