"""The interface of a kind of noise, and the choice of kinds for a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from mhmgnn.config import RunConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.registry import NOISE_NAMES, NOISES, Module
from mhmgnn.subgraphs.subgraph import Subgraph


class TrainingGraph(NamedTuple):
    """A graph of a training step, data or noise."""

    subgraph: Subgraph  # `nodes` are the rows of the features that its nodes have
    edge_attr: np.ndarray | None = None  # (2e, a), in the order of `subgraph.indices`


class Noise(ABC):
    """A kind of graph that training data is contrasted with.

    A built-in noise is a module of this package with the noise's name, which holds one subclass; its name is
    listed in `mhmgnn.registry`. `mhmgnn.register_noise` adds one from anywhere.
    """

    name: ClassVar[str]  # its name in the setting `subgraphs.noise`
    about: ClassVar[str]  # a description for the report
    keeps_edges: ClassVar[bool] = False  # whether noise has the edges, and so the k-sets, of its data

    def refuses(self, graph: Graph) -> str | None:
        """Why this noise cannot be made of `graph`: "needs ..., and the graph has none"; None if it can."""
        return None

    @abstractmethod
    def contrast(self, data: TrainingGraph, number: int, copy: int, key: np.uint64) -> TrainingGraph:
        """Noise graph `copy` of training graph `number`; it depends only on these, `data` and `key`."""


def noise_of(name: str) -> Noise:
    """The noise called `name`."""
    found = NOISE_NAMES.find(name)
    made: Noise = found.subclass(Noise)() if isinstance(found, Module) else found()
    return made


def noise_kinds(graphs: Sequence[Graph], config: RunConfig) -> tuple[Noise, ...]:
    """The kinds of noise of a run: those in its settings; "auto" means all that the graphs allow.

    A model of whole graphs (k = n) takes one kind.
    """
    wanted = [noise_of(name) for name in config.subgraphs.kinds]
    if not wanted:
        allowed = [noise for noise in map(noise_of, NOISES) if noise.refuses(graphs[0]) is None]
        return tuple(allowed[:1] if config.model.reads_graphs else allowed)
    if config.model.reads_graphs and len(wanted) > 1:
        one = " or ".join(f'"{noise.name}"' for noise in wanted)
        raise DataError(
            f'noise "{config.subgraphs.noise}" is for k-sets; a model of whole graphs takes one kind, {one}'
        )
    for noise in wanted:
        if (why := noise.refuses(graphs[0])) is not None:
            others = [name for name in NOISES if noise_of(name).refuses(graphs[0]) is None]
            raise DataError(f'noise "{config.subgraphs.noise}" {why}; take "{others[0]}"')
    return tuple(wanted)
