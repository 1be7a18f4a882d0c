"""Structural features of nodes, pairs and sets of any size, from the graph and its counts alone.

`context.describe` computes them for all nodes and pairs, `context.read_sets` gives a row for each set, and
`scale.Scale` standardises rows by random cliques of the graph.
"""

from mhmgnn.context.context import Context, describe, read_sets
from mhmgnn.context.pairs import pair_overlap
from mhmgnn.context.scale import Scale

__all__ = ["Context", "Scale", "describe", "pair_overlap", "read_sets"]
