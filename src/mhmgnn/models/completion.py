"""Some nodes -> who completes them to a k-set that belongs together."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.subgraphs.exact import is_connected


class Candidate(NamedTuple):
    """A node that completes a set, and the energy of the completed set."""

    name: str
    node: int
    energy: float


def complete(
    graph: Graph,
    nodes: Sequence[Any],
    k: int,
    energies: Callable[[np.ndarray], np.ndarray],
    *,
    top: int,
) -> list[Candidate]:
    """The nodes that complete k - 1 `nodes` to a connected k-set, lowest energy first; exact."""
    check_whole("top", top, 1)
    if len(nodes) != k - 1:
        raise DataError(f"{len(nodes)} nodes are given; a model of k = {k} completes {k - 1}")
    start = graph.ksets([list(nodes)], k=k - 1)[0]
    near = completions(graph, start)
    found = energies(with_each(start, near))
    best = np.lexsort((near, found))[:top]
    return [Candidate(graph.label(int(near[i])), int(near[i]), float(found[i])) for i in best]


def completions(graph: Graph, nodes: np.ndarray) -> np.ndarray:
    """The nodes that complete `nodes`, (k-1,), to a connected k-set, (m,) int64."""
    rows = [graph.indices[graph.indptr[node] : graph.indptr[node + 1]] for node in nodes]
    near = np.setdiff1d(np.concatenate(rows), nodes).astype(np.int64)
    return np.asarray(near[is_connected(graph, with_each(nodes, near))])


def with_each(nodes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The k-sets of `nodes`, (k-1,), with each of `others`, (m, k), rows sorted."""
    return np.sort(np.column_stack([np.tile(nodes, (others.size, 1)), others]), axis=1)
