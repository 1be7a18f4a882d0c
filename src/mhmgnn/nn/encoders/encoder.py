"""The interface of encoders: motifs to vectors, and the memory of a training step."""

from __future__ import annotations

from typing import NamedTuple

from torch import nn

from mhmgnn.nn.encoders.layers import BLOCK, KEPT

SLOT = 6  # vectors of length `dim` kept for the gradient per slot and layer


class Load(NamedTuple):
    """The size of the input of one process in a training step."""

    ksets: int  # k-sets of data and noise; for whole graphs, their nodes
    nodes: int  # distinct nodes among them
    features: int  # stored features of those nodes; of sparse features only nonzero ones
    in_features: int
    edge_features: int

    @property
    def in_memory(self) -> int:
        """k-sets whose hidden layers are in memory at once; see `layers.run`."""
        return self.ksets if self.ksets <= KEPT else BLOCK


class Encoder(nn.Module):
    """Maps a `MotifBatch` to (b, dim) vectors of length 1, invariant to the order of the k slots.

    Built with the keywords in_features, dim, layers, edge_features and k. A built-in encoder is a module of
    this package with the encoder's name, which holds one subclass; its name is listed in `mhmgnn.registry`.
    """

    @classmethod
    def kept_floats(cls, load: Load, dim: int, layers: int, k: int) -> int:
        """Number of floats of the hidden layers that a training step keeps for the backward pass."""
        return load.ksets * SLOT * layers * dim

    @classmethod
    def input_weights(cls, k: int) -> int:
        """Number of weight matrices of shape (in_features, dim)."""
        return 1
