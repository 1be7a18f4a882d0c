"""Whole graphs -> their vectors: what noises taught of their k-sets, and what is known of their nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from scipy import sparse

from mhmgnn.config import SetsConfig, check_one_of
from mhmgnn.context.context import describe
from mhmgnn.graph import Graph
from mhmgnn.nn.graph_vector import GraphVectorMap
from mhmgnn.nn.node_kernel import NodeInputs, NodeKernel
from mhmgnn.subgraphs.sample import sample_sets

NOISE = "noise"  # what noises taught
SUMMARY, MEANS, SUMS = "summary", "means", "sums"  # of the nodes: blocks of a row, before that of noises
POOLS = ("mean", "sum")
POOLED = SetsConfig(exact=20_000, tours=200, supernode=1_000, most=0)  # k-sets that are pooled
DEGREES = 8  # degrees from 1 on whose shares of the nodes are told
QUANTILES = np.linspace(0, 1, 9)  # of log degrees
WIDE = 64  # node features; more are projected to their main directions
SHARES = {SUMMARY: 0.4, MEANS: 0.3, SUMS: 0.3}  # of the share of nodes


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
) -> np.ndarray:
    """The vectors of graphs, (graphs, dim) float32, or what was learned of their k-sets, pooled."""
    if vector is None or pool is not None:
        check_one_of("pool", pool := pool or "mean", POOLS)
        return learned(graphs, pool)
    if not graphs:
        return np.zeros((0, vector.dim), np.float32)
    inputs = [node_inputs(graph, vector.projection.numpy()) for graph in graphs]
    rows = graph_rows(inputs, vector.kernel, learned(graphs, "mean"))
    return np.asarray(vector(torch.from_numpy(np.hstack([*rows.values()]))).numpy())


def graph_rows(
    graphs: Sequence[NodeInputs], kernel: NodeKernel, learned: np.ndarray
) -> dict[str, np.ndarray]:
    """All that is known of each graph, (graphs, columns) float32 for each block.

    The summary of its nodes, means over them of the features of the kernel, the sums of these as signed logs,
    and what noises taught of its k-sets, `learned`.
    """
    means = np.stack([kernel(nodes) for nodes in graphs])
    sizes = np.array([[len(nodes.degrees)] for nodes in graphs])
    found = {SUMMARY: np.stack([summary(nodes) for nodes in graphs]), MEANS: means}
    found |= {SUMS: signed_log(sizes * means), NOISE: learned}
    return {name: rows.astype(np.float32) for name, rows in found.items()}


def graph_shares(nodes: float) -> dict[str, float]:
    """The shares of the blocks: nodes have the share `nodes`, and what noises taught the rest."""
    return {name: nodes * share for name, share in SHARES.items()} | {NOISE: 1 - nodes}


def node_inputs(graph: Graph, projection: np.ndarray) -> NodeInputs:
    """The features of the nodes of a graph times `projection`, and their context."""
    n, degree = graph.num_nodes, np.maximum(graph.degrees, 1)[:, None]
    adjacency = sparse.csr_array((np.ones(graph.indices.size), graph.indices, graph.indptr), shape=(n, n))
    given = np.zeros((n, 0)) if graph.x is None else np.asarray(graph.x @ projection, np.float64)
    context = np.asarray(describe(graph).nodes, np.float64)
    return NodeInputs(given, context, graph.degrees, lambda values: adjacency @ values / degree)


def node_row(graph: Graph, projection: np.ndarray) -> np.ndarray:
    """The `summary` of a graph, its features times `projection`."""
    return summary(node_inputs(graph, projection))


def summary(nodes: NodeInputs) -> np.ndarray:
    """What is known of the nodes of a graph as one row of float64: means, spreads, sums, sizes, degrees.

    Means and spreads are over the features of nodes, their means over neighbours, and the context of nodes.
    Sums are of features, as signed logs. A graph without nodes has zeros.
    """
    x, degrees, n = nodes.given, nodes.degrees, len(nodes.degrees)
    known = np.hstack([x, nodes.near(x), nodes.context])
    if not n:
        return np.zeros(2 * known.shape[1] + x.shape[1] + 4 + len(QUANTILES) + DEGREES)
    edges = degrees.sum() // 2
    density = edges / max(n * (n - 1) / 2, 1)
    shares = np.bincount(np.minimum(degrees, DEGREES + 1), minlength=DEGREES + 2)[1:-1] / n
    return np.concatenate(
        [
            known.mean(axis=0),
            known.std(axis=0),
            signed_log(x.sum(axis=0)),
            np.log1p([n, edges, 100 * density, degrees.max()]),
            np.quantile(np.log1p(degrees), QUANTILES),
            shares,
        ]
    )


def signed_log(values: np.ndarray) -> np.ndarray:
    """log(1 + |v|) with the sign of v."""
    return np.asarray(np.sign(values) * np.log1p(np.abs(values)))
