"""What people call nodes: the names of a graph, and how they are found again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mhmgnn.errors import DataError
from mhmgnn.runtime.threads import available, side_by_side


@dataclass(frozen=True, eq=False)
class Names:
    """Distinct texts, one a node, in two arrays that can be memory-mapped.

    >>> names = Names.of(["beans", "grinder", 7])
    >>> names[2], names.find(["grinder", "tea"]).tolist()
    ('7', [1, -1])
    """

    text: np.ndarray  # (bytes,) uint8, the names in utf-8, one after the other
    offsets: np.ndarray  # (n + 1,) int64, name i is text[offsets[i] : offsets[i + 1]]

    def __post_init__(self) -> None:
        for array in (self.text, self.offsets):
            array.setflags(write=False)

    @classmethod
    def of(cls, values: Names | Iterable[object] | pa.Array, *, what: str = "nodes") -> Names:
        """Take texts, or integers as their text; a name that is empty or comes twice is an error.

        `what` says in messages what is named.
        """
        if isinstance(values, Names):
            return values
        array = values if isinstance(values, pa.Array | pa.ChunkedArray) else _texts(values)
        array = one_chunk(array.cast(pa.large_string()))
        empty = pc.or_kleene(pc.is_null(array), pc.equal(array, ""))
        if pc.any(empty).as_py():
            raise DataError(f"name {pc.index(empty, True).as_py()} of the {what} is empty; each needs a name")
        _check_distinct(array, what)
        return cls.wrap(array)

    @classmethod
    def wrap(cls, array: pa.LargeStringArray) -> Names:
        """Take an array known to hold distinct texts, without a copy."""
        _, offsets, text = array.buffers()
        first = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
        start, stop = (int(first[0]), int(first[-1])) if len(array) else (0, 0)
        body = np.frombuffer(text, np.uint8)[start:stop] if stop > start else np.zeros(0, np.uint8)
        return cls(body, first - start if start else first)

    @cached_property
    def array(self) -> pa.LargeStringArray:
        """The names as an Arrow array over the same memory."""
        return pa.LargeStringArray.from_buffers(
            len(self), pa.py_buffer(self.offsets), pa.py_buffer(self.text)
        )

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, node: int) -> str:
        if not 0 <= node < len(self):
            raise IndexError(f"there is no name {node}; names are 0..{len(self) - 1}")
        return bytes(self.text[self.offsets[node] : self.offsets[node + 1]]).decode()

    def __iter__(self) -> Iterator[str]:
        return (self[node] for node in range(len(self)))

    def __repr__(self) -> str:
        return f"Names({len(self)})"

    def find(self, texts: Sequence[str] | pa.Array) -> np.ndarray:
        """The index of each text, (m,) int64; -1 where no node has that name.

        The smaller side is hashed and the larger one streams past it, so that a few names are found
        among millions without a table of the millions.
        """
        asked = texts if isinstance(texts, pa.Array | pa.ChunkedArray) else text_array(texts, "a name")
        asked = one_chunk(asked.cast(pa.large_string()))
        if len(asked) >= len(self):
            return _with_holes(pc.index_in(asked, value_set=self.array)).astype(np.int64)
        coded = asked.dictionary_encode()
        of_node = _with_holes(pc.index_in(self.array, value_set=coded.dictionary))
        known = np.flatnonzero(of_node >= 0)
        node_of = np.full(len(coded.dictionary), -1, np.int64)
        node_of[of_node[known]] = known
        asked_nodes: np.ndarray = node_of[np.from_dlpack(coded.indices)]
        return asked_nodes


def by_appearance(first: pa.Array, second: pa.Array) -> tuple[np.ndarray, np.ndarray, Names]:
    """Number the texts of two columns in the order of reading, row by row: both as indices, and the names."""
    coded = list(side_by_side(_coded, (first, second), available()))
    both = pa.concat_arrays([column.dictionary for column in coded]).dictionary_encode()
    in_both = np.split(np.from_dlpack(both.indices), [len(coded[0].dictionary)])
    codes = np.stack(
        [code[np.from_dlpack(column.indices)] for code, column in zip(in_both, coded, strict=True)]
    )
    appears = np.empty(len(both.dictionary), np.int64)
    places = np.arange(codes.size)
    appears[codes.T.ravel()[::-1]] = places[::-1]  # the last write stays, hence the first place
    order = np.argsort(appears)
    index = np.empty_like(order)
    index[order] = np.arange(order.size)
    names = both.dictionary.cast(pa.large_string()).take(pa.array(order))
    return index[codes[0]], index[codes[1]], Names.wrap(names)


def one_chunk(array: Any) -> Any:
    """The same values as a single Arrow array."""
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def text_array(texts: Sequence[str], what: str) -> pa.LargeStringArray:
    """Texts as an Arrow array; `what` says in messages what a text is.

    `pa.array` does the same and imports pandas, if it is there, for which a short command would wait.
    """
    try:
        cells = [text.encode() for text in texts]
    except UnicodeEncodeError as error:
        raise DataError(f"{what} is {error.object!r}; it must be a text that utf-8 can write") from None
    offsets = np.zeros(len(cells) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, cells), np.int64, len(cells)), out=offsets[1:])
    return pa.LargeStringArray.from_buffers(len(cells), pa.py_buffer(offsets), pa.py_buffer(b"".join(cells)))


def id_texts(values: list[Any], what: str) -> pa.LargeStringArray:
    """Ids as texts, which they are or integers; the same id written both ways is an error.

    `what` says in messages what an id is.
    """
    for kind in set(map(type, values)):
        if not issubclass(kind, str | int | np.integer) or kind is bool:
            bad = next(value for value in values if type(value) is kind)
            raise DataError(f"{what} is {bad!r}; it must be a text or an integer")
    texts = list(map(str, values))
    if len(set(map(type, values))) > 1 and len(set(values)) != len(set(texts)):
        by_text = {value for value in values if isinstance(value, str)}
        twice = next(value for value in values if not isinstance(value, str) and str(value) in by_text)
        raise DataError(f"{what} is {twice} in one place and {str(twice)!r} in another; write both alike")
    array = text_array(texts, what)
    if pc.any(pc.equal(array, "")).as_py():
        raise DataError(f"{what} is an empty text; each needs a name")
    return array


def _texts(values: Iterable[object]) -> pa.Array:
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    for i, value in enumerate(listed):
        if not isinstance(value, str | int | np.integer) or isinstance(value, bool):
            raise DataError(f"name {i} is {value!r}; a name is a text or an integer")
    return text_array(list(map(str, listed)), "a name")


def _check_distinct(array: pa.LargeStringArray, what: str) -> None:
    coded = array.dictionary_encode()
    if len(coded.dictionary) == len(array):
        return
    times = np.bincount(np.from_dlpack(coded.indices))
    first = int(np.argmax(times > 1))
    name = coded.dictionary[first].as_py()
    raise DataError(f"the name {name!r} is given to {times[first]} {what}; names must differ")


def _coded(column: Any) -> pa.DictionaryArray:
    return one_chunk(column.dictionary_encode())


def _with_holes(positions: pa.Array) -> np.ndarray:
    """Positions as int32, -1 for a null; not by `to_numpy` or `fill_null`, which import pandas."""
    values = pa.Array.from_buffers(
        positions.type, len(positions), [None, positions.buffers()[1]], offset=positions.offset
    )
    missing = np.from_dlpack(positions.is_null().cast(pa.int8()))
    return np.where(missing, np.int32(-1), np.from_dlpack(values))
