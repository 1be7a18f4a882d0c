"""What is known around nodes, pairs and sets of any size, from graph and counts alone, as rows of numbers."""

from mhmgnn.context.context import Context, describe, read_sets
from mhmgnn.context.pairs import pair_overlap
from mhmgnn.context.scale import Scale

__all__ = ["Context", "Scale", "describe", "pair_overlap", "read_sets"]
