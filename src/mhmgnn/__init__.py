"""Vectors and energies for sets of k nodes of a graph, learned without labels."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mhmgnn.errors import DataError, MHMError, TourError
    from mhmgnn.graph import Graph
    from mhmgnn.tours.estimate import estimate_sum
    from mhmgnn.tours.exact import connected_sets
    from mhmgnn.tours.result import Estimate

# Public names in the order of flow, each with its room, which is opened when the name is first used:
# `import mhmgnn` stays quick.
_ROOMS = {
    "MHMError": "errors",
    "DataError": "errors",
    "TourError": "errors",
    "Graph": "graph",
    "connected_sets": "tours.exact",
    "estimate_sum": "tours.estimate",
    "Estimate": "tours.result",
}
__all__ = [  # noqa: RUF022 - in the order of flow
    "MHMError",
    "DataError",
    "TourError",
    "Graph",
    "connected_sets",
    "estimate_sum",
    "Estimate",
]


def __getattr__(name: str) -> object:
    if name not in _ROOMS:
        raise AttributeError(f"module 'mhmgnn' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"mhmgnn.{_ROOMS[name]}"), name)
