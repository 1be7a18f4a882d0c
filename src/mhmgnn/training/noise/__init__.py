"""A graph -> the graph it is contrasted with: features shuffled, or edges added where there are none."""

from mhmgnn.training.noise.edges import with_added_edges
from mhmgnn.training.noise.features import shuffled

__all__ = ["shuffled", "with_added_edges"]
