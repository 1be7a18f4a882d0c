"""A file of edges -> a `Listing`: nodes numbered, features matched to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mhmgnn.errors import DataError
from mhmgnn.graph.columns import EdgeFile, choose_columns, with_header
from mhmgnn.graph.convert import list_matrix
from mhmgnn.graph.counts import PAIRS_ALONE, first_fault, refuse_count
from mhmgnn.graph.edges import Listing, check_filled, check_size
from mhmgnn.graph.features import FeatureTable, Matrix, load_sparse, table_matrix
from mhmgnn.graph.hif import list_hif
from mhmgnn.graph.names import Names, by_appearance
from mhmgnn.io.hif import is_hif
from mhmgnn.io.tables import as_texts, column_names, existing_file, is_parquet, place_of_row, read_table
from mhmgnn.io.text import NotANumber
from mhmgnn.runtime import memory

IDS = ("auto", "index", "name")
_PIECE = 1 << 16
PER_BYTE = 3  # bytes of memory for each of text, at least: names that are short take several times that


class Numbered(NamedTuple):
    """The two columns of ids, as node indices."""

    source: np.ndarray  # (m,) int64
    target: np.ndarray  # (m,) int64
    names: Names | None
    num_nodes: int


class Read(NamedTuple):
    """The edges of a file, and what to tell of its columns."""

    listing: Listing
    counts: str  # where the counts stand, or would
    unused: str  # the columns that were not read; may be empty


def list_file(file: EdgeFile, features: FeatureTable | None) -> Read:
    """The edges of a table, or of a matrix in .npz, with the features of its nodes."""
    if file.ids not in IDS:
        raise DataError(f"ids is {file.ids!r}; allowed are 'auto', 'index' and 'name'")
    existing_file(file.path)
    if file.path.suffix == ".npz":
        return Read(_list_npz(file, features), "the values of the matrix", "")
    if is_hif(file.path):
        return Read(_with_features(list_hif(file), features), "the weights of edges", "")
    file = with_header(file)
    chosen = choose_columns(file)
    attr = range(2, 2 + len(chosen.attr))
    _check_memory(file, len(chosen.wanted))
    try:
        table = read_table(file.path, header=file.header, columns=chosen.wanted, numeric=chosen.wanted[2:])
    except NotANumber as error:
        raise DataError(f"{error}; {PAIRS_ALONE}") if error.column == chosen.counts else error from None
    if not table.num_rows:
        raise DataError(f"{file.path} holds no edges")
    ids = [_cleaned(table.column(i), table.column_names[i], file) for i in (0, 1)]
    values = table_matrix(table.select(attr), file.path, file.header) if attr else None
    counts = None if chosen.counts is None else _counts(table, chosen.wanted.index(chosen.counts), file)
    del table
    nodes = _number(ids, file, features)
    listing = Listing(nodes.source, nodes.target, nodes.num_nodes, nodes.names, None, values, weights=counts)
    listing = _with_features(listing._replace(counted=file.weights is not False), features)
    said = "lines that repeat a pair" if counts is None else chosen.counts_said
    return Read(listing, said, chosen.unused_said)


def _check_memory(file: EdgeFile, wanted: int) -> None:
    """Refuse a text that is too large for the memory: the system would end this process without a word."""
    if is_parquet(file.path) or file.path.suffix == ".gz":
        return
    share = wanted / len(column_names(file.path, file.header))
    needed = PER_BYTE * share * file.path.stat().st_size
    memory.check(f"the edges of {file.path.name}", needed, "take a part of them, or a larger machine")


def _with_features(listing: Listing, features: FeatureTable | None) -> Listing:
    """The same edges with the features of their nodes, and the nodes that only the features name."""
    if features is None:
        return listing
    names, x = _match_features(listing.names, listing.num_nodes, features)
    n = listing.num_nodes if names is None else len(names)
    return listing._replace(names=names, x=x, num_nodes=n)


def _counts(table: pa.Table, place: int, file: EdgeFile) -> np.ndarray:
    """A column of counts, (m,) float64; a cell that is no count is an error with its place in the file."""
    column, title = table.column(place), table.column_names[place]
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise DataError(
            f"{file.path}: column {title!r} holds {column.type}; counts must be numbers; {PAIRS_ALONE}"
        )
    counts = np.array(column.cast(pa.float64(), safe=False).to_numpy())
    fault = first_fault(counts)
    if fault is not None:
        where = f"{place_of_row(file.path, fault, file.header)}, column {title!r}"
        refuse_count(where, column[fault].as_py())
    return counts


def _match_features(
    names: Names | None, num_nodes: int, features: FeatureTable
) -> tuple[Names | None, Matrix]:
    """Features in the order of the nodes; nodes that only the features name are added after the others."""
    if features.names is None:
        return names, features.x
    if names is None:
        return None, _match_names(_counted(num_nodes), features)[1]
    return _match_names(names, features)


def _match_names(names: Names, features: FeatureTable) -> tuple[Names, Matrix]:
    assert features.names is not None
    row_of = features.names.find(names.array)
    if (row_of < 0).any():
        first = names[int(np.argmax(row_of < 0))]
        count = np.count_nonzero(row_of < 0)
        advice = "give every node exactly one row, or match by row with features_by='row'"
        raise DataError(f"features: {count} nodes have no row, {first!r} first; {advice}")
    more = np.ones(len(features.names), bool)
    more[row_of] = False
    if not more.any():
        return names, _rows(features.x, row_of)
    alone = np.flatnonzero(more)
    every = pa.concat_arrays([names.array, features.names.array.take(pa.array(alone))])
    return Names.wrap(every), _rows(features.x, np.concatenate([row_of, alone]))


def _rows(matrix: Matrix, order: np.ndarray) -> Matrix:
    same = order.size == matrix.shape[0] and bool((order == np.arange(order.size)).all())
    taken: Matrix = matrix if same else matrix[order]
    return taken


def _cleaned(column: pa.ChunkedArray, name: str, file: EdgeFile) -> pa.ChunkedArray:
    """Ids as int64 where every one is a whole number, else as texts; an empty one is an error."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if not is_number:
        column = pc.utf8_trim_whitespace(as_texts(column, f"{file.path}: column {name!r}"))
    empty = column.is_null(nan_is_null=True) if is_number else pc.fill_null(pc.equal(column, ""), True)
    if pc.any(empty).as_py():
        row = pc.index(empty, True).as_py()
        raise DataError(f"{place_of_row(file.path, row, file.header)}: an end of the edge is empty")
    whole = _whole(column)
    if whole is None or (not is_number and _padded(column)):
        return column.cast(pa.large_string())
    return whole


def _whole(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The column as int64, or None; in pieces, for Arrow goes on to the end of a piece before it fails."""
    pieces = []
    for chunk in column.chunks:
        for start in range(0, len(chunk), _PIECE):
            try:
                pieces.append(chunk.slice(start, _PIECE).cast(pa.int64()))
            except pa.ArrowInvalid:
                return None
    return pa.chunked_array(pieces, pa.int64())


def _padded(texts: pa.ChunkedArray) -> bool:
    """Whether some number is written with a leading zero, so that its text says more than its value."""
    padded = pc.match_substring_regex(texts, "^-?0.")
    return bool(pc.any(padded).as_py())


def _number(ends: Sequence[pa.ChunkedArray], file: EdgeFile, features: FeatureTable | None) -> Numbered:
    if any(column.type != pa.int64() for column in ends):
        first, second = (column.cast(pa.large_string()) for column in ends)
        if file.ids == "index":
            _refuse_texts((first, second), file)
        source, target, names = by_appearance(first, second)
        return Numbered(source, target, names, len(names))
    source, target = (column.to_numpy() for column in ends)
    if file.ids == "index" or (file.ids == "auto" and _are_indices(source, target, features)):
        return _by_index(source, target, file, features)
    return _by_number(source, target)


def _are_indices(source: np.ndarray, target: np.ndarray, features: FeatureTable | None) -> bool:
    low, high = min(source.min(), target.min()), int(max(source.max(), target.max()))
    if low < 0:
        return False
    if features is not None:
        return features.names is None or (high < len(features.names) and _are_counted(features.names))
    if high >= 2 * source.size:
        return False
    seen = np.zeros(high + 1, bool)
    seen[source] = True
    seen[target] = True
    return bool(seen.all())


def _are_counted(names: Names) -> bool:
    """Whether the names are 0, 1, ..., n - 1 in some order."""
    return bool((names.find(_counted(len(names)).array) >= 0).all())


def _counted(num_nodes: int) -> Names:
    return Names.wrap(pa.array(np.arange(num_nodes)).cast(pa.large_string()))


def _by_index(
    source: np.ndarray, target: np.ndarray, file: EdgeFile, features: FeatureTable | None
) -> Numbered:
    n = int(max(source.max(), target.max())) + 1
    if features is None:
        check_size(n)
        check_filled(n, source.size)
    else:
        n = features.x.shape[0]
    broken = (source < 0) | (source >= n) | (target < 0) | (target >= n)
    if broken.any():
        row = int(np.argmax(broken))
        where = f"{place_of_row(file.path, row, file.header)}: edge ({source[row]}, {target[row]})"
        allowed = "whole numbers from 0" if features is None else f"0..{n - 1}, one for each row of features"
        raise DataError(
            f"{where} holds an id that is no index; allowed are {allowed}; for names say ids='name'"
        )
    return Numbered(source, target, None, n)


def _by_number(source: np.ndarray, target: np.ndarray) -> Numbered:
    """Integers as names, in ascending order."""
    low, high = int(min(source.min(), target.min())), int(max(source.max(), target.max()))
    if high - low < 8 * source.size:
        seen = np.zeros(high - low + 1, bool)
        seen[source - low] = True
        seen[target - low] = True
        ids = np.flatnonzero(seen) + low
        index = np.cumsum(seen) - 1
        source, target = index[source - low], index[target - low]
    else:
        ids = np.unique(np.concatenate([np.unique(source), np.unique(target)]))
        source, target = np.searchsorted(ids, source), np.searchsorted(ids, target)
    names = Names.wrap(pa.array(ids).cast(pa.large_string()))
    return Numbered(source, target, names, ids.size)


def _refuse_texts(ends: Sequence[pa.ChunkedArray], file: EdgeFile) -> None:
    """Say which id is no index."""
    faults = [~np.asarray(pc.match_substring_regex(column, "^(0|[1-9][0-9]{0,17})$")) for column in ends]
    broken = faults[0] | faults[1]
    row = int(np.argmax(broken))
    text = ends[0 if faults[0][row] else 1][row].as_py()
    where = place_of_row(file.path, row, file.header)
    raise DataError(
        f"{where}: {text!r} is no index, a whole number from 0; if the ids are names, say ids='name'"
    )


def _list_npz(file: EdgeFile, features: FeatureTable | None) -> Listing:
    asked = file.columns is not None or file.edge_attr or not (file.weights is None or file.weights is False)
    if asked or file.header is not None or file.ids == "name":
        advice = "use Graph.from_scipy for names or attributes"
        settings = "columns, edge_attr, header, ids='name' and a column of weights"
        raise DataError(f"{file.path} is a matrix: {settings} are not for it; {advice}")
    listing = list_matrix(load_sparse(file.path), str(file.path), weights=file.weights is None)
    check_filled(listing.num_nodes, listing.source.size)
    return _with_features(listing, features)
