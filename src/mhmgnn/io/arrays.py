"""Arrays in a folder, with checksums; they are mapped back into memory without being read."""

from __future__ import annotations

import json
import tokenize
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.io.atomic import atomic_folder, check_free
from mhmgnn.io.checksums import crc32

INDEX = "index.json"
VERSION = 1
KEYS = {"kind", "version", "arrays", "facts"}  # of the index, without its checksums
NOT_AN_ARRAY = (  # what NumPy raises for a header that is damaged, or warns of where warnings are errors
    *(ValueError, TypeError, OverflowError, SyntaxError, tokenize.TokenError, RecursionError),
    *(OSError, EOFError, MemoryError, Warning),
)


def save_arrays(path: Path, kind: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write each array to NAME.npy in the folder `path`, and `facts` beside them.

    The folder is written atomically. A folder of the same `kind` is replaced; anything else in its place is
    kept, and that is an error. The index holds a checksum of every file, for `check_sums`.
    """
    check_free(path, lambda old: _read_index(old, kind))
    with atomic_folder(path) as new:
        for name, array in arrays.items():
            _write_array(new / f"{name}.npy", array)
        shapes = {
            name: {"dtype": array.dtype.str, "shape": list(array.shape)} for name, array in arrays.items()
        }
        index = {"kind": kind, "version": VERSION, "arrays": shapes, "facts": dict(facts)}
        stated = index | {"crc32": _sums(arrays, index)}
        (new / INDEX).write_text(json.dumps(stated, indent=1), encoding="utf-8")


def load_arrays(path: Path, kind: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays of a folder, read-only and memory-mapped, and the facts beside them."""
    index = _read_index(path, kind)
    if index["version"] != VERSION:
        raise DataError(f"{path} is of version {index['version']}; this mhmgnn reads version {VERSION}")
    arrays = {name: _map(path / f"{name}.npy", about) for name, about in index["arrays"].items()}
    return arrays, index["facts"]


def check_sums(path: Path, kind: str) -> bool:
    """Refuse a saved folder in which any bit has changed; unlike `load_arrays`, this reads all of it.

    False if the folder has no checksums: an earlier mhmgnn saved it.
    """
    arrays, _ = load_arrays(path, kind)
    index = _read_index(path, kind)
    stated = index.pop("crc32", None)
    if stated is None and index.keys() == KEYS:
        return False
    found = _sums(arrays, index)
    differ = [name for name in found if not isinstance(stated, dict) or stated.get(name) != found[name]]
    if differ:
        raise DataError(
            f"{path} is damaged: {', '.join(differ)} changed since it was saved; save it again, or restore it"
        )
    return True


def is_stored(path: Path) -> bool:
    """Whether the folder was written by `save_arrays`, as far as its index shows."""
    return (path / INDEX).is_file()


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
    """The array of an .npy file, read-only and memory-mapped; any other file raises one of `NOT_AN_ARRAY`."""
    return np.asarray(np.lib.format.open_memmap(file, mode="r"))


def _map(file: Path, about: Mapping[str, object]) -> np.ndarray:
    if not file.is_file():
        raise DataError(f"{file} is missing; the folder is not complete, save it again")
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
    """Write what `np.save` writes, but by plain writes, whose errors name their cause (disk full)."""
    rows = np.asarray(array, order="C")
    with file.open("wb") as out:
        np.lib.format.write_array_header_1_0(out, np.lib.format.header_data_from_array_1_0(rows))
        out.write(rows.reshape(-1).view(np.uint8).data)


def _sums(arrays: Mapping[str, np.ndarray], index: Mapping[str, Any]) -> dict[str, int]:
    """The checksum of each file of a folder; of the index, that of its content without the checksums."""
    of_arrays = {f"{name}.npy": crc32(array) for name, array in arrays.items()}
    return of_arrays | {INDEX: crc32(np.frombuffer(json.dumps(index).encode(), np.uint8))}
