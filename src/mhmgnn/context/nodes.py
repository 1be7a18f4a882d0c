"""Structural features of each node of a graph."""

from __future__ import annotations

import numpy as np

from mhmgnn.context import _kernels
from mhmgnn.context.stretches import cut_by_work
from mhmgnn.graph import Graph
from mhmgnn.runtime import threads as cores
from mhmgnn.subgraphs import _cliques

SMALL = 1e-3  # added to a probability before its log
PARTS = 8  # partial sums over cycles; their number is fixed, so that threads do not change the result


def node_columns(graph: Graph, overlap: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of all nodes by name, each (n,) float64; `overlap` is the result of `pair_overlap`."""
    n = graph.num_nodes
    owner = np.repeat(np.arange(n), graph.degrees)
    degree = graph.degrees.astype(np.float64)
    some = np.maximum(degree, 1)  # a divisor that leaves 0 for nodes without neighbours

    def over_row(values: np.ndarray) -> np.ndarray:
        return np.bincount(owner, values, n)

    log_degree = np.log1p(degree)
    near = log_degree[graph.indices]
    mean = over_row(near) / some
    spread = np.sqrt(np.maximum(over_row(near**2) / some - mean**2, 0))
    triangles = over_row(overlap[:, 0]) / 2
    two, three, four = chances_back(graph, overlap[:, 2])
    columns = {
        "log degree": log_degree,
        "mean log degree of neighbours": mean,
        "spread of log degree of neighbours": spread,
        "clustering": triangles / np.maximum(degree * (degree - 1) / 2, 1),
        "log triangles": np.log1p(triangles),
        "log core number": np.log1p(core_numbers(graph)),
        "log chance back in 2": np.log(two + SMALL),
        "log chance back in 3": np.log(three + SMALL),
        "log chance back in 4": np.log(four + SMALL),
    }
    if graph.weights is None:
        return columns
    strength, squares = over_row(graph.weights), over_row(graph.weights.astype(np.float64) ** 2)
    log_strength = _log(strength)
    return columns | {
        "log strength": log_strength,
        "log mean count": log_strength - np.log(some),
        "log most count": _log(most_counts(graph)),
        "log strength over root of squared counts": log_strength - _log(squares) / 2,
    }


def most_counts(graph: Graph) -> np.ndarray:
    """The largest count of each node's pairs, (n,) float64; 0 for isolated nodes."""
    most = np.zeros(graph.num_nodes)
    filled = np.flatnonzero(graph.degrees)
    if filled.size and graph.weights is not None:
        most[filled] = np.maximum.reduceat(graph.weights, graph.indptr[filled])
    return most


def core_numbers(graph: Graph) -> np.ndarray:
    """The core number of each node, the largest c of a c-core that holds it, (n,) int64.

    It is the running maximum, along the degeneracy order, of the degree that nodes have when they are
    removed.
    """
    rank = _cliques.degeneracy_rank(*graph.rows)
    left = np.diff(_cliques.later_rows(*graph.rows, rank)[0])
    by_rank = np.empty_like(left)
    by_rank[rank] = left
    core: np.ndarray = np.maximum.accumulate(by_rank)[rank]
    return core


def chances_back(graph: Graph, resource: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return probabilities of a random walk from each node after 2, 3 and 4 steps, (n,) each.

    The probability of a closed walk is the product of 1 / degree over the nodes that it leaves. `resource` is
    the sum of 1 / degree over the common neighbours of each pair. A closed walk of four steps goes to a
    neighbour and back twice, two steps out and the same way back, or around a 4-cycle in either direction.
    """
    n = graph.num_nodes
    share = 1 / np.maximum(graph.degrees, 1)
    owner, far = np.repeat(np.arange(n), graph.degrees), share[graph.indices]
    two = share * np.bincount(owner, far, n)
    three = share * np.bincount(owner, resource * far, n)
    same_way = share * np.bincount(owner, far * two[graph.indices], n)
    twice_same = share**2 * np.bincount(owner, far**2, n)
    return two, three, two**2 + same_way - twice_same + 2 * _cycles(graph)


def _cycles(graph: Graph) -> np.ndarray:
    """For each node, the sum over its 4-cycles of the product of 1 / degree, (n,)."""
    n, degrees = graph.num_nodes, graph.degrees
    rank = np.empty(n, np.int64)
    rank[np.argsort(degrees, kind="stable")] = np.arange(n)
    owner = np.repeat(np.arange(n), degrees)
    walked = np.where(rank[graph.indices] < rank[owner], degrees[graph.indices], 0)
    stretches = cut_by_work(np.bincount(owner, walked, n) + 1, PARTS)
    total = np.zeros(n)
    for part in cores.side_by_side(
        lambda stretch: _kernels.four_cycles(*graph.rows, rank, *stretch), stretches, cores.available()
    ):
        total += part
    return total


def _log(values: np.ndarray) -> np.ndarray:
    """The log of each value, 0 where the value is 0."""
    logs: np.ndarray = np.log(np.where(values > 0, values, 1))
    return logs
