"""Graphs that the data is contrasted with: one file a kind of noise."""

from mhmgnn.training.noise.edges import with_added_edges
from mhmgnn.training.noise.features import shuffled
from mhmgnn.training.noise.noise import Noise, TrainingGraph

__all__ = ["Noise", "TrainingGraph", "shuffled", "with_added_edges"]
