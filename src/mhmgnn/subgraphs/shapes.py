"""Edge codes -> isomorphism classes of connected motifs: which shape a k-set has.

The edges of a motif are one number, its code: pair (i, j) of slots, i < j, is bit j (j - 1) / 2 + i.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import DataError

LARGEST_K = 6  # 112 classes; a table of 2^15 codes
_NAMES = {  # by k and sorted degrees, where these decide the shape and people have a word for it
    (2, (1, 1)): "edge",
    (3, (1, 1, 2)): "path",
    (3, (2, 2, 2)): "triangle",
    (4, (1, 1, 2, 2)): "path",
    (4, (1, 1, 1, 3)): "star",
    (4, (2, 2, 2, 2)): "cycle",
    (4, (1, 2, 2, 3)): "tailed triangle",
    (4, (2, 2, 3, 3)): "diamond",
    (4, (3, 3, 3, 3)): "clique",
    (5, (1, 1, 2, 2, 2)): "path",
    (5, (1, 1, 1, 1, 4)): "star",
    (5, (2, 2, 2, 2, 2)): "cycle",
    (5, (4, 4, 4, 4, 4)): "clique",
    (6, (1, 1, 2, 2, 2, 2)): "path",
    (6, (1, 1, 1, 1, 1, 5)): "star",
    (6, (2, 2, 2, 2, 2, 2)): "cycle",
    (6, (5, 5, 5, 5, 5, 5)): "clique",
}


class Shape(NamedTuple):
    """One isomorphism class of connected graphs with k nodes."""

    name: str  # a word where there is one, else the degrees: "3-2-2-2-1"
    edges: tuple[tuple[int, int], ...]  # of its representative, nodes 0..k-1
    code: int  # of its representative, the lowest in the class

    def __str__(self) -> str:
        return " ".join(f"{i}{j}" for i, j in self.edges)


class Shapes(NamedTuple):
    """All connected shapes with k nodes, fewest edges first, and the class of every code."""

    shapes: tuple[Shape, ...]
    shape_of: np.ndarray  # (2^(k(k-1)/2),) int16 number of the shape; -1 where the code is not connected


@cache
def motif_shapes(k: int) -> Shapes:
    """The isomorphism classes of connected motifs of k nodes.

    Two codes are in one class if exchanging neighbouring slots leads from one to the other: each takes the
    lowest code that it can reach, until nothing changes.

    >>> [shape.name for shape in motif_shapes(4).shapes]
    ['star', 'path', 'tailed triangle', 'cycle', 'diamond', 'clique']
    """
    if not 2 <= k <= LARGEST_K:
        raise DataError(
            f"shapes are known for k = 2 to {LARGEST_K}, not {k}; leave the shapes out to count all at once"
        )
    pairs = [(i, j) for j in range(k) for i in range(j)]
    codes = np.arange(1 << len(pairs))
    swapped = [_swap_slots(codes, pairs, slot) for slot in range(k - 1)]
    lowest, before = codes.copy(), None
    while before is None or (lowest != before).any():
        before = lowest.copy()
        for image in swapped:
            np.minimum(lowest, lowest[image], out=lowest)
    found = [_shape(int(code), pairs, k) for code in np.unique(lowest) if _is_connected(int(code), pairs, k)]
    found.sort(key=lambda shape: (len(shape.edges), shape.code))
    number = np.full(codes.size, -1, np.int16)
    for i, shape in enumerate(found):
        number[lowest == shape.code] = i
    number.setflags(write=False)
    return Shapes(tuple(found), number)


def _swap_slots(codes: np.ndarray, pairs: list[tuple[int, int]], slot: int) -> np.ndarray:
    """The codes of the same motifs with `slot` and `slot + 1` exchanged."""
    other = {slot: slot + 1, slot + 1: slot}
    image = np.zeros_like(codes)
    for bit, (i, j) in enumerate(pairs):
        ends = sorted((other.get(i, i), other.get(j, j)))
        image |= ((codes >> bit) & 1) << pairs.index((ends[0], ends[1]))
    return image


def _is_connected(code: int, pairs: list[tuple[int, int]], k: int) -> bool:
    reached = {0}
    for _ in range(k):
        reached |= {
            end for bit, pair in enumerate(pairs) if code >> bit & 1 and reached & {*pair} for end in pair
        }
    return len(reached) == k


def _shape(code: int, pairs: list[tuple[int, int]], k: int) -> Shape:
    edges = tuple(sorted(pair for bit, pair in enumerate(pairs) if code >> bit & 1))
    degrees = sorted(sum(node in pair for pair in edges) for node in range(k))
    name = _NAMES.get((k, tuple(degrees)), "-".join(map(str, reversed(degrees))))
    return Shape(name, edges, code)
