"""What an encoder is: motifs to vectors, and how much memory a training step of it takes."""

from __future__ import annotations

from typing import NamedTuple

from torch import nn

from mhmgnn.nn.encoders.layers import BLOCK, KEPT

SLOT = 6  # floats of `dim` a slot and layer that are kept for the gradient


class Load(NamedTuple):
    """What goes through the network in a step of one process."""

    ksets: int  # of data and noise; whole graphs count as their nodes
    nodes: int  # distinct ones among them
    features: int  # numbers stored for those nodes, zeros of sparse ones left out
    in_features: int
    edge_features: int

    @property
    def in_memory(self) -> int:
        """k-sets whose hidden layers are in memory at once; see `layers.run`."""
        return self.ksets if self.ksets <= KEPT else BLOCK


class Encoder(nn.Module):
    """Maps a `MotifBatch` to (b, dim) vectors of length 1, blind to the order of the k slots.

    Called with the keywords in_features, dim, layers, edge_features and k. An encoder of the package is a
    module of this package with the encoder's name, which holds one subclass; its name stands in
    `mhmgnn.registry`.
    """

    @classmethod
    def kept_floats(cls, load: Load, dim: int, layers: int, k: int) -> int:
        """Numbers that lie between the layers of a training step until the gradient has passed."""
        return load.ksets * SLOT * layers * dim

    @classmethod
    def input_weights(cls, k: int) -> int:
        """Matrices of in_features x dim among the weights."""
        return 1
