"""Graphs with hubs: grown by preferential attachment, or drawn for given expected degrees."""

import numpy as np
from scipy.optimize import brentq

from mhmgnn.config import check_whole
from mhmgnn.datasets.synthetic import _kernels
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

SHIFTS = -40.0, 60.0  # logarithms between which the shift of a power law is looked for


def barabasi_albert(nodes: int, edges_per_node: int, *, seed: int = 0) -> Graph:
    """A graph in which new nodes take to nodes of high degree (Barabasi and Albert, 1999).

    With m = `edges_per_node`, it starts as a clique of m + 1 nodes. Each further node is joined to m distinct
    nodes, drawn one after another by their degrees. So there are m (m + 1) / 2 + m (nodes - m - 1) edges, no
    degree is below m, all is connected, and nodes stand in the order of their age. Degrees have a tail of
    exponent 3.

    >>> barabasi_albert(100, 3)
    Graph(100 nodes, 294 edges)
    """
    check_whole("seed", seed, 0)
    check_whole("edges_per_node", edges_per_node, 1)
    if isinstance(nodes, bool) or not hasattr(nodes, "__index__") or nodes <= edges_per_node:
        raise DataError(
            f"nodes is {nodes!r}; it must be a whole number above edges_per_node, {edges_per_node}"
        )
    edges = edges_per_node * (edges_per_node + 1) // 2 + edges_per_node * (nodes - edges_per_node - 1)
    ends = np.empty((edges, 2), np.int64)
    _kernels.attach(edges_per_node, new_stream(seed), ends)
    return Graph.from_edges(ends, num_nodes=nodes)


def chung_lu(degrees: np.ndarray, *, seed: int = 0) -> Graph:
    """A graph in which node i has about `degrees[i]` neighbours (Chung and Lu, 2002).

    Each pair is an edge on its own, with chance min(1, w_i w_j / S), where w are the degrees asked for and S
    is their sum. So node i has w_i (1 - w_i / S) neighbours on average, and fewer where a chance would be
    above 1: among hubs beyond the square root of S. `power_law_degrees` gives degrees with hubs.

    >>> abs(chung_lu(np.full(1000, 5.0)).num_edges - 2500) < 250
    True
    """
    check_whole("seed", seed, 0)
    weights = _checked_degrees(degrees)
    order = np.argsort(-weights, kind="stable")
    total = weights.sum()
    most = int(total / 2 + 10 * np.sqrt(total / 2) + 100)  # more come with chance below e^-40
    ends = np.empty((most, 2), np.int64)
    held = _kernels.chance_pairs(weights[order], total, new_stream(seed), ends) if total else 0
    assert held < most, "a sum of independent pairs does not stray so far from its mean"
    if not held:
        raise DataError(f"no edge came about: the degrees sum to {total:g}; take higher ones or another seed")
    return Graph.from_edges(order[ends[:held]], num_nodes=weights.size)


def power_law_degrees(
    nodes: int, mean: float, *, exponent: float = 2.5, largest: float | None = None
) -> np.ndarray:
    """Expected degrees for `chung_lu`, (nodes,) float64, falling: few hubs and many nodes of low degree.

    .. math:: w_i = c (i + i_0)^{-1 / (exponent - 1)}

    Their number above w falls as w^(1 - exponent). c makes the mean right, i_0 the first and largest one.
    `largest` None is what i_0 = 1 gives, or the square root of the sum where that is less: no pair of nodes
    is then cut off at chance 1.

    >>> power_law_degrees(10**6, 20, largest=10**5)[[0, 1, 10, -1]].round().tolist()
    [100000.0, 50068.0, 13934.0, 7.0]
    """
    check_whole("nodes", nodes, 2)
    if not 0 < mean <= nodes / 4:
        raise DataError(f"mean is {mean}; it must be above 0 and at most a quarter of the {nodes:,} nodes")
    if not 2 < exponent < np.inf:
        raise DataError(f"exponent is {exponent}; it must be above 2, such as 2.5, for the mean to exist")

    def falling(shift: float) -> np.ndarray:
        """The degrees over the first of them, which is 1."""
        return np.asarray((1 + np.arange(nodes) / shift) ** (-1 / (exponent - 1)))

    root = np.sqrt(nodes * mean)
    if largest is None:
        plain = falling(1.0)
        if mean / plain.mean() <= root:
            return np.asarray(plain * (mean / plain.mean()))
    first = root if largest is None else float(largest)
    possible = mean / falling(np.exp(SHIFTS[0])).mean()
    if not mean < first <= min(possible, nodes - 1):
        raise DataError(
            f"largest is {first:g}; it must be above the mean, {mean:g}, and at most "
            f"{min(possible, nodes - 1):g} for {nodes:,} nodes and exponent {exponent:g}"
        )
    shift = np.exp(brentq(lambda log: falling(np.exp(log)).mean() - mean / first, *SHIFTS))
    return first * falling(shift)


def new_stream(seed: int) -> np.ndarray:
    """A random stream for kernels, (2,) uint64, from a seed alone."""
    return np.random.SeedSequence(int(seed)).generate_state(2, np.uint64)


def _checked_degrees(degrees: np.ndarray) -> np.ndarray:
    """The degrees as (n,) float64, once they are found fit."""
    try:
        weights = np.asarray(degrees, np.float64)
    except (TypeError, ValueError):
        raise DataError(f"degrees is a {type(degrees).__name__} that does not hold numbers alone") from None
    if weights.ndim != 1 or weights.size < 2:
        raise DataError(
            f"degrees has shape {weights.shape}; it must hold one number for each of 2 nodes or more"
        )
    bad = ~(weights >= 0) | (weights > weights.size - 1)
    if bad.any():
        node = int(bad.argmax())
        raise DataError(
            f"the degree of node {node} is {weights[node]:g}; among {weights.size} nodes it must be from 0 "
            f"to {weights.size - 1}"
        )
    return weights
