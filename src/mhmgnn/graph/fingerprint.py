"""A graph -> a few digits that tell it apart from others."""

from collections.abc import Iterator, Mapping

import numpy as np

from mhmgnn.graph.graph import Graph
from mhmgnn.io.checksums import sha256

CHUNK = 1 << 20  # numbers hashed at a time


def fingerprint(graph: Graph) -> str:
    """Sixteen hex digits that tell graphs apart by rows, features, edge attributes and counts, not by names.

    Arrays are read in blocks, so that those mapped from disk are never in memory at once.
    """
    arrays: dict[str, np.ndarray | None] = {"indptr": graph.indptr, "indices": graph.indices}
    if isinstance(graph.x, np.ndarray):
        arrays["x"] = graph.x
    elif graph.x is not None:
        arrays |= {f"x.{name}": getattr(graph.x, name) for name in ("indptr", "indices", "data")}
    arrays |= {"edge_attr": graph.edge_attr, "weights": graph.weights}
    return sha256(_graph_bytes(graph, {name: a for name, a in arrays.items() if a is not None}))[:16]


def _graph_bytes(graph: Graph, arrays: Mapping[str, np.ndarray]) -> Iterator[bytes | memoryview]:
    """What a fingerprint is taken of, as float32 and int64 whatever the arrays' own types."""
    for name, array in arrays.items():
        yield f"{name} {array.shape} {graph.num_features}\n".encode()
        flat, dtype = array.reshape(-1), "<f4" if array.dtype.kind == "f" else "<i8"
        for start in range(0, flat.size, CHUNK):
            yield flat[start : start + CHUNK].astype(dtype).data
