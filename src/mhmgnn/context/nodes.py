"""What is known of each node of a graph."""

from __future__ import annotations

import numpy as np

from mhmgnn.context import _kernels
from mhmgnn.context.stretches import cut_by_work
from mhmgnn.graph import Graph
from mhmgnn.runtime import threads as cores
from mhmgnn.subgraphs import _cliques

SMALL = 1e-3  # chance that is added before a log
PARTS = 8  # stretches of cycles that are added up apart, so that threads do not change the sum


def node_columns(graph: Graph, overlap: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of all nodes by name, each (n,) float64; `overlap` as of `pair_overlap`."""
    n = graph.num_nodes
    owner = np.repeat(np.arange(n), graph.degrees)
    degree = graph.degrees.astype(np.float64)
    some = np.maximum(degree, 1)  # nodes without neighbours have 0 in most columns

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
    """The largest count of each node's pairs, (n,) float64; 0 where it has none."""
    most = np.zeros(graph.num_nodes)
    filled = np.flatnonzero(graph.degrees)
    if filled.size and graph.weights is not None:
        most[filled] = np.maximum.reduceat(graph.weights, graph.indptr[filled])
    return most


def core_numbers(graph: Graph) -> np.ndarray:
    """The largest c such that the node lies in a subgraph of least degree c, (n,) int64.

    It is the most neighbours that a node had left when it left, over it and those before it in the
    degeneracy order.
    """
    rank = _cliques.degeneracy_rank(*graph.rows)
    left = np.diff(_cliques.later_rows(*graph.rows, rank)[0])
    by_rank = np.empty_like(left)
    by_rank[rank] = left
    core: np.ndarray = np.maximum.accumulate(by_rank)[rank]
    return core


def chances_back(graph: Graph, resource: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The chances that a random walk from each node is back after 2, 3 and 4 steps, (n,) each.

    A closed walk has as its chance the product of 1 / degree over the nodes that it leaves. `resource` is the
    sum of 1 / degree over the common neighbours of each pair. Closed walks of four steps are there and back
    twice, out two and back the same way, or a cycle of four in either direction.
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
    """The sum over the cycles of four through each node of the product of 1 / degree, (n,)."""
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
    """Logs, 0 where there is nothing to take it of."""
    logs: np.ndarray = np.log(np.where(values > 0, values, 1))
    return logs
