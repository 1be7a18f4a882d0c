"""Vectors and energies for sets of k nodes of a graph, learned without labels."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mhmgnn import datasets, generate, tasks
    from mhmgnn.baselines.ksets import Baseline, fit_baseline
    from mhmgnn.config import RunConfig
    from mhmgnn.errors import DataError, MHMError, TourError
    from mhmgnn.graph import Graph
    from mhmgnn.model import Model, load
    from mhmgnn.probes.linear import probe
    from mhmgnn.probes.score import Score
    from mhmgnn.registry import register_encoder
    from mhmgnn.shapes import motif_shapes
    from mhmgnn.tours.estimate import estimate_sum
    from mhmgnn.tours.exact import connected_sets
    from mhmgnn.tours.result import Estimate
    from mhmgnn.train.loop import fit

# Public names in the order of flow, each with its room, which is opened when the name is first used:
# `import mhmgnn` stays quick.
_ROOMS = {
    "MHMError": "errors",
    "DataError": "errors",
    "TourError": "errors",
    "RunConfig": "config",
    "Graph": "graph",
    "datasets": "datasets",
    "generate": "generate",
    "motif_shapes": "shapes",
    "connected_sets": "tours.exact",
    "estimate_sum": "tours.estimate",
    "Estimate": "tours.result",
    "register_encoder": "registry",
    "fit": "train.loop",
    "Model": "model",
    "load": "model",
    "probe": "probes.linear",
    "Score": "probes.score",
    "tasks": "tasks",
    "fit_baseline": "baselines.ksets",
    "Baseline": "baselines.ksets",
}
__all__ = [  # noqa: RUF022 - in the order of flow
    "MHMError",
    "DataError",
    "TourError",
    "RunConfig",
    "Graph",
    "datasets",
    "generate",
    "motif_shapes",
    "connected_sets",
    "estimate_sum",
    "Estimate",
    "register_encoder",
    "fit",
    "Model",
    "load",
    "probe",
    "Score",
    "tasks",
    "fit_baseline",
    "Baseline",
]


def __getattr__(name: str) -> object:
    if name not in _ROOMS:
        raise AttributeError(f"module 'mhmgnn' has no attribute {name!r}; it has {', '.join(__all__)}")
    room = import_module(f"mhmgnn.{_ROOMS[name]}")
    return room if _ROOMS[name] == name else getattr(room, name)
