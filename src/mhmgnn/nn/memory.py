"""An estimate of the memory of a training step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mhmgnn.config import ModelConfig, RunConfig
from mhmgnn.nn.encoders.build import encoder_of
from mhmgnn.nn.encoders.encoder import Encoder, Load

FLOAT, INT = 4, 8  # bytes
BASE = 10**8  # bytes of the libraries' own work space
READOUT = 6  # vectors of length `dim` per k-set: pooled, readout, energy, and their gradients
PROJECTED = 12  # vectors of length `dim` per node: its projection and the sums of its gradients
WEIGHTS = 8  # copies of the weights: gradients, Adam's two moments, transposed and concatenated ones


def step_bytes(config: RunConfig, loads: Sequence[Load]) -> int:
    """The peak memory of a training step, to a factor of about 2 (measured in docs/reliability.md).

    There is a load for each kind of noise; each trains its share of the dimensions, one after the other.
    """
    share = replace(config.model, dim=-(-config.model.dim // len(loads)))
    batches = sum(_batch_bytes(config, load) for load in loads)
    return BASE + batches + max(_network_bytes(share, config.train.k, load) for load in loads)


def _batch_bytes(config: RunConfig, load: Load) -> int:
    """Memory of the prefetched batches and of the one being built."""
    k, ahead = config.train.k, config.train.ahead + 2
    motif = INT * k + k * k + FLOAT + INT + FLOAT * load.edge_features * k * k
    making = 3 * INT * k + 2 * INT * k * k + 3 * INT + FLOAT * load.edge_features * k * k
    waiting = ahead * (load.ksets * motif + 2 * FLOAT * load.features)
    return waiting + load.ksets * making


def _network_bytes(model: ModelConfig, k: int, load: Load) -> int:
    """Memory of the activations kept for the backward pass, and of the weights."""
    made = encoder_of(model.encoder)
    encoder = made if isinstance(made, type) and issubclass(made, Encoder) else Encoder
    kept = encoder.kept_floats(load, model.dim, model.layers, k)
    weights = WEIGHTS * encoder.input_weights(k) * load.in_features * model.dim
    return FLOAT * (kept + READOUT * load.ksets * model.dim + PROJECTED * load.nodes * model.dim + weights)
