"""A long table on its way: its parts, each whole, in a hidden folder beside it until all are there."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

import pyarrow as pa

from mhmgnn.errors import DataError
from mhmgnn.io.atomic import atomic_file, take_lock, write_atomic
from mhmgnn.io.tables import TableWriter

LOCK, TOLD = ".lock", "job.json"
PART, SETS = "part", "sets"  # what a piece holds: a part of the result, or the k-sets it is made from
LEFT = (f".{PART}-*", f".{SETS}-*", f".{TOLD}.*", ".whole-*", "whole-*")  # by a kill
PATIENCE = 60.0  # seconds after which a file on another machine is seen here, or never


class Pieces(NamedTuple):
    """The parts of a table to be, one for each chunk of the table that it is made from."""

    folder: Path
    lengths: tuple[int, ...]  # rows of each part

    def missing(self) -> list[int]:
        """The numbers of the parts that are not there, or damaged."""
        return [number for number, length in enumerate(self.lengths) if _rows(self.folder, number) != length]

    def join(self, target: Path) -> int:
        """Put the parts together, in order, as the file `target`, and remove them; how many rows it has."""
        self._wait()
        whole = self.folder / f"whole-{target.name}"
        with TableWriter(whole) as writer:
            for number in range(len(self.lengths)):
                writer.write(read_piece(self.folder, PART, number))
        whole.replace(target)
        _clear(self.folder)
        return sum(self.lengths)

    def _wait(self) -> None:
        """Wait until every part is there: what another machine wrote may be seen late."""
        until = time.monotonic() + PATIENCE
        while missing := self.missing():
            if time.monotonic() > until:
                raise DataError(
                    f"{len(missing)} of {len(self.lengths)} parts are not in {self.folder}, among them "
                    f"{missing[0]}; all processes must see this folder, and the table must not change"
                )
            time.sleep(PATIENCE / 100)


def folder_of(target: Path) -> Path:
    """Where the parts of a table are kept."""
    return target.absolute().with_name(f".{target.name}.parts")


@contextmanager
def held(target: Path) -> Iterator[Path]:
    """Hold the folder for the parts of `target`, for this run alone; it goes when nothing is left in it."""
    folder = folder_of(target)
    try:
        with _lock(folder, target):
            try:
                yield folder
            finally:
                if [file.name for file in folder.glob("*")] == [LOCK]:
                    (folder / LOCK).unlink()
    finally:
        with suppress(OSError):  # there are parts to go on from
            folder.rmdir()


def begin(folder: Path, facts: Mapping[str, str], measure: Callable[[], list[int]]) -> Pieces:
    """Go on with the parts in a folder that is held, or start: `measure` gives the rows of each part.

    `facts` say what the parts are of. Parts with other facts are an error, for they may have taken hours.
    """
    told = _read(folder / TOLD)
    if told is not None and told[0] == facts:
        _clear(folder, *LEFT)
        return Pieces(folder, told[1])
    parts = len(list(folder.glob(f"{PART}-*")))
    if parts and (folder / TOLD).exists():  # it goes first when a folder is removed
        others = {} if told is None else told[0]
        other = ", ".join(sorted(name for name in facts if others.get(name) != facts[name]))
        raise DataError(
            f"{folder} holds {parts} parts of another job (not the same: {other or 'all'}); finish that one, "
            "choose another name for the result, or delete the folder"
        )
    _clear(folder)
    lengths = measure()
    write_atomic(folder / TOLD, json.dumps({"facts": dict(facts), "lengths": lengths}).encode())
    return Pieces(folder, tuple(lengths))


def write_piece(folder: Path, kind: str, number: int, table: pa.Table) -> None:
    """Write a piece as an Arrow file, whole or not at all."""
    if not folder.is_dir():
        raise DataError(
            f"there is no folder {folder}; several machines need a file system that all of them share"
        )
    with atomic_file(_file(folder, kind, number)) as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def read_piece(folder: Path, kind: str, number: int) -> pa.Table:
    """A piece, mapped into memory."""
    file = _file(folder, kind, number)
    try:
        return pa.ipc.open_file(pa.memory_map(str(file))).read_all()
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{file} cannot be read: {error}; delete it and start again, to go on") from error


def _rows(folder: Path, number: int) -> int:
    """How many rows a part has, -1 if it is not there or damaged."""
    try:
        return int(read_piece(folder, PART, number).num_rows)
    except DataError:
        return -1


def _file(folder: Path, kind: str, number: int) -> Path:
    return folder / f"{kind}-{number:06d}.arrow"


def _read(file: Path) -> tuple[dict[str, str], tuple[int, ...]] | None:
    """The facts of a job and the rows of its parts, None if the file says nothing of them."""
    try:
        told = json.loads(file.read_bytes())
        return dict(told["facts"]), tuple(map(int, told["lengths"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _clear(folder: Path, *patterns: str) -> None:
    """Remove our files, what tells of them first; or those alone that have such names."""
    for pattern in patterns or (TOLD, f"{PART}-*", f"{SETS}-*", *LEFT):
        for file in folder.glob(pattern):
            file.unlink(missing_ok=True)


def _lock(folder: Path, target: Path) -> IO[str]:
    """The file whose lock this process has; a run that ends may remove it, and the folder, meanwhile."""
    while True:
        try:
            folder.mkdir(exist_ok=True)
        except FileExistsError as error:
            raise DataError(f"{folder} must be a folder for parts of {target}, and is a file") from error
        with ExitStack() as stack, suppress(FileNotFoundError):
            file = stack.enter_context((folder / LOCK).open("a+", encoding="ascii"))
            take_lock(file, f"writes {target}; wait for it, or choose another name")
            if os.path.samestat(os.fstat(file.fileno()), (folder / LOCK).stat()):
                stack.pop_all()
                return file
