"""Exact nearest neighbours of a k-set by its vector."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.graph import Graph


class Similar(NamedTuple):
    """A k-set near the one asked for."""

    names: tuple[str, ...]
    nodes: tuple[int, ...]
    distance: float  # between the vectors, from 0 to twice their length


def nearest(
    graph: Graph, asked: np.ndarray, others: np.ndarray, distances: np.ndarray, top: int
) -> list[Similar]:
    """The `top` of `others`, (m, k), with the smallest `distances`, (m,), ascending; `asked` is left out.

    Ties keep the order of `others`.
    """
    kept = np.flatnonzero((others != asked).any(axis=1))
    best = kept[np.argsort(distances[kept], kind="stable")[:top]]
    return [
        Similar(tuple(graph.label(node) for node in nodes), tuple(nodes), float(distances[place]))
        for place, nodes in zip(best.tolist(), others[best].tolist(), strict=True)
    ]


def apart(vectors: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The Euclidean distance of each of `vectors`, (m, dim), to `vector`, (dim,)."""
    return np.asarray(np.linalg.norm(vectors - vector, axis=1))
