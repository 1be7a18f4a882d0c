"""What needs no learning: sums of raw features, degrees, and the shape of the motif."""

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.nn.motifs.batch import Features
from mhmgnn.subgraphs.exact import edge_codes
from mhmgnn.subgraphs.shapes import motif_shapes


def raw_features(graph: Graph) -> Features:
    """The features of the nodes as they came, (n, p)."""
    if graph.x is None:
        raise DataError("the graph has no node features to sum; give some, or take the baseline degrees")
    return graph.x


def degrees(graph: Graph, ksets: np.ndarray) -> np.ndarray:
    """Sum, maximum and minimum of the log of 1 + degree, and the number of edges inside: (m, 4) float32."""
    size = np.log1p(graph.degrees)[ksets]
    codes = edge_codes(graph.rows, ksets).astype(np.uint64)
    columns = (size.sum(axis=1), size.max(axis=1), size.min(axis=1), np.bitwise_count(codes))
    return np.column_stack(columns).astype(np.float32)


def shape(graph: Graph, ksets: np.ndarray) -> np.ndarray:
    """One-hot of the isomorphism class of each connected k-set, k up to 6; zeros if it is not connected."""
    shapes = motif_shapes(ksets.shape[1])
    found = shapes.shape_of[edge_codes(graph.rows, ksets)]
    rows = np.zeros((len(ksets), len(shapes.shapes)), np.float32)
    connected = found >= 0
    rows[connected, found[connected]] = 1
    return rows
