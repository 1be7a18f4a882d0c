"""How much memory a training step takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mhmgnn.config import ModelConfig, RunConfig

FLOAT, INT = 4, 8  # bytes
BASE = 10**8  # bytes that the libraries take once they work
READOUT = 6  # floats of `dim` a k-set: pooled, readout, energy, and on their way back
SLOT = 6  # floats of `dim` a slot and layer that are kept for the way back
KEPT, BLOCK = (
    100_000,
    2_048,
)  # k-sets whose way is kept, else a block at a time: see nn/encoders/layers.py
PROJECTED = 12  # floats of `dim` a node: what it is times the weights, and the sums of its gradients
WEIGHTS = 8  # copies of the weights: gradients, Adam's two moments, turned round and side by side


class Load(NamedTuple):
    """What goes through the network in a step of one process."""

    ksets: int  # of data and noise; whole graphs count as their nodes
    nodes: int  # distinct ones among them
    features: int  # numbers stored for those nodes, zeros of sparse ones left out
    in_features: int
    edge_features: int


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
    """What lies in the network between the way there and the way back, and its weights."""
    dim, layers = model.dim, model.layers
    pairs = k * (k - 1) // 2
    blocked = load.ksets if load.ksets <= KEPT else BLOCK
    compiled = layers == 1 and not load.edge_features
    match model.encoder:
        case "sage":
            kept = 0 if compiled else blocked * layers * (SLOT * k * dim + 3 * k * k)
        case "gin" | "gcn" | "gat":
            kept = blocked * layers * (SLOT * k * dim + (6 * 4 if model.encoder == "gat" else 3) * k * k)
        case "kgnn":
            kept = load.ksets * (3 * (layers + 1) * pairs * dim + 2 * pairs * pairs)
        case "relational":
            kept = load.ksets * (2 * (layers + 1) * math.factorial(k) + 2 * k * k) * dim
        case _:
            kept = load.ksets * SLOT * layers * dim  # a node of a whole graph for each
    own = {"sage": 2, "relational": k}.get(model.encoder, 1)
    weights = WEIGHTS * own * load.in_features * dim
    return FLOAT * (kept + READOUT * load.ksets * dim + PROJECTED * load.nodes * dim + weights)
