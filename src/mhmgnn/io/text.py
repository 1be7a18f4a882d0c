"""Tables as text: the layout of a file, its lines cleaned for the parser, and where a fault lies."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

from mhmgnn.errors import DataError

HEADER_WORDS = frozenset(
    [
        *("id", "ids", "node", "nodes", "node_id", "nodeid", "name", "names"),
        *("source", "target", "src", "dst", "from", "to", "u", "v", "node1", "node2"),
    ]
)
DAMAGED_GZIP = (EOFError, gzip.BadGzipFile, zlib.error)
_ENDINGS = "a table that is not text ends in .parquet"
_SHEETS = (".xlsx", ".xls", ".ods", ".numbers")
_SAVE_AS = "save it as CSV in UTF-8 (“CSV UTF-8” in Excel)"
_SAMPLE = 100  # lines looked at to tell the layout
_BLOCK = 1 << 22
_LONGEST = 1 << 26  # bytes of a line
_MOST_COLUMNS = 1 << 20
_GROWTH, _SMALL = 1000, 1 << 28  # see `most_bytes`
_IDLE_LINE = re.compile(rb"\n(?:[#%][^\n]*|[ \t]*)(?=\n)")  # a comment, or nothing


class Layout(NamedTuple):
    """How the lines of a text file are cut into cells."""

    delimiter: str  # ",", "\t" or ";", or " " for any run of blanks
    has_header: bool
    columns: tuple[str, ...]  # their names; "0", "1", ... where there is no header
    ragged: bool = False  # lines may end early: the cells that are missing are empty


def sniff(path: Path, header: bool | None, *, ragged: bool = False) -> Layout:
    """Tell the layout of a file from its first lines; `header` None looks for one, else it is as stated.

    If `ragged` and the first lines differ in length, all lines may, and the longest one says how many columns
    there are.
    """
    lines = [line for _, line in islice(_numbered(path), _SAMPLE)]
    if not lines:
        raise DataError(f"{path} holds no rows; comments and empty lines do not count")
    delimiter = _delimiter(path, lines)
    sample = [cut(line, delimiter) for line in lines]
    has_header = _looks_like_header(sample) if header is None else header
    if has_header and len(sample) == 1:
        raise DataError(f"{path} has titles and no rows below them; it begins {lines[0][:40]!r}")
    ragged = ragged and len(set(map(len, sample))) > 1
    width = max(len(cut(line, delimiter)) for _, line in _numbered(path)) if ragged else len(sample[0])
    titles = sample[0] if has_header else []
    return Layout(delimiter, has_header, (*titles, *map(str, range(len(titles), width))), ragged)


def most_bytes(path: Path) -> int:
    """The most bytes that a packed file may unpack to: 256 MB, or a thousand times its size, gzip's best."""
    return max(_SMALL, _GROWTH * path.stat().st_size)


def cut(line: str, delimiter: str) -> list[str]:
    """The cells of one line."""
    if line.count(delimiter) >= _MOST_COLUMNS:
        raise DataError(
            f"a line has more than {_MOST_COLUMNS} cells, the first {line[:40]!r}; that is no table"
        )
    if delimiter == " ":
        return [cell for cell in line.replace("\t", " ").split(" ") if cell]
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]
    except csv.Error as error:
        raise DataError(f"a line cannot be cut into cells: {error}; it begins {line[:40]!r}") from error


def data_lines(path: Path, layout: Layout) -> Iterator[tuple[int, str]]:
    """Line numbers, from 1 and comments included, with the text of each row of data; slow, for messages."""
    return islice(_numbered(path), int(layout.has_header), None)


def line_of_row(path: Path, layout: Layout, row: int) -> int | None:
    """The line number of a row of data, counted from 0; None where quotes make rows other than lines."""
    return next(islice(data_lines(path, layout), row, None), (None, ""))[0]


class NotANumber(DataError):
    """A cell of a column of numbers is none."""

    def __init__(self, where: str, column: int, cell: str) -> None:
        super().__init__(f"{where}: {cell!r} is not a number")
        self.column = column  # its position


def find_fault(path: Path, layout: Layout, numeric: frozenset[int]) -> DataError | None:
    """What is wrong with the first faulty line: the number of its cells, or a cell of a `numeric` column."""
    width = len(layout.columns)
    for number, line in data_lines(path, layout):
        cells = cut(line, layout.delimiter)
        if len(cells) != width and not layout.ragged:
            told = f"{len(cells)} cells where {width} are expected: {line.strip()!r}"
            return DataError(f"{path}, line {number}: {told}")
        for column in sorted(numeric):
            if not is_number(cells[column]):
                where = f"{path}, line {number}, column {layout.columns[column]!r}"
                return NotANumber(where, column, cells[column])
    return None


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def open_bytes(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked if its name ends in .gz."""
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


class PlainLines(io.RawIOBase):
    """The rows of data of a text file, as a stream of bytes for a strict parser.

    Comments, empty lines and the header are removed. Where blanks separate cells, runs of them become one.
    Blanks around cells are removed where nothing is quoted. Every line ends in one newline. Lines of a ragged
    file are filled with empty cells.
    """

    def __init__(self, path: Path, layout: Layout) -> None:
        self._path = path
        self._file = open_bytes(path)
        self._delimiter = layout.delimiter.encode()
        self._filled_to = len(layout.columns) if layout.ragged else 0
        self._header_to_come = layout.has_header
        self._at_start = True
        self._rest = b""  # the beginning of a line that the last block cut
        self._ready = b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes, nothing at the end."""
        while not self._ready:
            block = self._file.read(_BLOCK)
            if not block and not self._rest:
                return b""
            self._ready = self._plain(self._complete_lines(block))
        size = len(self._ready) if size < 0 else size
        part, self._ready = self._ready[:size], self._ready[size:]
        return part

    def _complete_lines(self, block: bytes) -> bytes:
        if self._at_start:
            block, self._at_start = block.removeprefix(b"\xef\xbb\xbf"), False
        if not block:
            last, self._rest = self._rest, b""
            return last + b"\n"
        lines, newline, tail = block.rpartition(b"\n")
        lines, self._rest = (self._rest + lines + newline, tail) if newline else (b"", self._rest + tail)
        _refuse_long(self._path, self._rest)
        return lines

    def _plain(self, lines: bytes) -> bytes:
        if not lines:
            return b""
        if b"\r" in lines:
            lines = lines.replace(b"\r\n", b"\n")
            if b"\r" in lines:
                raise _bare_return(self._path)
        lines = _IDLE_LINE.sub(b"", b"\n" + lines)
        if self._delimiter == b" ":
            lines = _squeezed(lines.replace(b"\t", b" "), b" ", b"")
            lines = lines.replace(b" \n", b"\n").replace(b"\n ", b"\n")
        elif b'"' not in lines:
            lines = _squeezed(lines, self._delimiter, b"")
            lines = _squeezed(lines, b"", self._delimiter)
        lines = lines[1:]
        if self._header_to_come and lines:
            self._header_to_come = False
            lines = lines.partition(b"\n")[2]
        return b"".join(map(self._filled, lines.splitlines())) if self._filled_to else lines

    def _filled(self, line: bytes) -> bytes:
        missing = self._filled_to - len(cut(line.decode(), self._delimiter.decode()))
        return line + self._delimiter * missing + b"\n"


def _squeezed(text: bytes, before: bytes, after: bytes) -> bytes:
    """Without the blanks between `before` and `after`; by halving runs, so that long ones are fast too."""
    blanks = 1
    while before + b" " * blanks + after in text:
        blanks *= 2
    while blanks > 1:
        blanks //= 2
        text = text.replace(before + b" " * blanks + after, before + after)
    return text


def _numbered(path: Path) -> Iterator[tuple[int, str]]:
    """Lines that are neither empty nor comments, with their numbers."""
    try:
        with open_bytes(path) as file:
            for number, raw in enumerate(iter(lambda: file.readline(_LONGEST + 1), b""), start=1):
                _refuse_long(path, raw)
                if number == 1:
                    _refuse_sheet(path, raw)
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                line = line.removesuffix("\n").removesuffix("\r")
                if line.strip(" \t") and line[0] not in "#%":
                    _refuse_binary(path, line)
                    yield number, line
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not text in utf-8: {error.reason}; {_ENDINGS}") from error
    except DAMAGED_GZIP as error:
        raise DataError(f"{path} is damaged: {error}") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}") from error


def _refuse_sheet(path: Path, line: bytes) -> None:
    """Refuse what spreadsheets write that is no text in utf-8."""
    if path.suffix.lower() in _SHEETS:
        raise DataError(f"{path} is a spreadsheet; {_SAVE_AS}")
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError(f"{path} is text in UTF-16, as Excel's “Unicode Text” is; {_SAVE_AS}")


def _refuse_binary(path: Path, line: str) -> None:
    if "\0" in line:
        raise DataError(f"{path} is not text; {_ENDINGS}")
    if "\r" in line:
        raise _bare_return(path)


def _refuse_long(path: Path, line: bytes) -> None:
    if len(line) > _LONGEST:
        raise DataError(f"{path} has a line of more than {_LONGEST} bytes; that is no table")


def _bare_return(path: Path) -> DataError:
    return DataError(f"{path} has a carriage return inside a line; end lines with \\n or \\r\\n")


def _delimiter(path: Path, lines: list[str]) -> str:
    """The comma, tab or semicolon that is in every line, else in most lines, else a blank."""
    marks = (",", "\t", ";") if ".csv" in path.suffixes else ("\t", ",", ";")
    inside = [line.strip(" \t") for line in lines]
    for share in (1.0, 0.5):
        for mark in marks:
            if sum(mark in line for line in inside) >= share * len(inside):
                return mark
    return " " if any(" " in line for line in inside) else marks[0]


def _looks_like_header(sample: list[list[str]]) -> bool:
    """Whether the first line names columns.

    It does if its first cell is empty or a usual title and no usual title in it comes again below, or if no
    cell is a number though a column of numbers follows. A single line does if it has two usual titles.
    """
    first, below = sample[0], sample[1:]
    if first[0] == "" or first[0].lower() in HEADER_WORDS:
        titles = {cell for cell in first if cell.lower() in HEADER_WORDS}
        if not below:
            return len(titles) > 1
        return titles.isdisjoint(cell for row in below for cell in row)
    if any(map(is_number, first)):
        return False
    columns = zip(*(row for row in below if len(row) == len(first)), strict=False)
    return any(all(map(is_number, column)) for column in columns)
