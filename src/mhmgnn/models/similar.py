"""Nearest neighbours of a k-set by its vector: exact up to a million, beyond by an index."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

EXACT = 1_000_000  # vectors that are all looked at
LINKS = 32  # of the index: neighbours of a vector
BUILT, LOOKED_AT = 128, 256  # candidates when a vector is added, and when one is asked for


class Similar(NamedTuple):
    """A k-set near the one asked for."""

    names: tuple[str, ...]
    nodes: tuple[int, ...]
    distance: float  # between the vectors


class SetIndex:
    """k-sets with their vectors, to be asked many times for the nearest to one.

    All are looked at where they are at most `exact`. Beyond, by a graph of near vectors (HNSW), which may
    miss some of the nearest.
    """

    def __init__(self, ksets: np.ndarray, vectors: np.ndarray, *, exact: int = EXACT) -> None:
        self.ksets, self.vectors = ksets, vectors  # (m, k) and (m, dim) float32
        self._graph: Any = None if len(vectors) <= exact else _graph_of(vectors)

    @property
    def exact(self) -> bool:
        """Whether all vectors are looked at."""
        return self._graph is None

    def nearest(self, vector: np.ndarray, top: int) -> tuple[np.ndarray, np.ndarray]:
        """Places of the `top` nearest to one vector, (dim,), nearest first, and their distances."""
        if self._graph is None:
            return smallest(apart(self.vectors, vector), top)
        found = self._graph.search(np.ascontiguousarray(vector), min(top, len(self.vectors)))
        keys = np.sort(found.keys.astype(np.int64))
        places, distances = smallest(apart(self.vectors[keys], vector), top)
        return keys[places], distances


def smallest(distances: np.ndarray, top: int) -> tuple[np.ndarray, np.ndarray]:
    """Places of the `top` smallest, smallest first, of equal ones the first first; and the distances."""
    if top < distances.size:
        bound = np.partition(distances, top - 1)[top - 1]
        some = np.flatnonzero(distances <= bound)
    else:
        some = np.arange(distances.size)
    best = some[np.argsort(distances[some], kind="stable")[:top]]
    return best, distances[best]


def nearest(
    chunks: Iterable[tuple[int, np.ndarray]], vector: np.ndarray, top: int
) -> tuple[np.ndarray, np.ndarray]:
    """Places of the `top` nearest to a vector among those of chunks, nearest first, and their distances."""
    every = [apart(vectors, vector) for _, vectors in chunks]
    return smallest(np.concatenate([np.empty(0, np.float32), *every]), top)


def without_itself(
    graph: Graph, asked: np.ndarray, ksets: np.ndarray, found: tuple[np.ndarray, np.ndarray], top: int
) -> list[Similar]:
    """The first `top` k-sets of those found, by places and distances, except the one asked for, (k,)."""
    rows = zip(ksets[found[0]].tolist(), found[1].tolist(), strict=True)
    others = [
        Similar(tuple(graph.label(node) for node in nodes), tuple(nodes), distance)
        for nodes, distance in rows
        if nodes != asked.tolist()
    ]
    return others[:top]


def apart(vectors: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The Euclidean distance of each of `vectors`, (m, dim), to `vector`, (dim,)."""
    return np.asarray(np.linalg.norm(vectors - vector, axis=1))


def _graph_of(vectors: np.ndarray) -> Any:
    if find_spec("usearch") is None:
        raise DataError(
            f"{len(vectors):,} vectors are more than the {EXACT:,} that are all looked at; "
            "an index needs usearch: pip install usearch"
        )
    from usearch.index import Index

    index = Index(
        ndim=vectors.shape[1],
        metric="l2sq",
        dtype="f32",
        connectivity=LINKS,
        expansion_add=BUILT,
        expansion_search=LOOKED_AT,
    )
    index.add(np.arange(len(vectors)), np.ascontiguousarray(vectors))
    return index
