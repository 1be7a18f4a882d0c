"""A graph -> the graph it is contrasted with: features shuffled, or edges added where there are none."""

from mhmgnn.noise.edges import with_added_edges
from mhmgnn.noise.features import shuffled

__all__ = ["shuffled", "with_added_edges"]
