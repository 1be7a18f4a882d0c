"""Neighbours of nodes, sampled or all, one and two edges away: what the two layers of GraphSAGE read."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from mhmgnn.baselines.products import TwoWay, two_way
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features


class Hood(NamedTuple):
    """Neighbours of m nodes, as rows among the nodes of the layer below."""

    own: Tensor  # (m,) int64, where each node itself is
    indptr: Tensor  # (m + 1,) int64
    indices: Tensor  # (indptr[-1],) int64: the neighbours of node i are indices[indptr[i] : indptr[i + 1]]


class Surroundings(NamedTuple):
    """All that the vectors of m nodes are made from."""

    x: Tensor | TwoWay  # (n'', p) float32, features of the nodes at most two edges away
    inner: Hood  # of the n' nodes at most one edge away, among the n''
    outer: Hood  # of the m nodes, among the n'


Keys = Callable[[np.ndarray], np.ndarray]  # degrees, (m,) -> a number from 0 to below 1 for each neighbour


def surround(
    graph: Graph, features: Features, nodes: np.ndarray, sizes: tuple[int, int], *, keys: Keys
) -> Surroundings:
    """The neighbourhoods of the nodes: at most `sizes` neighbours, near and far, those of the smallest keys.

    A node with fewer neighbours has them all, once: a draw with replacement would read them many times over.
    """
    one_away, outer = _hood(graph, nodes, sizes[0], keys)
    two_away, inner = _hood(graph, one_away, sizes[1], keys)
    return Surroundings(two_way(features[two_away]), inner, outer)


def _hood(graph: Graph, nodes: np.ndarray, size: int, keys: Keys) -> tuple[np.ndarray, Hood]:
    """The nodes and their neighbours, ascending, and which of these are whose neighbours."""
    degrees = graph.degrees[nodes]
    row = np.repeat(np.arange(nodes.size), degrees)
    place = np.arange(row.size) - np.repeat(np.cumsum(degrees) - degrees, degrees)
    order = np.argsort(row + keys(degrees), kind="stable")[place < size]  # rows stay together
    neighbours = graph.indices[np.repeat(graph.indptr[nodes], degrees)[order] + place[order]]
    below, at = np.unique(np.concatenate([nodes, neighbours]), return_inverse=True)
    return below, Hood(
        own=torch.from_numpy(at[: nodes.size]),
        indptr=torch.from_numpy(np.concatenate([[0], np.cumsum(np.minimum(degrees, size))])),
        indices=torch.from_numpy(at[nodes.size :]),
    )


def in_turn(degrees: np.ndarray) -> np.ndarray:
    """Keys that leave neighbours in their order."""
    return np.zeros(degrees.sum())


def by_degree(seed: int) -> Keys:
    """Keys that are the same for all nodes of a degree: other nodes of the graph do not matter."""

    def keys(degrees: np.ndarray) -> np.ndarray:
        drawn = {d: np.random.default_rng([seed, d]).random(d) for d in np.unique(degrees).tolist()}
        return np.concatenate([np.empty(0), *(drawn[d] for d in degrees.tolist())])

    return keys
