"""Files and folders written whole or not at all; arrays in a folder, mapped back without being read."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import shutil
import sys
import tokenize
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from mhmgnn.errors import DataError

INDEX = "index.json"
VERSION = 1
KEYS = {"kind", "version", "arrays", "facts"}  # of the index, without its sums
PIECE = 1 << 24  # bytes summed at a time
NOT_AN_ARRAY = (  # what NumPy raises on a header that is none, and warns of where warnings are errors
    *(ValueError, TypeError, OverflowError, SyntaxError, tokenize.TokenError, RecursionError),
    *(OSError, EOFError, MemoryError, Warning),
)


def save_arrays(path: Path, kind: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write each array to NAME.npy in the folder `path`, and `facts` beside them.

    The folder is made under another name, synced and renamed. One that holds the same `kind` is replaced;
    anything else in its place is left alone, which is an error. Sums of all that is written stand in the
    index, for `check_sums`.
    """
    check_free(path, lambda old: _read_index(old, kind))
    with whole_folder(path) as new:
        for name, array in arrays.items():
            _write_array(new / f"{name}.npy", array)
        shapes = {
            name: {"dtype": array.dtype.str, "shape": list(array.shape)} for name, array in arrays.items()
        }
        index = {"kind": kind, "version": VERSION, "arrays": shapes, "facts": dict(facts)}
        sums = {f"{name}.npy": _sum(array) for name, array in arrays.items()} | {INDEX: _sum_index(index)}
        (new / INDEX).write_text(json.dumps(index | {"crc32": sums}, indent=1), encoding="utf-8")


def load_arrays(path: Path, kind: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays of a folder, read-only and memory-mapped, and the facts beside them."""
    index = _read_index(path, kind)
    if index["version"] != VERSION:
        raise DataError(f"{path} is of version {index['version']}; this mhmgnn reads version {VERSION}")
    arrays = {name: _map(path / f"{name}.npy", about) for name, about in index["arrays"].items()}
    return arrays, index["facts"]


def check_sums(path: Path, kind: str) -> bool:
    """Refuse a saved folder in which a bit is not as it was written; unlike `load_arrays`, this reads it all.

    False where nothing can be said: the folder was saved before sums were kept.
    """
    arrays, _ = load_arrays(path, kind)
    index = _read_index(path, kind)
    stated = index.pop("crc32", None)
    if stated is None and index.keys() == KEYS:
        return False
    found = {f"{name}.npy": _sum(array) for name, array in arrays.items()} | {INDEX: _sum_index(index)}
    differ = [name for name in found if not isinstance(stated, dict) or stated.get(name) != found[name]]
    if differ:
        raise DataError(
            f"{path} is damaged: {', '.join(differ)} changed since it was saved; save it again, or restore it"
        )
    return True


def is_stored(path: Path) -> bool:
    """Whether the folder was written by `save_arrays`, as far as its index shows."""
    return (path / INDEX).is_file()


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Hand out a new folder beside `path`; it is synced and takes the place of `path` if all goes well.

    Where the system can swap two names (Linux), a kill at any moment leaves the old folder or the new one.
    Elsewhere there is a moment between two renames when the old one is beside it, hidden, with ending .old.
    """
    place = Path(os.path.realpath(path))
    if not place.parent.is_dir():
        raise DataError(f"cannot save to {path}: there is no folder {place.parent}")
    _clear_left(place)
    new = _hidden(place)
    with naming(path, new), _begun(new, lambda: new.mkdir()):
        try:
            yield new
            for file in new.iterdir():
                _sync(file)
            _sync_folder(new)
            _take_place(new, place)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        _sync_folder(place.parent)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Hand out a file under a hidden name; it is synced and takes the place of `path` if all goes well."""
    if not path.absolute().parent.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {path.absolute().parent}")
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder")
    _clear_left(path)
    new = _hidden(path)
    with naming(path, new), _begun(new, lambda: new.touch()):
        try:
            with new.open("wb") as file:
                yield file
            _sync(new)
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
        _sync_folder(path.absolute().parent)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a hidden name, sync it and rename it: there is the old file or the new one."""
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def naming(path: Path, hidden: Path | None = None) -> Iterator[None]:
    """Let an error of the system that names no file, or one of the hidden name, name `path`."""
    try:
        yield
    except OSError as error:
        named = str(error.filename or "")
        if error.errno is None or (named and not (hidden and named.startswith(str(hidden)))):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def take_lock(file: IO[str], what: str) -> None:
    """Lock an open file until it is closed, and write this process's id there.

    Where another process has it, that is an error: `what` says what the other one does, and what to do.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        raise DataError(f"another run, pid {file.read().strip() or 'unknown'}, {what}") from error
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()


def check_free(path: Path, recognise: Callable[[Path], object]) -> None:
    """Refuse to write over what is neither an empty folder nor one that `recognise` takes without error."""
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    if not path.is_dir():
        raise DataError(f"{path} is a file; it is not overwritten, choose another name")
    try:
        recognise(path)
    except DataError as error:
        raise DataError(f"{error}; it is not overwritten, choose another name") from error


def _read_index(path: Path, kind: str) -> dict[str, Any]:
    if not is_stored(path):
        raise DataError(f"{path} is no saved {kind}: it has no file {INDEX}")
    try:
        index = json.loads((path / INDEX).read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise DataError(f"{path / INDEX} is damaged: {error}") from error
    if not isinstance(index, dict) or KEYS - index.keys():
        raise DataError(f"{path / INDEX} is damaged: it is no index of arrays")
    if not all(isinstance(index[part], dict) for part in ("arrays", "facts")):
        raise DataError(f"{path / INDEX} is damaged: its arrays and facts must be objects")
    for name, about in index["arrays"].items():
        if not name.isidentifier() or not isinstance(about, dict):
            raise DataError(f"{path / INDEX} is damaged: {name!r} is no array of this folder")
    if index["kind"] != kind:
        raise DataError(f"{path} holds a saved {index['kind']}; a saved {kind} is needed")
    return index


def map_array(file: Path) -> np.ndarray:
    """The array of an .npy file, read-only and memory-mapped; a file that is none raises `NOT_AN_ARRAY`."""
    return np.asarray(np.lib.format.open_memmap(file, mode="r"))


def _map(file: Path, about: Mapping[str, object]) -> np.ndarray:
    if not file.is_file():
        raise DataError(f"{file} is missing; the folder is not whole, save it again")
    try:
        array = map_array(file)
    except NOT_AN_ARRAY as error:
        raise DataError(f"{file} is damaged: {error}; save it again") from error
    if about != {"dtype": array.dtype.str, "shape": list(array.shape)}:
        expected = " of shape ".join(str(about.get(key)) for key in ("dtype", "shape"))
        found = f"{array.dtype.str} of shape {list(array.shape)} where {expected} is expected"
        raise DataError(f"{file} does not belong here: {found}; save the folder again")
    return array


def _write_array(file: Path, array: np.ndarray) -> None:
    """Write what `np.save` does, but by plain writes, whose errors say what the matter is."""
    rows = np.asarray(array, order="C")
    with file.open("wb") as out:
        np.lib.format.write_array_header_1_0(out, np.lib.format.header_data_from_array_1_0(rows))
        out.write(rows.reshape(-1).view(np.uint8).data)


def _sum(array: np.ndarray) -> int:
    """A sum of the bytes, read in pieces, so that an array mapped from disk is never in memory as a whole."""
    flat, total = np.asarray(array, order="C").reshape(-1).view(np.uint8), 0
    for start in range(0, flat.size, PIECE):
        total = zlib.crc32(flat[start : start + PIECE].data, total)
    return total


def _sum_index(index: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(index).encode())


def _hidden(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")


@contextmanager
def _begun(new: Path, make: Callable[[], None]) -> Iterator[None]:
    """Make a hidden file or folder and hold it locked: what is not locked was left by a kill."""
    while True:
        make()
        descriptor = os.open(new, os.O_RDONLY)
        try:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:  # else taken for left before it was locked
                yield
                return
        finally:
            os.close(descriptor)


def _clear_left(path: Path) -> None:
    """Delete what a kill left of writes to `path`."""
    begins, digits = f".{path.name}.", set("0123456789abcdef")
    with suppress(OSError):  # a folder that may not be listed
        for name in os.listdir(path.absolute().parent):
            ending = name.removeprefix(begins)
            if name.startswith(begins) and len(ending) == 8 and not set(ending) - digits:
                _clear(path.with_name(name))


def _clear(left: Path) -> None:
    with suppress(OSError):  # another process writes it, or has cleared it
        descriptor = os.open(left, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        finally:
            os.close(descriptor)


def _take_place(new: Path, path: Path) -> None:
    if not path.exists():
        new.rename(path)
    elif not _swap(new, path):
        old = path.with_name(f"{new.name}.old")
        path.rename(old)
        try:
            new.rename(path)
        except OSError:
            old.rename(path)
            raise
        shutil.rmtree(old)


def _swap(one: Path, other: Path) -> bool:
    """Whether two names could be swapped in one step, so that at no moment either is missing."""
    if sys.platform != "linux":
        return False
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return renameat2 is not None and (
        renameat2(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0
    )


def _sync(file: Path) -> None:
    with file.open("rb+") as written:
        os.fsync(written.fileno())


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
