"""How the nodes of a k-set compare with their neighbours inside it: who is the centre, who the top.

The pooled columns of `read_sets` forget which node has which number. Two papers of a set may differ in degree
and be adjacent, or differ and be two steps apart: the direction of a citation shows in the first only.
"""

from __future__ import annotations

import numpy as np

from mhmgnn.context import _inside
from mhmgnn.context.context import Context
from mhmgnn.context.stretches import cut_even, run
from mhmgnn.runtime import memory

COMPARED = (
    "nodes above all neighbours",
    "nodes below all neighbours",
    "a centre above all",
    "a centre below all",
    "softly above all neighbours",
    "softly below all neighbours",
    "mean step between neighbours",
    "slope with the degree inside",
)
LEAST_SPREAD = 1e-4


def inside_columns(context: Context, k: int) -> tuple[str, ...]:
    """The names of the columns of `read_inside`."""
    shape = [f"nodes of degree {degree} inside" for degree in range(1, k)]
    return (
        *shape,
        "triangles inside",
        *(f"{how}, {name}" for name in context.node_columns for how in COMPARED),
    )


def node_units(context: Context) -> np.ndarray:
    """The features of nodes in units of their spread over all nodes of the graph, (n, p) float32."""
    mean, spread = context.nodes.mean(axis=0), context.nodes.std(axis=0)
    units: np.ndarray = (context.nodes - mean) / np.maximum(spread, LEAST_SPREAD)
    return units


def read_inside(context: Context, nodes: np.ndarray, ksets: np.ndarray) -> np.ndarray:
    """The comparisons inside each k-set, (m, f) float32, with the columns `inside_columns`.

    `nodes` is the result of `node_units`. A centre is a node that is adjacent to all others of its set. With
    d the difference of a node to a neighbour inside, softly above all is the product of sigmoid(2 d) over
    the neighbours; such columns are sums over the nodes of the set.
    """
    names = inside_columns(context, ksets.shape[1])
    memory.check(f"comparisons inside {len(ksets):,} sets", 4 * len(ksets) * len(names), "read them in parts")
    out = np.empty((len(ksets), len(names)), np.float32)
    rows = np.ascontiguousarray(ksets, np.int64)
    run(
        lambda low, high: _inside.compare(*context.graph.rows, rows, low, high, nodes, out),
        cut_even(len(rows)),
    )
    return out
