"""Tables in files, text (plain or .gz) and Parquet: read at once or in chunks, written atomically."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from mhmgnn.errors import DataError
from mhmgnn.io.atomic import atomic_file
from mhmgnn.io.text import DAMAGED_GZIP, Layout, PlainLines, find_fault, line_of_row, most_bytes, sniff

Columns = Sequence[str | int]  # names, or positions from 0


def read_table(
    path: str | os.PathLike[str],
    *,
    header: bool | None = None,
    columns: Columns | None = None,
    numeric: Columns = (),
) -> pa.Table:
    """A table from a file.

    `columns` picks some, in this order. Columns of Parquet come with their own types. Columns of text come as
    texts, those in `numeric` as float64. `header` None looks for a header, True or False states it; without
    one the columns are "0", "1", ...
    """
    (table,) = read_chunks(path, rows=None, header=header, columns=columns, numeric=numeric)
    return table


def read_chunks(
    path: str | os.PathLike[str],
    *,
    rows: int | None = 1_000_000,
    header: bool | None = None,
    columns: Columns | None = None,
    numeric: Columns = (),
    ragged: bool = False,
) -> Iterator[pa.Table]:
    """The same table in chunks of at most `rows` rows, in order, at least one; see `read_table`.

    `ragged` lets lines of text end early: the cells that are missing are empty.
    """
    path = existing_file(path)
    if is_parquet(path):
        yield from _parquet_chunks(path, rows, columns)
        return
    layout = sniff(path, header, ragged=ragged)
    keep = range(len(layout.columns)) if columns is None else places(columns, layout.columns, path)
    floats = frozenset(places(numeric, layout.columns, path))
    with _plain_errors(path, layout, floats):
        for table in _text_batches(path, layout, keep, floats, at_once=rows is None):
            step = table.num_rows if rows is None else rows
            for start in range(0, max(table.num_rows, 1), max(step, 1)):
                yield table.slice(start, step)


def existing_file(path: str | os.PathLike[str]) -> Path:
    """The path, if a file is there."""
    path = Path(path)
    if path.is_dir():
        raise DataError(f"{path} is a folder; a file is needed")
    if not path.exists():
        raise DataError(f"there is no file {path}{_nearest(path)}")
    if not path.is_file():
        raise DataError(
            f"{path} is no ordinary file; it is read more than once, so a pipe or device will not do"
        )
    return path


def _nearest(path: Path) -> str:
    """The file in the same folder whose name is most like that of the path, as a question."""
    if not path.parent.is_dir():
        return f": there is no folder {path.parent}"
    names = sorted(one.name for one in path.parent.iterdir() if one.is_file())
    near = get_close_matches(path.name, names, 1, cutoff=0.8)
    return f"; did you mean {path.parent / near[0]}?" if near else ""


def is_parquet(path: Path) -> bool:
    """Whether the ending says Parquet."""
    return path.suffix in (".parquet", ".pq")


def column_names(path: Path, header: bool | None, *, ragged: bool = False) -> tuple[str, ...]:
    """The names of the columns; "0", "1", ... for text without a header. `ragged` is as in `read_chunks`."""
    if not is_parquet(path):
        return sniff(path, header, ragged=ragged).columns
    with _plain_errors(path), pq.ParquetFile(path) as file:
        return tuple(file.schema_arrow.names)


def places(wanted: Columns, names: Sequence[str], path: Path) -> list[int]:
    """The positions of columns given by name or position."""
    found = []
    for column in wanted:
        if isinstance(column, str) and names.count(column) == 1:
            found.append(names.index(column))
        elif not isinstance(column, str) and 0 <= column < len(names):
            found.append(int(column))
        else:
            times = names.count(column) if isinstance(column, str) else 0
            problem = f"{times} columns" if times else "no column"
            raise DataError(f"{path} has {problem} {column!r}; it has {shortened(names)}")
    return found


def shortened(names: Sequence[str], most: int = 10) -> str:
    """A list of names for a message, cut if it is long."""
    return ", ".join(names[:most]) + (f", ... ({len(names)} in all)" if len(names) > most else "")


def as_texts(column: pa.ChunkedArray, what: str) -> pa.ChunkedArray:
    """A column as large_string; `what` names it in messages."""
    try:
        return column.cast(pa.large_string())
    except pa.ArrowException as error:
        raise DataError(f"{what} holds {column.type}; it must hold texts or integers") from error


def place_of_row(path: Path, row: int, header: bool | None) -> str:
    """Where a row of data, counted from 0, stands: its line in a text file, else its row."""
    if is_parquet(path):
        return f"{path}, row {row}"
    line = line_of_row(path, sniff(path, header), row)
    return f"{path}, row {row}" if line is None else f"{path}, line {line}"


class TableWriter:
    """Writes a table atomically: it appears under its name when all of it is written.

    Used as a context manager; `write` takes Arrow tables of one schema, as often as needed, at least once.
    The ending picks the format: .csv, .tsv (either also .gz) or .parquet. A file of that name is replaced.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._ending = self._path.name.removesuffix(".gz").rpartition(".")[2]
        packed_parquet = self._ending == "parquet" and self._path.suffix == ".gz"
        if self._ending not in ("csv", "tsv", "parquet") or packed_parquet:
            raise DataError(
                f"cannot write {path}: the ending must be .csv, .tsv, .csv.gz, .tsv.gz or .parquet"
            )
        if not self._path.parent.is_dir():
            raise DataError(f"cannot write {path}: there is no folder {self._path.parent}")
        self._writer: Any = None

    def __enter__(self) -> TableWriter:
        self._open = ExitStack()
        self._sink: Any = self._open.enter_context(atomic_file(self._path))
        if self._path.suffix == ".gz":
            self._sink = self._open.enter_context(pa.CompressedOutputStream(self._sink, "gzip"))
        return self

    def write(self, table: pa.Table) -> None:
        """Add the rows of `table`."""
        if self._writer is None:
            self._writer = self._open.enter_context(self._start(table.schema))
        self._writer.write_table(table)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._open as file:
            assert kind is not None or self._writer is not None, "a table needs at least one write"
            file.pop_all().__exit__(kind, error, trace)

    def _start(self, schema: pa.Schema) -> Any:
        if self._ending == "parquet":
            repeating = [field.name for field in schema if not pa.types.is_floating(field.type)]
            return pq.ParquetWriter(self._sink, schema, use_dictionary=repeating, write_page_checksum=True)
        mark = "," if self._ending == "csv" else "\t"
        options = pacsv.WriteOptions(delimiter=mark, quoting_style="needed")
        return pacsv.CSVWriter(self._sink, schema, write_options=options)


def _parquet_chunks(path: Path, rows: int | None, columns: Columns | None) -> Iterator[pa.Table]:
    with _plain_errors(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        schema = file.schema_arrow
        keep = None if columns is None else [schema.names[i] for i in places(columns, schema.names, path)]
        _refuse_bomb(path, file, keep)
        if rows is None:
            yield _checked(file.read(columns=keep), keep)
            return
        batches = file.iter_batches(batch_size=rows, columns=keep)
        first = next(batches, None)
        yield _checked(schema.empty_table() if first is None else pa.Table.from_batches([first]), keep)
        for batch in batches:
            yield _checked(pa.Table.from_batches([batch]), keep)


def _checked(table: pa.Table, keep: list[str] | None) -> pa.Table:
    table.validate(full=True)  # Arrow does not check by itself that texts are utf-8
    return table if keep is None else table.select(keep)


def _refuse_bomb(path: Path, file: pq.ParquetFile, keep: list[str] | None) -> None:
    """Refuse a table far larger than its file: in Parquet a few bytes can stand for any number of rows.

    The metadata of columns is not read: Arrow 26 aborts the process if it is damaged.
    """
    fields = [field for field in file.schema_arrow if keep is None or field.name in keep]
    for field in fields:
        if pa.types.is_nested(field.type):
            what = f"column {field.name!r} holds {field.type}"
            raise DataError(f"{path}: {what}; it must hold texts or numbers")
    texts = [field.name for field in fields if _holds_texts(field.type)]
    size = 0
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        size += group.total_byte_size + 4 * group.num_rows * len(fields)
        if texts and size < most_bytes(path):
            size += group.num_rows * _longest_texts(path, texts, number)
    if size > most_bytes(path):
        raise DataError(
            f"{path} unpacks to {size:,} bytes, a file of its size to {most_bytes(path):,} at most; "
            "if that is meant, write it as text"
        )


def _holds_texts(kind: pa.DataType) -> bool:
    of_text = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
    return kind in of_text or bool(pa.types.is_dictionary(kind))


def _longest_texts(path: Path, columns: list[str], group: int) -> int:
    """The bytes of the longest text in the dictionary of each column, which every row may repeat."""
    with pq.ParquetFile(path, read_dictionary=columns) as file:
        first = next(file.iter_batches(batch_size=1, row_groups=[group], columns=columns), None)
    columns_read = [] if first is None else first.columns
    return sum(_longest(column.dictionary) for column in columns_read if pa.types.is_dictionary(column.type))


def _longest(texts: pa.Array) -> int:
    return pc.max(pc.binary_length(texts.cast(pa.large_binary()))).as_py() or 0


def _text_batches(
    path: Path, layout: Layout, keep: Sequence[int], floats: frozenset[int], at_once: bool
) -> Iterator[pa.Table]:
    """The parser sees columns by number, so that names may repeat or be empty."""
    numbers = list(map(str, range(len(layout.columns))))
    types = {str(i): pa.float64() if i in floats else pa.large_string() for i in keep}
    read = pacsv.ReadOptions(column_names=numbers, block_size=1 << 24, use_threads=at_once)
    parse = pacsv.ParseOptions(delimiter=layout.delimiter, quote_char=layout.delimiter != " " and '"')
    convert = pacsv.ConvertOptions(include_columns=[str(i) for i in keep], column_types=types, null_values=[])
    names = [layout.columns[i] for i in keep]
    with PlainLines(path, layout) as lines:
        if at_once:
            yield pacsv.read_csv(lines, read, parse, convert).rename_columns(names)
            return
        with pacsv.open_csv(lines, read, parse, convert) as batches:
            for batch in batches:
                yield pa.Table.from_batches([batch]).rename_columns(names)


@contextmanager
def _plain_errors(
    path: Path, layout: Layout | None = None, floats: frozenset[int] = frozenset()
) -> Iterator[None]:
    """Turn the errors of a parser into one sentence that says where the fault is."""
    try:
        yield
    except DAMAGED_GZIP as error:
        raise DataError(f"{path} is damaged: {error}") from error
    except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        fault = find_fault(path, layout, floats) if layout else None
        raise fault or DataError(f"{path} cannot be read: {error}") from error
