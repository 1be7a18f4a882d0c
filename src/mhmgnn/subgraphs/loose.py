"""A graph -> random connected sets of nodes that are no cliques, of two kinds: near cliques, and anywhere."""

from __future__ import annotations

import numpy as np

from mhmgnn.graph import Graph, Sets
from mhmgnn.graph.csr import pairs_missing
from mhmgnn.runtime.rng import new_stream
from mhmgnn.subgraphs import _loose


def near_cliques(graph: Graph, cliques: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The cliques (s, j), each with a random node adjacent to all of it but one, (<= s, j + 1), rows sorted.

    Those around which no such node was found are left out. Of pairs, these are random paths of three nodes.
    """
    found: np.ndarray = _loose.near_cliques(*graph.rows, cliques, new_stream(rng))
    kept: np.ndarray = found[found[:, 0] >= 0]
    return kept


def loose_sets(graph: Graph, k: int, wanted: int, rng: np.random.Generator) -> np.ndarray:
    """Connected k-sets that are no cliques, (<= wanted, k), rows sorted: a random pair, then neighbours.

    They are not uniform: each further node is a random neighbour of a random member. Some may come twice.
    """
    found = _loose.connected_sets(*graph.rows, k, wanted, new_stream(rng))
    found = found[found[:, 0] >= 0]
    kept: np.ndarray = found[pairs_missing(*graph.rows, *Sets.of_rows(found)) > 0]
    return kept
