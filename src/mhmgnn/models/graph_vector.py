"""Whole graphs -> their vectors: what noises taught of their k-sets, and what is known of their nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from scipy import sparse

from mhmgnn.config import SetsConfig, check_one_of
from mhmgnn.context.context import describe
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.vector import GraphVectorMap
from mhmgnn.subgraphs.sample import sample_sets

NOISE, NODES = GRAPH_PARTS = "noise", "nodes"
POOLS = ("mean", "sum")
POOLED = SetsConfig(exact=20_000, tours=200, supernode=1_000, most=0)  # k-sets that are pooled
DEGREES = 8  # degrees from 1 on whose shares of the nodes are told
QUANTILES = np.linspace(0, 1, 9)  # of log degrees
WIDE = 64  # node features; more are projected to their main directions
Rows = Callable[[Sequence[Graph]], np.ndarray]  # graphs to a row each


def pooled(
    graph: Graph,
    k: int,
    embed: Callable[[np.ndarray], Iterator[tuple[int, np.ndarray]]],
    pool: str,
    seed: int,
) -> np.ndarray | float:
    """The mean or sum of the vectors of all connected k-sets of a graph, (dim,); 0 where there are none."""
    sampled = sample_sets(graph, k, POOLED, np.random.default_rng(seed))
    total: np.ndarray | float = 0.0
    for low, vectors in embed(sampled.sample.ksets):
        total = total + sampled.sample.weights[low : low + len(vectors)].astype(np.float32) @ vectors
    return total / max(sampled.size, 1.0) if pool == "mean" else total


def graph_vectors(
    graphs: Sequence[Graph],
    learned: Callable[[Sequence[Graph], str], np.ndarray],
    vector: GraphVectorMap | None,
    *,
    pool: str | None,
    parts: Sequence[str] | None,
) -> np.ndarray:
    """The vectors of graphs, (graphs, d) float32: in parts, or what was learned, pooled in one way."""
    if vector is None or pool is not None:
        if parts is not None:
            raise DataError("parts are given, and vectors of pooled k-sets have none; leave them out")
        check_one_of("pool", pool := pool or "mean", POOLS)
        return learned(graphs, pool)
    chosen = list(vector.parts) if parts is None else list(parts)
    for name in chosen:
        check_one_of("a part", name, list(vector.parts))
    if not graphs:
        return np.zeros((0, sum(vector.parts[name] for name in chosen)), np.float32)
    rows = part_rows(graphs, chosen, lambda some: learned(some, "mean"), vector.projection.numpy())
    found = {name: torch.from_numpy(part) for name, part in rows.items()}
    return np.asarray(vector(found, vector.usual).numpy())


def part_rows(
    graphs: Sequence[Graph], parts: Sequence[str], learned: Rows, projection: np.ndarray
) -> dict[str, np.ndarray]:
    """The rows of these parts, (graphs, raw) float32 each."""
    read: dict[str, Rows] = {
        NOISE: learned,
        NODES: lambda some: np.stack([node_row(graph, projection) for graph in some]),
    }
    return {name: np.asarray(read[name](graphs), np.float32) for name in parts}


def node_row(graph: Graph, projection: np.ndarray) -> np.ndarray:
    """What is known of the nodes of a graph as one row of float64: means, spreads, sums, sizes, degrees.

    Means and spreads are over the features of nodes times `projection`, their means over neighbours, and the
    context of nodes. Sums are of features, as signed logs. A graph without nodes has zeros.
    """
    n, degree = graph.num_nodes, graph.degrees.astype(np.float64)
    values = np.ones(graph.indices.size)
    adjacency = sparse.csr_array((values, graph.indices, graph.indptr), shape=(n, n))
    x = np.zeros((n, 0)) if graph.x is None else np.asarray(graph.x @ projection, np.float64)
    near = adjacency @ x / np.maximum(degree, 1)[:, None]
    known = np.hstack([x, near, describe(graph).nodes])
    if not n:
        return np.zeros(2 * known.shape[1] + x.shape[1] + 4 + len(QUANTILES) + DEGREES)
    total = x.sum(axis=0)
    density = graph.num_edges / max(n * (n - 1) / 2, 1)
    shares = np.bincount(np.minimum(graph.degrees, DEGREES + 1), minlength=DEGREES + 2)[1:-1] / n
    return np.concatenate(
        [
            known.mean(axis=0),
            known.std(axis=0),
            np.sign(total) * np.log1p(np.abs(total)),
            np.log1p([n, graph.num_edges, 100 * density, degree.max()]),
            np.quantile(np.log1p(degree), QUANTILES),
            shares,
        ]
    )
