"""Checks of the memory that a run is going to need, before it is allocated."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor

from mhmgnn.config import ModelConfig, RunConfig
from mhmgnn.graph import Graph
from mhmgnn.nn.encoders.encoder import Load
from mhmgnn.nn.memory import step_bytes
from mhmgnn.nn.motifs.batch import MotifBatch
from mhmgnn.runtime import memory, threads
from mhmgnn.runtime.distributed import started
from mhmgnn.subgraphs.exact import count_roots
from mhmgnn.training.batches import TrainingBatch
from mhmgnn.training.budget import TRIED
from mhmgnn.training.source import Source

LOWER = "lower train.batch, sets.most, model.dim or train.k"


def check_features(graphs: Sequence[Graph], model: ModelConfig) -> None:
    """Refuse features of which memory cannot hold a second copy, if the network reads transformed ones."""
    if model.normalise or model.degree_features:
        stored = [_stored(graph) for graph in graphs]
        advice = "set model.normalise and model.degree_features to false, or give fewer features"
        memory.check("a changed copy of the node features", 2 * sum(stored), advice)


def check_sets(source: Source, config: RunConfig) -> None:
    """Refuse to enumerate more k-sets than memory holds; those of a few training graphs are counted first."""
    k, exact = config.train.k, config.sets.exact
    if exact == 0 or torch.cuda.is_available():  # memory of a GPU is not checked
        return
    graphs = source.draw(np.arange(TRIED))
    roots = [count_roots(Graph(*graph.subgraph.rows), k, limit=exact) for graph in graphs]
    counts = np.array([0 if one is None else int(one.counts.sum()) for one in roots])
    listed = threads.available() * np.dtype(np.int64).itemsize * k * int(counts.max())
    memory.check(f"a list of {counts.max():,} k-sets a thread", listed, "lower sets.exact or subgraphs.size")
    seen = np.minimum(counts, config.sets.most or counts).mean()
    batch = config.train.batch * (1 + config.subgraphs.noises) // started().world
    load = Load(int(seen * batch), 0, 0, int(source.features.shape[1]), 0)
    _check_step(config, [load] * len(config.subgraphs.kinds))


def check_batch(config: RunConfig, batches: Iterable[TrainingBatch]) -> None:
    """Refuse a drawn batch whose training step would not fit into memory."""
    _check_step(config, [_load_of(batch) for batch in batches])


def _load_of(batch: TrainingBatch) -> Load:
    x = batch.motifs.x
    ksets = len(batch.motifs.rows if isinstance(batch.motifs, MotifBatch) else batch.motifs.owner)
    nodes = len(x) if isinstance(x, Tensor) else x.indptr.numel() - 1
    features = x.numel() if isinstance(x, Tensor) else x.values.numel()
    width = x.shape[1] if isinstance(x, Tensor) else x.columns
    attr = batch.motifs.edge_attr
    return Load(ksets, nodes, features, width, 0 if attr is None else attr.shape[-1])


def _check_step(config: RunConfig, loads: Sequence[Load]) -> None:
    """Check the memory of all processes on this machine, in one of them: each takes about as much."""
    if os.environ.get("LOCAL_RANK", "0") != "0":
        return
    processes = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    needed = processes * step_bytes(config, loads)
    ksets = processes * sum(load.ksets for load in loads)
    memory.check(f"a training step with {ksets:,} k-sets", needed, LOWER)


def _stored(graph: Graph) -> int:
    if graph.x is None:
        return 0
    return int(graph.x.nbytes if isinstance(graph.x, np.ndarray) else graph.x.data.nbytes * 2)
