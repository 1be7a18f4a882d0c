"""The arrays of a saved graph, checked before kernels follow them: compiled code looks at no bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from mhmgnn.errors import DataError
from mhmgnn.graph.names import Names
from mhmgnn.runtime.hashing import GOLDEN, mix_words

KINDS = {  # the types and the dimensions that each array may have
    "indptr": ((np.int64,), 1),
    "indices": ((np.int32,), 1),
    "x": ((np.float32,), 2),
    "x_data": ((np.float32,), 1),
    "x_indices": ((np.int32, np.int64), 1),
    "x_indptr": ((np.int32, np.int64), 1),
    "edge_attr": ((np.float32,), 2),
    "weights": ((np.float32,), 1),
    "names_text": ((np.uint8,), 1),
    "names_offsets": ((np.int64,), 1),
}
PIECE = 1 << 20  # entries looked at together


def check_stored(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays that are not those of one graph: rows sorted, in range and the same both ways."""
    for name, array in arrays.items():
        types, dimensions = KINDS.get(name, ((), 0))
        if array.dtype not in types or array.ndim != dimensions:
            raise DataError(f"{name}.npy holds {array.dtype} of shape {array.shape}")
    indptr, indices = arrays["indptr"], arrays["indices"]
    n = indptr.size - 1
    if n < 0 or indptr[0] != 0 or indptr[-1] != indices.size or (np.diff(indptr) < 0).any():
        raise DataError("indptr.npy is damaged: it does not fit indices.npy")
    entries = {"edge_attr": indices.size, "weights": indices.size}
    for name, size in (entries | {"x": n, "x_indptr": n + 1, "names_offsets": n + 1}).items():
        if name in arrays and arrays[name].shape[0] != size:
            raise DataError(f"{name}.npy has {arrays[name].shape[0]} rows where {size} belong to the graph")
    _check_rows(indptr, indices, arrays.get("weights"))
    if "x_indptr" in arrays and (np.diff(arrays["x_indptr"], prepend=0) < 0).any():
        raise DataError("x_indptr.npy does not rise from 0")
    if "names_text" in arrays:
        _check_names(arrays["names_text"], arrays["names_offsets"])


def _check_names(text: np.ndarray, offsets: np.ndarray) -> None:
    if offsets[0] != 0 or offsets[-1] != text.size:
        raise DataError("names_offsets.npy does not fit names_text.npy")
    try:
        Names(text, offsets).array.validate(full=True)
    except pa.ArrowException as error:
        raise DataError(f"names_text.npy is damaged: {error}") from error


def _check_rows(indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray | None) -> None:
    """Codes row * n + column must rise; hashes of those above the diagonal, transposed, sum to those below.

    The same holds for the hashes times the bits of the counts.
    """
    n, last, balance, counted = indptr.size - 1, -1, 0, 0
    for low, high in _pieces(indptr):
        near = indices[indptr[low] : indptr[high]].astype(np.int64)
        if near.size and not 0 <= near.min() <= near.max() < n:
            raise DataError(f"indices.npy names a node outside 0..{n - 1}")
        own = np.repeat(np.arange(low, high), np.diff(indptr[low : high + 1]))
        keys = own * n + near
        if (np.diff(keys, prepend=last) <= 0).any() or (own == near).any():
            raise DataError("indices.npy has a row that is not sorted, or an edge from a node to itself")
        last = keys[-1] if keys.size else last
        up = own < near
        above, below = _mixed(keys[up]), _mixed((near * n + own)[~up])
        balance += int(above.sum()) - int(below.sum())
        if weights is not None:
            counts = np.ascontiguousarray(weights[indptr[low] : indptr[high]])
            if not ((counts > 0) & (counts < np.inf)).all():
                raise DataError("weights.npy holds a count that is not above 0 or not finite")
            bits = counts.view(np.uint32).astype(np.uint64)
            counted += int((above * bits[up]).sum()) - int((below * bits[~up]).sum())
    if balance % 2**64:
        raise DataError("indices.npy has an edge in one direction alone")
    if counted % 2**64:
        raise DataError("weights.npy has another count for the two directions of an edge")


def _pieces(indptr: np.ndarray) -> Iterator[tuple[int, int]]:
    """Stretches of rows with about `PIECE` entries, or a single row with more."""
    low, n = 0, indptr.size - 1
    while low < n:
        high = int(np.searchsorted(indptr, indptr[low] + PIECE, side="right")) - 1
        high = min(max(high, low + 1), n)
        yield low, high
        low = high


def _mixed(keys: np.ndarray) -> np.ndarray:
    """Numbers that look random, the same for the same keys, so that their sum tells sets apart."""
    return mix_words(keys.astype(np.uint64) + GOLDEN)
