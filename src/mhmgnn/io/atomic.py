"""Files and folders that are written atomically: a kill at any moment leaves the old one or the new one.

Everything is written under a hidden name in the same folder, synced to disk and renamed. Locks are those of
the operating system, by `filelock`: they end with the process that holds them.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

from filelock import lock_descriptor

from mhmgnn.errors import DataError

POSIX = os.name == "posix"  # where an open file can be renamed, and a folder opened, locked and synced


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Hand out a new folder beside `path`; at the end of the block it is synced and replaces `path`.

    Where the system can swap two names (Linux), a kill at any moment leaves the old folder or the new one.
    Elsewhere there is a moment between two renames when the old one is beside it, hidden, with ending .old.
    """
    place = Path(os.path.realpath(path))
    if not place.parent.is_dir():
        raise DataError(f"cannot save to {path}: there is no folder {place.parent}")
    remove_leftovers(place)
    new = _hidden(place)
    with naming(path, new), _locked(new, lambda: new.mkdir()):
        try:
            yield new
            _sync_all(new)
            _replace_folder(new, place)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        _sync_folder(place.parent)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Hand out a file under a hidden name; at the end of the block it is synced and replaces `path`."""
    check_target(path)
    remove_leftovers(path)
    new = _hidden(path)
    with naming(path, new), _locked(new, lambda: new.touch()):
        try:
            with new.open("wb") as file:
                yield file
            _sync(new)
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
        _sync_folder(path.absolute().parent)


def check_target(path: Path) -> None:
    """Refuse a file that cannot be written for want of a folder, or as it is one."""
    if not path.absolute().parent.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {path.absolute().parent}")
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder")


def write_atomic(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    with atomic_file(path) as file:
        file.write(content)


@contextmanager
def naming(path: Path, hidden: Path | None = None) -> Iterator[None]:
    """Let an `OSError` that names no file, or names `hidden`, name `path` instead."""
    try:
        yield
    except OSError as error:
        named = str(error.filename or "")
        if error.errno is None or (named and not (hidden and named.startswith(str(hidden)))):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file locked, and wait for whoever holds it now."""
    with path.open("a+") as file:
        lock_descriptor(file.fileno())
        yield


def take_lock(file: IO[str], what: str) -> None:
    """Lock an open file until it is closed or the process ends, and write this process's id into it.

    If another process holds the lock, that is an error: `what` says what that process does, and what to do.
    """
    if not lock_descriptor(file.fileno(), blocking=False):
        holder = ""
        with suppress(PermissionError):  # Windows lets nobody else read a locked file
            file.seek(0)
            holder = file.read().strip()
        raise DataError(f"another run, pid {holder or 'unknown'}, {what}")
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()


def check_free(path: Path, recognise: Callable[[Path], object]) -> None:
    """Refuse to overwrite anything but an empty folder or one that `recognise` takes without an error."""
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    if not path.is_dir():
        raise DataError(f"{path} is a file; it is not overwritten, choose another name")
    try:
        recognise(path)
    except DataError as error:
        raise DataError(f"{error}; it is not overwritten, choose another name") from error


def _hidden(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")


@contextmanager
def _locked(new: Path, make: Callable[[], None]) -> Iterator[None]:
    """Make a hidden file or folder and keep it locked: one that is not locked was left by a kill."""
    if not POSIX:
        make()
        yield
        return
    while True:
        make()
        descriptor = os.open(new, os.O_RDONLY)
        try:
            with suppress(OSError):  # a file system without locks
                lock_descriptor(descriptor)
            if os.fstat(descriptor).st_nlink:  # 0 if another process removed it before it was locked
                yield
                return
        finally:
            os.close(descriptor)


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left of writes to `path`; only where open files can be locked."""
    begins, digits = f".{path.name}.", set("0123456789abcdef")
    with suppress(OSError):  # a folder that may not be listed
        for name in os.listdir(path.absolute().parent) if POSIX else ():
            ending = name.removeprefix(begins)
            if name.startswith(begins) and len(ending) == 8 and not set(ending) - digits:
                _remove_unless_locked(path.with_name(name))


def _remove_unless_locked(left: Path) -> None:
    with suppress(OSError):  # another process has removed it, or the file system has no locks
        descriptor = os.open(left, os.O_RDONLY)
        try:
            if lock_descriptor(descriptor, blocking=False):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        finally:
            os.close(descriptor)


def _replace_folder(new: Path, path: Path) -> None:
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
    descriptor = os.open(file, os.O_RDONLY if POSIX else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_all(folder: Path) -> None:
    """Sync a folder with all that is in it."""
    for inside, _, files in os.walk(folder):
        for file in (Path(inside) / name for name in files):
            if file.is_file() and not file.is_symlink():
                _sync(file)
        _sync_folder(Path(inside))


def _sync_folder(path: Path) -> None:
    """Sync the names in a folder, where the system lets a folder be opened."""
    if POSIX:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
