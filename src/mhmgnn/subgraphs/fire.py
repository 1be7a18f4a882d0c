"""Forest fire: subgraphs that look like the graph they are cut from (Leskovec and Faloutsos, KDD 2006)."""

from itertools import pairwise

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.runtime import threads as cores
from mhmgnn.runtime.rng import seed_streams
from mhmgnn.subgraphs import _fire
from mhmgnn.subgraphs.subgraph import Subgraph, as_subgraph


def forest_fire(
    graph: Graph,
    size: int,
    numbers: np.ndarray,
    *,
    key: int | np.uint64,
    burning: float = 0.7,
    threads: int | None = None,
) -> list[Subgraph]:
    """A subgraph of `size` nodes for each of `numbers`, (b,) int64, fixed by `key` and its number alone.

    A fire starts at a uniform node with neighbours. A node that burns sets fire to g of its neighbours that
    have not burned, uniform among them, or to all if they are fewer; g is geometric with mean
    burning / (1 - burning). These follow in the order in which they caught fire. A fire that dies out starts
    anew elsewhere, until `size` nodes burned. Nodes without neighbours burn when no other is left, and a
    graph of at most `size` nodes is its own subgraph.

    The time does not grow with the graph, nor with the degrees of its hubs.
    """
    check_whole("size", size, 1)
    if not 0 <= burning <= 1:
        raise DataError(f"burning is {burning}; it is a probability, from 0 to 1")
    if graph.num_nodes <= size:
        return [as_subgraph(graph)] * len(numbers)
    stream = np.empty((len(numbers), 2), np.uint64)
    seed_streams(stream, np.uint64(key), np.array(numbers, np.int64))

    def burn(stretch: tuple[int, int]) -> list[Subgraph]:
        fires = (_fire.forest_fire(*graph.rows, size, float(burning), stream[i]) for i in range(*stretch))
        return [Subgraph.frozen(*fire) for fire in fires]

    lanes = threads or cores.available()
    bounds = np.linspace(0, len(numbers), lanes + 1).astype(np.int64).tolist()
    return [subgraph for part in cores.side_by_side(burn, pairwise(bounds), lanes) for subgraph in part]
