"""Shards of a long table: kept in a hidden folder beside it, and joined when all are written."""

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
from mhmgnn.io.atomic import atomic_file, naming, take_lock, write_atomic
from mhmgnn.io.tables import TableWriter

LOCK, JOB = ".lock", "job.json"
RESULT, SETS = "part", "sets"  # kinds of shard: rows of the result, and the k-sets they are computed from
LEFTOVERS = (f".{RESULT}-*", f".{SETS}-*", f".{JOB}.*", ".whole-*", "whole-*")  # of a killed process
PATIENCE = 60.0  # seconds to wait for a file that another machine has written


class Shards(NamedTuple):
    """The shards of a table, one for each chunk of its source."""

    folder: Path
    lengths: tuple[int, ...]  # rows of each shard

    def missing(self) -> list[int]:
        """The numbers of the shards that are not there or are damaged."""
        return [i for i, length in enumerate(self.lengths) if not has_shard(self.folder, i, length)]

    def join(self, target: Path) -> int:
        """Write the shards, in order, to the file `target` and remove them; returns the number of rows."""
        self._wait()
        joined = self.folder / f"whole-{target.name}"
        with TableWriter(joined) as writer:
            for number in range(len(self.lengths)):
                writer.write(read_shard(self.folder, RESULT, number))
        joined.replace(target)
        clear(self.folder)
        return sum(self.lengths)

    def _wait(self) -> None:
        """Wait until every shard is there: a file that another machine wrote may appear late."""
        until = time.monotonic() + PATIENCE
        while missing := self.missing():
            if time.monotonic() > until:
                raise DataError(
                    f"{len(missing)} of {len(self.lengths)} shards are not in {self.folder}, among them "
                    f"{missing[0]}; all processes must see this folder, and the table must not change"
                )
            time.sleep(PATIENCE / 100)


def folder_of(target: Path) -> Path:
    """The folder of a table's shards."""
    return target.absolute().with_name(f".{target.name}.parts")


@contextmanager
def held(target: Path) -> Iterator[Path]:
    """Lock the folder for the shards of `target`; it is removed at the end unless it still holds shards."""
    folder = folder_of(target)
    try:
        with _lock(folder, target):
            try:
                yield folder
            finally:
                if [file.name for file in folder.glob("*")] == [LOCK]:
                    (folder / LOCK).unlink()
    finally:
        with suppress(OSError):  # not empty: it holds shards to resume from
            folder.rmdir()


def begin(folder: Path, facts: Mapping[str, str], measure: Callable[[], list[int]]) -> Shards:
    """Resume the shards in a locked folder, or start anew with the rows per shard that `measure` returns.

    `facts` identify the job. Shards of another job are an error, never deleted: they may have taken hours.
    """
    job = _read_job(folder / JOB)
    if job is not None and job[0] == facts:
        clear(folder, *LEFTOVERS)
        return Shards(folder, job[1])
    shards = len(list(folder.glob(f"{RESULT}-*")))
    if shards and (folder / JOB).exists():  # it is removed before the shards
        others = {} if job is None else job[0]
        other = ", ".join(sorted(name for name in facts if others.get(name) != facts[name]))
        raise DataError(
            f"{folder} holds {shards} shards of another job (not the same: {other or 'all'}); finish "
            "that one, choose another name for the result, or delete the folder"
        )
    clear(folder)
    lengths = measure()
    write_atomic(folder / JOB, json.dumps({"facts": dict(facts), "lengths": lengths}).encode())
    return Shards(folder, tuple(lengths))


def write_shard(folder: Path, kind: str, number: int, table: pa.Table) -> None:
    """Write a shard atomically, as an Arrow file."""
    if not folder.is_dir():
        raise DataError(
            f"there is no folder {folder}; several machines need a file system that all of them share"
        )
    with atomic_file(_file(folder, kind, number)) as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def read_shard(folder: Path, kind: str, number: int) -> pa.Table:
    """A shard as a table, memory-mapped."""
    file = _file(folder, kind, number)
    try:
        return pa.ipc.open_file(pa.memory_map(str(file))).read_all()
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{file} cannot be read: {error}; delete it and run the command again") from error


def has_shard(folder: Path, number: int, rows: int) -> bool:
    """Whether a shard of the result is there, whole, with so many rows."""
    try:
        return bool(read_shard(folder, RESULT, number).num_rows == rows)
    except DataError:
        return False


def _file(folder: Path, kind: str, number: int) -> Path:
    return folder / f"{kind}-{number:06d}.arrow"


def _read_job(file: Path) -> tuple[dict[str, str], tuple[int, ...]] | None:
    """The facts of a job and the rows of its shards; None if the file does not hold them."""
    try:
        job = json.loads(file.read_bytes())
        return dict(job["facts"]), tuple(map(int, job["lengths"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def clear(folder: Path, *patterns: str) -> None:
    """Remove all our files, the job first; or only those that match the patterns."""
    for pattern in patterns or (JOB, f"{RESULT}-*", f"{SETS}-*", *LEFTOVERS):
        for file in folder.glob(pattern):
            file.unlink(missing_ok=True)


def _lock(folder: Path, target: Path) -> IO[str]:
    """Create and lock the folder, again if a run that ends at the same time removes it."""
    while True:
        try:
            folder.mkdir(exist_ok=True)
        except FileExistsError as error:
            raise DataError(f"{folder} must be a folder for shards of {target}, and is a file") from error
        with naming(target), ExitStack() as stack, suppress(FileNotFoundError):
            file = stack.enter_context((folder / LOCK).open("a+", encoding="ascii"))
            take_lock(file, f"writes {target}; wait for it, or choose another name")
            if os.path.samestat(os.fstat(file.fileno()), (folder / LOCK).stat()):
                stack.pop_all()
                return file
