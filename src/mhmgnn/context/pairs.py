"""Structural features of each pair of adjacent nodes of a graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.context import _kernels
from mhmgnn.context.nodes import most_counts
from mhmgnn.context.stretches import cut_by_work, run
from mhmgnn.graph import Graph

OVERLAP = ("common", "adamic-adar", "resource", "sum of least counts", "most of least counts")
LOG_OVERLAP = "log jaccard"  # the column of pairs that is the log of J
PARTS = 64  # ranges of nodes, enough that threads finish at about the same time
NO_COUNTS = np.empty(0, np.float32)
NO_COUNTS.setflags(write=False)  # as counts are: kernels are compiled for one kind


def pair_overlap(graph: Graph) -> np.ndarray:
    """The overlap of the two nodes of each entry of `graph.indices`, (2e, 5) float32; see `OVERLAP`.

    Over common neighbours z of u and v: their number, the sum of 1 / log d_z, the sum of 1 / d_z, and the sum
    and the maximum of min(w_uz, w_vz), which are 0 without counts.
    """
    n, degrees = graph.num_nodes, graph.degrees
    out = np.empty((graph.indices.size, len(OVERLAP)), np.float32)
    weights = NO_COUNTS if graph.weights is None else graph.weights
    owner = np.repeat(np.arange(n), degrees)
    shorter = np.minimum(degrees[owner], degrees[graph.indices])
    work = np.bincount(owner, np.where(owner < graph.indices, shorter, 0), n)
    run(
        lambda low, high: _kernels.pair_overlap(*graph.rows, weights, low, high, out),
        cut_by_work(work, PARTS),
    )
    return out


def overlaps(graph: Graph) -> np.ndarray:
    """The overlap J of the two nodes of each entry of `graph.indices`, (2e,); see `smoothed`."""
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    common = pair_overlap(graph)[:, OVERLAP.index("common")].astype(np.float64)
    return smoothed(common, graph.degrees[owner] + graph.degrees[graph.indices] - common - 2)


def smoothed(common: np.ndarray, either: np.ndarray) -> np.ndarray:
    """J: the share of the nodes adjacent to either that are adjacent to both; few nodes say little."""
    found: np.ndarray = (common + 0.5) / (either + 1)
    return found


class Ends(NamedTuple):
    """The numbers of nodes that the columns of pairs are computed from."""

    owner: np.ndarray  # (2e,) int32: the node in whose row an entry is
    degrees: np.ndarray  # (n,) int64
    strength: np.ndarray  # (n,) float64
    most: np.ndarray  # (n,) float64: the largest count

    @classmethod
    def of(cls, graph: Graph) -> Ends:
        owner = np.repeat(np.arange(graph.num_nodes, dtype=np.int32), graph.degrees)
        return cls(owner, graph.degrees, graph.strengths, most_counts(graph))


def pair_columns(graph: Graph, ends: Ends, overlap: np.ndarray, part: slice) -> dict[str, np.ndarray]:
    """The columns of the entries `part` of `graph.indices` by name, each a float64 array of that length."""
    u, v = ends.owner[part], graph.indices[part]
    common, adamic, resource, sum_least, most_least = overlap[part].T.astype(np.float64)
    du, dv = ends.degrees[u], ends.degrees[v]
    either = du + dv - common - 2  # nodes adjacent to u or v, except for u and v
    fewer = np.minimum(du, dv) - 1
    columns = {
        "log common": np.log1p(common),
        "jaccard": common / np.maximum(either, 1),
        LOG_OVERLAP: np.log(smoothed(common, either)),
        "common over fewer": common / np.maximum(fewer, 1),
        "log adamic-adar": np.log1p(adamic),
        "log resource": np.log(resource + 0.01),
        "log common over fewer": np.log1p(common) - np.log1p(fewer),
    }
    if graph.weights is None:
        return columns
    count = graph.weights[part].astype(np.float64)
    su, sv = ends.strength[u], ends.strength[v]
    return columns | {
        "log count": np.log(count),
        "log lift": np.log(count * ends.strength.sum() / (su * sv)),
        "log share of smaller strength": np.log(count / np.minimum(su, sv)),
        "log share of larger strength": np.log(count / np.maximum(su, sv)),
        "log count over most around": np.log((count + 0.5) / (most_least + 0.5)),
        "log count over sum around": np.log((count + 0.5) / (sum_least + 0.5)),
        "log count over most of the nodes": np.log(count / np.sqrt(ends.most[u] * ends.most[v])),
    }
