"""Numbers that come with nodes or edges: checked once, then float32; sparse stays sparse."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph.archives import read_npz, read_sparse
from mhmgnn.graph.names import Names
from mhmgnn.io.arrays import NOT_AN_ARRAY, map_array
from mhmgnn.io.tables import as_texts, column_names, existing_file, is_parquet, place_of_row, read_table
from mhmgnn.io.text import HEADER_WORDS

Matrix = np.ndarray | sparse.csr_array


class FeatureTable(NamedTuple):
    """Features as a file holds them."""

    x: Matrix  # (rows, p) float32
    names: Names | None  # the node that each row belongs to; None where row i belongs to node i


def as_matrix(values: Any, what: str, *, copy: bool = True) -> Matrix:
    """`values` as (rows, columns) float32; a SciPy sparse matrix becomes a `csr_array`.

    A cell that is no finite number in float32 is an error with its row and column; `what` names the matrix.
    """
    return _as_sparse(values, what) if sparse.issparse(values) else as_array(values, what, copy=copy)


def as_array(values: Any, what: str, *, copy: bool = True) -> np.ndarray:
    """`values` as a dense (rows, columns) float32 array, checked as in `as_matrix`."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        array = _numbers(array, what)
    if array.ndim != 2 or array.shape[1] == 0:
        advice = "; write values[:, None] for a single column" if array.ndim == 1 else ""
        raise DataError(f"{what}: the shape is {array.shape}; allowed is (rows, columns){advice}")
    with np.errstate(over="ignore"):
        matrix = array.astype(np.float32, order="C", copy=copy)
    block = max(1, 2**22 // matrix.shape[1])
    for start in range(0, matrix.shape[0], block):
        broken = ~np.isfinite(matrix[start : start + block])
        if broken.any():
            row, column = np.argwhere(broken)[0].tolist()
            _refuse(f"{what}, row {start + row}, column {column}", array[start + row, column])
    return matrix


def check_rows(matrix: Matrix | None, rows: int, what: str, of: str) -> None:
    """Refuse a matrix that has not one row for each of `rows` things, called `of`."""
    if matrix is not None and matrix.shape[0] != rows:
        raise DataError(f"{what}: {matrix.shape[0]} rows for {rows} {of}; there must be one row for each")


def feature_table(features: Any, by: str = "auto") -> FeatureTable:
    """Features as a user gives them: a path, see `read_features`, or a matrix with row i for node i."""
    if isinstance(features, str | os.PathLike):
        return read_features(Path(features), by)
    return FeatureTable(as_matrix(features, "features"), None)


def read_features(path: Path, by: str) -> FeatureTable:
    """Features from .npy, SciPy's .npz, text or Parquet.

    In a table, rows belong to the nodes that the first column names if `by` is "name", or if it is "auto" and
    that column holds a text or is called id, node, name or the like. Else row i belongs to node i.
    """
    if by not in ("auto", "name", "row"):
        raise DataError(f"features_by is {by!r}; allowed are 'auto', 'name' and 'row'")
    path = existing_file(path)
    if path.suffix not in (".npy", ".npz"):
        return _read_feature_table(path, by)
    if by == "name":
        raise DataError(f"{path} holds no names to match by; use features_by='row', or a table")
    values = load_sparse(path) if path.suffix == ".npz" else _load_dense(path)
    return FeatureTable(as_matrix(values, str(path), copy=False), None)


def table_matrix(table: pa.Table, path: Path, header: bool | None) -> np.ndarray:
    """Columns of a table as (rows, columns) float32; a faulty cell is an error with its place in the file."""
    matrix = np.empty((table.num_rows, table.num_columns), np.float32)
    for i, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        kind = column.type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
            raise DataError(f"{path}: column {name!r} holds {kind}; it must hold numbers")
        values = column.cast(pa.float64()).to_numpy()
        with np.errstate(over="ignore"):
            matrix[:, i] = values
        broken = ~np.isfinite(matrix[:, i])
        if broken.any():
            row = int(np.argmax(broken))
            value = column[row].as_py()
            _refuse(
                f"{place_of_row(path, row, header)}, column {name!r}", "empty" if value is None else value
            )
    return matrix


def load_sparse(path: Path) -> Any:
    """A matrix that `scipy.sparse.save_npz` wrote; code in the file is never run."""
    try:
        arrays = read_npz(path)
        kind = arrays["format"].item()
        return read_sparse(arrays, kind.decode("ascii") if isinstance(kind, bytes) else str(kind), path)
    except (KeyError, ValueError) as error:
        raise DataError(f"{path} is no matrix written by scipy.sparse.save_npz: {error}") from error


def _load_dense(path: Path) -> np.ndarray:
    """The array of an .npy file, memory-mapped."""
    try:
        array = map_array(path)
    except NOT_AN_ARRAY as error:
        raise DataError(f"{path} is no array of numbers written by numpy.save: {error}") from error
    if array.dtype.kind not in "biuf":
        raise DataError(f"{path} holds {array.dtype}; it must hold numbers")
    return array


def _read_feature_table(path: Path, by: str) -> FeatureTable:
    columns = column_names(path, None)
    if by == "row" or len(columns) == 1:
        return FeatureTable(table_matrix(read_table(path, numeric=range(len(columns))), path, None), None)
    table = read_table(path, numeric=range(1, len(columns)))
    if by == "name" or _names_nodes(columns[0], table.column(0)):
        texts = as_texts(table.column(0), f"{path}: column {columns[0]!r}")
        names = Names.of(texts, what=f"rows of {path}")
        return FeatureTable(table_matrix(table.select(range(1, len(columns))), path, None), names)
    if not is_parquet(path):
        table = table.set_column(0, columns[0], table.column(0).cast(pa.float64()))
    return FeatureTable(table_matrix(table, path, None), None)


def _names_nodes(title: str, column: pa.ChunkedArray) -> bool:
    if title == "" or title.lower() in HEADER_WORDS:
        return True
    try:
        column.cast(pa.float64())
    except pa.ArrowInvalid:
        return True
    except pa.ArrowNotImplementedError:  # neither numbers nor texts: refused as a feature, with its type
        return False
    return False


def _as_sparse(values: Any, what: str) -> sparse.csr_array:
    if values.dtype.kind not in "biuf" or values.ndim != 2 or values.shape[1] == 0:
        raise DataError(
            f"{what}: {values.dtype} of shape {values.shape}; allowed is (rows, columns) of numbers"
        )
    given = sparse.csr_array(values, copy=True)
    given.sum_duplicates()
    with np.errstate(over="ignore"):
        matrix: sparse.csr_array = given.astype(np.float32)
    broken = ~np.isfinite(matrix.data)
    if broken.any():
        place = int(np.argmax(broken))
        row = int(np.searchsorted(matrix.indptr, place, side="right")) - 1
        _refuse(f"{what}, row {row}, column {matrix.indices[place]}", given.data[place])
    return matrix


def _numbers(array: np.ndarray, what: str) -> np.ndarray:
    """Objects and texts as float64, or the first cell that is no number."""
    if array.dtype.kind not in "OUS":
        raise DataError(f"{what}: the type is {array.dtype}; it must hold numbers")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        for place, cell in np.ndenumerate(array):
            if not _is_number(cell):
                _refuse(f"{what}, row {place[0]}, column {place[-1]}", cell)
        raise


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _refuse(where: str, value: object) -> NoReturn:
    shown = repr(value.item() if isinstance(value, np.generic) else value)
    raise DataError(f"{where}: {shown} given; every cell must be a finite number")
