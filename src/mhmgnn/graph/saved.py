"""A graph -> a folder of arrays, and back: mapped into memory, checked before kernels follow it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph.edges import Merged
from mhmgnn.graph.features import Matrix
from mhmgnn.graph.names import Names
from mhmgnn.graph.validate import check_stored
from mhmgnn.io.arrays import load_arrays, save_arrays

if TYPE_CHECKING:
    from mhmgnn.graph.graph import Graph


class Saved(NamedTuple):
    """What a folder holds; the fields of `Graph`, in their order."""

    indptr: np.ndarray
    indices: np.ndarray
    x: Matrix | None
    edge_attr: np.ndarray | None
    names: Names | None
    merged: Merged
    weights: np.ndarray | None


def save_graph(graph: Graph, path: Path) -> None:
    """Write the graph to a folder of .npy files; a graph saved there is replaced, nothing else is."""
    arrays = {"indptr": graph.indptr, "indices": graph.indices}
    if isinstance(graph.x, np.ndarray):
        arrays |= {"x": graph.x}
    elif graph.x is not None:
        arrays |= {"x_data": graph.x.data, "x_indices": graph.x.indices, "x_indptr": graph.x.indptr}
    if graph.edge_attr is not None:
        arrays |= {"edge_attr": graph.edge_attr}
    if graph.weights is not None:
        arrays |= {"weights": graph.weights}
    if graph.names is not None:
        arrays |= {"names_text": graph.names.text, "names_offsets": graph.names.offsets}
    save_arrays(path, "graph", arrays, {"features": graph.num_features, "merged": graph.merged._asdict()})


def load_graph(path: Path) -> Saved:
    """The arrays of a saved graph; rows, counts and names are read once, in pieces, features are not."""
    arrays, facts = load_arrays(path, "graph")
    try:
        check_stored(arrays)
        x: Matrix | None = arrays.get("x")
        if "x_data" in arrays:
            parts = (arrays["x_data"], arrays["x_indices"], arrays["x_indptr"])
            x = sparse.csr_array(parts, shape=(arrays["indptr"].size - 1, facts["features"]))
            x.check_format(full_check=True)
        return Saved(
            indptr=arrays["indptr"],
            indices=arrays["indices"],
            x=x,
            edge_attr=arrays.get("edge_attr"),
            names=Names(arrays["names_text"], arrays["names_offsets"]) if "names_text" in arrays else None,
            merged=Merged(**facts["merged"]),
            weights=arrays.get("weights"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path} is damaged: {error}; save the graph again") from error
