"""The graph: `Graph`, the readers that make one of what a user has, and look-ups in its rows."""

from mhmgnn.graph.graph import Graph

__all__ = ["Graph"]
