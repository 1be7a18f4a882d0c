"""The graph: `Graph`, `Sets` of its nodes, the readers that make a graph of what a user has, and look-ups."""

from mhmgnn.graph.graph import Graph
from mhmgnn.graph.sets import Sets

__all__ = ["Graph", "Sets"]
