"""Vectors and energies for sets of k nodes of a graph, learned without labels."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mhmgnn import datasets
    from mhmgnn.baselines.baseline import Baseline, fit_baseline
    from mhmgnn.baselines.comparison.compare import Comparison, compare
    from mhmgnn.config import RunConfig
    from mhmgnn.datasets import synthetic as generate
    from mhmgnn.errors import DataError, MHMError, TourError
    from mhmgnn.evaluation import tasks
    from mhmgnn.evaluation.probes.linear import probe
    from mhmgnn.evaluation.probes.score import Score
    from mhmgnn.graph import Graph
    from mhmgnn.models.load import load
    from mhmgnn.models.model import Model
    from mhmgnn.registry import register_encoder, register_noise
    from mhmgnn.subgraphs.estimate import estimate_sum
    from mhmgnn.subgraphs.exact import connected_sets
    from mhmgnn.subgraphs.result import Estimate
    from mhmgnn.subgraphs.shapes import motif_shapes
    from mhmgnn.training.loop import fit
    from mhmgnn.training.transformer import SetEmbedder
    from mhmgnn.training.update import Update, update

# Public names in the order of flow, each with its room, which is opened when the name is first used:
# `import mhmgnn` stays quick.
_ROOMS = {
    "MHMError": "errors",
    "DataError": "errors",
    "TourError": "errors",
    "RunConfig": "config",
    "Graph": "graph",
    "datasets": "datasets",
    "generate": "datasets.synthetic",
    "motif_shapes": "subgraphs.shapes",
    "connected_sets": "subgraphs.exact",
    "estimate_sum": "subgraphs.estimate",
    "Estimate": "subgraphs.result",
    "register_encoder": "registry",
    "register_noise": "registry",
    "fit": "training.loop",
    "update": "training.update",
    "Update": "training.update",
    "SetEmbedder": "training.transformer",
    "Model": "models.model",
    "load": "models.load",
    "probe": "evaluation.probes.linear",
    "Score": "evaluation.probes.score",
    "tasks": "evaluation.tasks",
    "fit_baseline": "baselines.baseline",
    "Baseline": "baselines.baseline",
    "compare": "baselines.comparison.compare",
    "Comparison": "baselines.comparison.compare",
}
_MODULES = {"datasets", "generate", "tasks"}  # names that stand for the module itself
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
    "register_noise",
    "fit",
    "update",
    "Update",
    "SetEmbedder",
    "Model",
    "load",
    "probe",
    "Score",
    "tasks",
    "fit_baseline",
    "Baseline",
    "compare",
    "Comparison",
]


def __getattr__(name: str) -> object:
    if name not in _ROOMS:
        raise AttributeError(f"module 'mhmgnn' has no attribute {name!r}; it has {', '.join(__all__)}")
    room = import_module(f"mhmgnn.{_ROOMS[name]}")
    return room if name in _MODULES else getattr(room, name)
