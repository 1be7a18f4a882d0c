"""A graph -> the node features that a model reads: its own, and one-hot bins of the degrees."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from mhmgnn.config import ModelConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features

DEGREE_BINS = 32  # degree 0, then one bin for each power of two


def decided(config: ModelConfig, graphs: Sequence[Graph]) -> ModelConfig:
    """The settings with `normalise` decided by the training graphs, if it was left open.

    Non-negative features are taken for counts, as of words, and row-normalised: otherwise a node with many
    words would outweigh its neighbours. A single column is not normalised, as every row would become 1.
    """
    if config.normalise is not None:
        return config
    found = [graph.x for graph in graphs if graph.x is not None]
    counts = all(x.shape[1] > 1 and (not x.shape[0] or x.min() >= 0) for x in found)
    return replace(config, normalise=bool(found) and counts)


def node_features(graph: Graph, config: ModelConfig) -> Features:
    """Features of every node, (n, p): row-normalised and extended by degree bins, as `config` has it.

    A graph without features gets its degree bins only. Sparse features stay sparse. If `normalise` is still
    open (see `decided`), rows are not normalised.
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


def stack_features(matrices: Sequence[Features]) -> Features:
    """The features of several graphs stacked by rows; sparse if any of them is."""
    if len(matrices) == 1:
        return matrices[0]
    widths = sorted({matrix.shape[1] for matrix in matrices})
    if len(widths) > 1:
        raise DataError(f"the graphs have {widths} node features; all need the same number")
    dense = [matrix for matrix in matrices if isinstance(matrix, np.ndarray)]
    if len(dense) == len(matrices):
        return np.concatenate(dense)
    return sparse.csr_array(sparse.vstack([sparse.csr_array(matrix) for matrix in matrices], format="csr"))


def _rows_to_one(x: Features) -> Features:
    """Each row divided by the sum of its absolute values; rows of zeros stay zero."""
    size = np.abs(x) if isinstance(x, np.ndarray) else abs(x)
    total = np.asarray(size.sum(axis=1)).ravel()
    share = np.divide(1, total, out=np.zeros_like(total), where=total > 0).astype(np.float32)
    return x * share[:, None] if isinstance(x, np.ndarray) else sparse.csr_array(x.multiply(share[:, None]))
