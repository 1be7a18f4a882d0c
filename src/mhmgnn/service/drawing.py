"""A node with its neighbours -> coordinates in the plane for the explorer page to draw."""

from __future__ import annotations

import math

import numpy as np

from mhmgnn.graph import Graph

SHOWN = 24  # most neighbours that are drawn
SWEEPS = 30  # iterations of the layout, which moves adjacent neighbours together


def nearest(graph: Graph, node: int, shown: int = SHOWN) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours that a node was seen with most, best first, and how often, (m,) each."""
    row = slice(int(graph.indptr[node]), int(graph.indptr[node + 1]))
    near = np.asarray(graph.indices[row])
    counts = np.ones(near.size) if graph.weights is None else np.asarray(graph.weights[row], np.float64)
    best = np.lexsort((near, -counts))[:shown]
    return near[best].astype(np.int64), counts[best]


def pairs_among(graph: Graph, nodes: np.ndarray) -> list[tuple[int, int]]:
    """The edges among `nodes`, as pairs of positions in `nodes`, the lower one first."""
    wanted = nodes.astype(graph.indices.dtype)  # a row of another type would be copied as a whole
    found: list[tuple[int, int]] = []
    for i, node in enumerate(nodes.tolist()):
        row, later = graph.indices[graph.indptr[node] : graph.indptr[node + 1]], wanted[i + 1 :]
        at = np.minimum(np.searchsorted(row, later), row.size - 1)
        found += [(i, i + 1 + j) for j in np.flatnonzero(row[at] == later).tolist()]
    return found


def places(count: int, pairs: list[tuple[int, int]]) -> list[tuple[float, float]]:
    """Coordinates of `count` nodes: the first in the centre, the others on a ring around it.

    Adjacent nodes are moved together on the ring: each moves to the mean angle of its neighbours.
    """
    around = count - 1
    if around < 1:
        return [(0.0, 0.0)] * count
    angle = 2 * np.pi * np.arange(around) / around
    ring = np.array([(a - 1, b - 1) for a, b in pairs if a > 0], np.int64).reshape(-1, 2)
    for _ in range(SWEEPS):
        sums = np.exp(1j * angle)
        np.add.at(sums, ring[:, 0], np.exp(1j * angle[ring[:, 1]]))
        np.add.at(sums, ring[:, 1], np.exp(1j * angle[ring[:, 0]]))
        order = np.argsort(np.angle(sums), kind="stable")
        angle[order] = 2 * np.pi * np.arange(around) / around
    return [(0.0, 0.0), *((math.cos(a), math.sin(a)) for a in angle.tolist())]
