"""Arrays in an .npz file: each is checked before memory is taken for it, and none may hold objects.

Headers are not trusted: a few bytes can ask for any shape, and indices can point anywhere.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.io.arrays import NOT_AN_ARRAY
from mhmgnn.io.text import most_bytes

BROKEN_ZIP = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, OSError, EOFError),
    *(RuntimeError, ValueError, OverflowError, LookupError),  # zipfile's, on damage with right sums
)
PLACES = {  # the arrays of indices that each format has
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}


def read_npz(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an .npz file by name, of numbers or texts; what is no such file is an error."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
            size = sum(member.file_size for member in members)
            if size > most_bytes(path):
                raise DataError(f"{path} unpacks to {size:,} bytes, more than {most_bytes(path):,}")
            arrays = {}
            for member in members:
                with archive.open(member) as file:
                    arrays[member.filename.removesuffix(".npy")] = _read_array(file)
            return arrays
    except DataError:
        raise
    except (*BROKEN_ZIP, *NOT_AN_ARRAY) as error:
        raise DataError(f"{path} is no .npz file of arrays: {error}") from error


def read_sparse(arrays: Mapping[str, np.ndarray], kind: str, path: Path) -> Any:
    """The SciPy array of format `kind` that these arrays make up, every index inside its shape."""
    if kind not in PLACES:
        raise DataError(f"{path} has the format {kind!r}; it must be one of {', '.join(PLACES)}")
    missing = [name for name in ("data", "shape", *PLACES[kind]) if name not in arrays]
    if missing:
        raise DataError(f"{path} has no array {missing[0]!r}")
    for name in ("shape", *PLACES[kind]):
        if arrays[name].dtype.kind not in "iu" or arrays[name].ndim != 1:
            raise DataError(f"{path}: {name} is {_shown(arrays[name])}; it must be a row of whole numbers")
    data, shape = arrays["data"], tuple(arrays["shape"].tolist())
    if data.dtype.kind not in "biuf":
        raise DataError(f"{path}: data is {_shown(data)}; it must be numbers")
    most = most_bytes(path) // 8  # rows and columns, which take a number each
    if len(shape) != 2 or not all(0 <= size <= most for size in shape):
        raise DataError(f"{path}: the shape is {shape}; allowed are rows and columns up to {most:,}")
    places = [arrays[name].astype(np.int64) for name in PLACES[kind]]
    try:
        if kind == "coo":
            return sparse.coo_array((data, tuple(places)), shape=shape)
        if kind == "dia":
            return sparse.dia_array((data, places[0]), shape=shape)
        if places[1].size == 0 or (np.diff(places[1], prepend=0) < 0).any():  # which SciPy may pass over
            raise ValueError("indptr must rise from 0")
        made = getattr(sparse, f"{kind}_array")((data, *places), shape=shape)
        made.check_format(full_check=True)
    except (ValueError, TypeError, IndexError) as error:
        raise DataError(f"{path} is no whole matrix: {error}") from error
    return made


def _read_array(file: IO[bytes]) -> np.ndarray:
    """The array of an .npy file, its content as long as its header says before it is taken."""
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, by_column, dtype = np.lib.format.read_array_header_1_0(file)
    else:
        shape, by_column, dtype = np.lib.format.read_array_header_2_0(file)
    if dtype.hasobject:
        raise ValueError("it holds objects, which would be code to run")
    content = file.read()
    if len(content) != prod(shape) * dtype.itemsize:
        raise ValueError(f"{len(content)} bytes for {dtype} of shape {shape}")
    return np.frombuffer(bytearray(content), dtype).reshape(shape, order="F" if by_column else "C")


def _shown(array: np.ndarray) -> str:
    return f"{array.dtype} of shape {array.shape}"
