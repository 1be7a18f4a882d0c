"""Graphs that several benchmarks run on."""

import gzip
import os
from pathlib import Path

import numpy as np
from scipy import sparse

from mhmgnn import Graph, connected_sets


def cora() -> Graph:
    """Cora from the folder MHMGNN_DATA; without it a random graph of its size, 18 of 1,433 words a node."""
    folder = Path(os.environ.get("MHMGNN_DATA", "")) / "cora"
    if not (folder / "cora.content.gz").is_file():
        print("MHMGNN_DATA does not hold Cora: a graph of its size stands in")
        return grown(2_708, degree=4, features=1_433)
    with gzip.open(folder / "cora.content.gz", "rt") as lines:
        rows = [line.split() for line in lines]
    features = sparse.csr_array(np.array([row[1:-1] for row in rows], np.float32))
    pairs = [line.split() for line in (folder / "cora.cites").read_text().splitlines()]
    return Graph.from_edges(pairs, features=features, names=[row[0] for row in rows])


def grown(nodes: int, *, degree: int, features: int) -> Graph:
    """A graph in which new nodes take to ends of old edges, so that hubs grow; 18 features a node."""
    rng = np.random.default_rng(0)
    half = degree // 2
    ends = np.empty((nodes * half, 2), np.int64)
    ends[:, 0] = np.repeat(np.arange(nodes), half)
    ends[:half, 1] = 0
    earlier = (rng.random(nodes * half - half) * np.repeat(np.arange(1, nodes), half) * half).astype(np.int64)
    side = rng.integers(2, size=earlier.size)
    for low in range(0, earlier.size, half):  # an end of an earlier edge: degree decides
        part = slice(low, low + half)
        ends[half + low : 2 * half + low, 1] = ends[earlier[part], side[part]]
    x = sparse.random_array((nodes, features), density=18 / features, rng=rng, dtype=np.float32, format="csr")
    return Graph.from_edges(ends, features=x, num_nodes=nodes)


def some_sets(graph: Graph, k: int, count: int) -> np.ndarray:
    """Connected k-sets drawn uniformly, with repeats, (count, k)."""
    every = connected_sets(graph, k)
    return every[np.random.default_rng(0).integers(len(every), size=count)]
