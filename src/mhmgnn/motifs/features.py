"""A graph -> the features of its nodes that a model reads: its own, and the size of each node's world."""

import numpy as np
from scipy import sparse

from mhmgnn.config import ModelConfig
from mhmgnn.graph import Graph
from mhmgnn.motifs.batch import Features

DEGREE_BINS = 32  # degree 0, then one bin for each power of two


def node_features(graph: Graph, config: ModelConfig) -> Features:
    """Features of every node, (n, p): row-normalised and extended by degree bins, as `config` has it.

    A graph without features gets its degree bins alone. Sparse stays sparse.
    """
    if graph.x is None:
        return np.ascontiguousarray(degree_bins(graph, 1.0).toarray())
    x: Features = graph.x
    if config.normalise:
        x = _rows_to_one(x)
    if not config.degree_features:
        return x
    bins = degree_bins(graph, config.degree_weight)
    if isinstance(x, np.ndarray):
        return np.hstack([x, bins.toarray()])
    return sparse.csr_array(sparse.hstack([x, bins], format="csr"))


def degree_bins(graph: Graph, weight: float) -> sparse.csr_array:
    """One-hot bins of log2 of the degree, (n, DEGREE_BINS) float32, `weight` in place of 1."""
    bins = np.frexp(graph.degrees)[1]  # 0 for degree 0, then 1 + floor(log2)
    data = np.full(graph.num_nodes, weight, np.float32)
    return sparse.csr_array(
        (data, bins, np.arange(graph.num_nodes + 1)), shape=(graph.num_nodes, DEGREE_BINS)
    )


def _rows_to_one(x: Features) -> Features:
    """Each row divided by the sum of its absolute values; rows of zeros stay."""
    size = np.abs(x) if isinstance(x, np.ndarray) else abs(x)
    total = np.asarray(size.sum(axis=1)).ravel()
    share = np.divide(1, total, out=np.zeros_like(total), where=total > 0).astype(np.float32)
    return x * share[:, None] if isinstance(x, np.ndarray) else sparse.csr_array(x.multiply(share[:, None]))
