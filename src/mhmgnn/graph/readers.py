"""A file of edges -> a `Listing`: nodes numbered, features matched to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mhmgnn.errors import DataError
from mhmgnn.graph.convert import list_matrix
from mhmgnn.graph.edges import Listing, check_filled, check_size
from mhmgnn.graph.features import FeatureTable, Matrix, load_sparse, table_matrix
from mhmgnn.graph.names import Names, by_appearance
from mhmgnn.io.tables import as_texts, column_names, existing_file, place_of_row, places, read_table

IDS = ("auto", "index", "name")
_PIECE = 1 << 16


class EdgeFile(NamedTuple):
    """Where the edges of a file stand, and how its ids are meant; see `Graph.read`."""

    path: Path
    ids: str = "auto"
    header: bool | None = None
    columns: tuple[str | int, ...] | None = None
    edge_attr: tuple[str | int, ...] = ()


class Numbered(NamedTuple):
    """The two columns of ids, as node indices."""

    source: np.ndarray  # (m,) int64
    target: np.ndarray  # (m,) int64
    names: Names | None
    num_nodes: int


def list_file(file: EdgeFile, features: FeatureTable | None) -> Listing:
    """The edges of a table, or of a matrix in .npz, with the features of its nodes."""
    if file.ids not in IDS:
        raise DataError(f"ids is {file.ids!r}; allowed are 'auto', 'index' and 'name'")
    existing_file(file.path)
    if file.path.suffix == ".npz":
        return _list_npz(file, features)
    if any(isinstance(column, str) for column in (*(file.columns or ()), *file.edge_attr)):
        file = file._replace(header=True)
    ends, attr = _columns(file)
    table = read_table(file.path, header=file.header, columns=[*ends, *attr], numeric=attr)
    if not table.num_rows:
        raise DataError(f"{file.path} holds no edges")
    ids = [_cleaned(table.column(i), table.column_names[i], file) for i in (0, 1)]
    values = table_matrix(table.select(range(2, 2 + len(attr))), file.path, file.header) if attr else None
    del table
    nodes = _number(ids, file, features)
    if features is None:
        return Listing(nodes.source, nodes.target, nodes.num_nodes, nodes.names, None, values)
    names, x = _match_features(nodes.names, nodes.num_nodes, features)
    n = nodes.num_nodes if names is None else len(names)
    return Listing(nodes.source, nodes.target, n, names, x, values)


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


def _columns(file: EdgeFile) -> tuple[list[int], list[int]]:
    """Positions of the two ends and of the attributes."""
    names = column_names(file.path, file.header)
    ends = [0, 1] if file.columns is None else places(file.columns, names, file.path)
    if len(names) < 2 or len(set(ends)) != 2:
        found = f"{len(names)} column" if len(names) < 2 else f"columns={file.columns!r}"
        raise DataError(f"{file.path}: {found} given; an edge needs two columns, one for each end")
    return ends, places(file.edge_attr, names, file.path)


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
    if file.columns is not None or file.edge_attr or file.header is not None or file.ids == "name":
        advice = "use Graph.from_scipy for names or weights"
        raise DataError(
            f"{file.path} is a matrix: columns, edge_attr, header and ids='name' are not for it; {advice}"
        )
    listing = list_matrix(load_sparse(file.path), str(file.path))
    check_filled(listing.num_nodes, listing.source.size)
    if features is None:
        return listing
    return listing._replace(x=_match_features(None, listing.num_nodes, features)[1])
