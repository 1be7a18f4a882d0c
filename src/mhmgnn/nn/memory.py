"""How much memory a training step takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mhmgnn.config import ModelConfig, RunConfig
from mhmgnn.nn.encoders.build import encoder_of
from mhmgnn.nn.encoders.encoder import Encoder, Load

FLOAT, INT = 4, 8  # bytes
BASE = 10**8  # bytes that the libraries take once they work
READOUT = 6  # floats of `dim` a k-set: pooled, readout, energy, and their gradients
PROJECTED = 12  # floats of `dim` a node: what it is times the weights, and the sums of its gradients
WEIGHTS = 8  # copies of the weights: gradients, Adam's two moments, turned round and side by side


def step_bytes(config: RunConfig, loads: Sequence[Load]) -> int:
    """What a training step takes at its peak, to a factor of about 2; docs/reliability.md has it measured.

    There is a load for each kind of noise. Each teaches its share of the dimensions, one after the other.
    """
    share = replace(config.model, dim=-(-config.model.dim // len(loads)))
    batches = sum(_batch_bytes(config, load) for load in loads)
    return BASE + batches + max(_network_bytes(share, config.train.k, load) for load in loads)


def _batch_bytes(config: RunConfig, load: Load) -> int:
    """The batches that wait, and the making of one more."""
    k, ahead = config.train.k, config.train.ahead + 2
    motif = INT * k + k * k + FLOAT + INT + FLOAT * load.edge_features * k * k
    making = 3 * INT * k + 2 * INT * k * k + 3 * INT + FLOAT * load.edge_features * k * k
    waiting = ahead * (load.ksets * motif + 2 * FLOAT * load.features)
    return waiting + load.ksets * making


def _network_bytes(model: ModelConfig, k: int, load: Load) -> int:
    """What the network keeps between the forward and the backward pass, and its weights."""
    made = encoder_of(model.encoder)
    encoder = made if isinstance(made, type) and issubclass(made, Encoder) else Encoder
    kept = encoder.kept_floats(load, model.dim, model.layers, k)
    weights = WEIGHTS * encoder.input_weights(k) * load.in_features * model.dim
    return FLOAT * (kept + READOUT * load.ksets * model.dim + PROJECTED * load.nodes * model.dim + weights)
