"""The graph -> the many small graphs we train on."""

from mhmgnn.subgraphs.fire import forest_fire
from mhmgnn.subgraphs.subgraph import Subgraph, whole

__all__ = ["Subgraph", "forest_fire", "whole"]
