"""Noise by shuffled features: the same edges, with features permuted among the nodes."""

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.graph import Graph
from mhmgnn.subgraphs.subgraph import Subgraph
from mhmgnn.training.noise import _kernels
from mhmgnn.training.noise.noise import Noise, TrainingGraph


class ShuffledFeatures(Noise):
    """The training graph with features shuffled among its nodes, as in the paper."""

    name = "features"
    about = "features shuffled among the nodes"
    keeps_edges = True

    def refuses(self, graph: Graph) -> str | None:
        return "needs node features, and the graph has none" if graph.x is None else None

    def contrast(self, data: TrainingGraph, number: int, copy: int, key: np.uint64) -> TrainingGraph:
        nodes, *rows = data.subgraph
        (orders,) = shuffled(np.array([nodes.size]), np.array([number]), key=key, noises=copy + 1)
        return data._replace(subgraph=Subgraph.frozen(nodes[orders[copy]], *rows))


def shuffled(
    sizes: np.ndarray, numbers: np.ndarray, *, key: int | np.uint64, noises: int = 1
) -> list[np.ndarray]:
    """For each subgraph `noises` independent uniform permutations of its nodes, (noises, size) int64.

    In noise graph m of subgraph i, node v has the features of node `shuffled(...)[i][m, v]`. `sizes` and
    `numbers` are (b,). A permutation depends only on its size, `key`, the number of its subgraph and m.
    """
    check_whole("noises", noises, 1)
    sizes, numbers = np.array(sizes, np.int64), np.array(numbers, np.int64)
    assert sizes.shape == numbers.shape == (sizes.size,)
    stream = np.empty((numbers.size, noises, 2), np.uint64)
    for noise in range(noises):
        _kernels.seed_noise(stream[:, noise], np.uint64(key), numbers, noise)
    bounds = np.concatenate([[0], np.cumsum(np.repeat(sizes, noises))])
    order = np.empty(bounds[-1], np.int64)
    _kernels.shuffle(bounds, stream.reshape(-1, 2), order)
    return [part.reshape(noises, -1) for part in np.split(order, bounds[noises:-1:noises])][: sizes.size]
