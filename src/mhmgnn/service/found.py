"""The groups of a graph with what the service looks up in them; workers of one service share them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.io.arrays import is_stored, load_arrays, save_arrays
from mhmgnn.io.atomic import locked
from mhmgnn.models.group_list import Group, GroupList
from mhmgnn.models.model import Model
from mhmgnn.models.similar import SetIndex
from mhmgnn.report.atlas import POINTS, principal

KIND = "found groups"


class FoundGroups:
    """The groups of a graph, most probable first, which of them hold a node, and a map of some of them."""

    def __init__(self, groups: tuple[Group, ...], complete: bool, index: SetIndex) -> None:
        self.groups, self.complete = groups, complete
        self.index = index  # of those of k nodes, which have vectors
        self.places = _places(index.vectors[:POINTS])  # (m, 2), of the first of them
        self._of: dict[int, list[int]] = {}
        for number, group in enumerate(groups):
            for node in group.nodes:
                self._of.setdefault(node, []).append(number)

    @classmethod
    def search(cls, model: Model) -> FoundGroups:
        """Look for the groups of the model's own graph."""
        found: GroupList = model.groups()
        return cls(found.groups, found.complete, model.index(_of_size(found.groups, model.k)))

    @classmethod
    def shared(cls, model: Model, folder: Path) -> FoundGroups:
        """The same, looked for by the first process that asks and mapped into memory by the others."""
        assert model.graph is not None, "a service has one graph"
        with locked(folder.with_name(f"{folder.name}.lock")):
            if not is_stored(folder):
                cls.search(model)._save(folder)
        arrays, facts = load_arrays(folder, KIND)
        groups = _named(model.graph, Sets(arrays["members"], arrays["offsets"]), arrays["probabilities"])
        return cls(groups, facts["complete"], SetIndex(_of_size(groups, model.k), arrays["vectors"]))

    def holding(self, nodes: Sequence[int]) -> list[Group]:
        """The groups that hold all of the nodes."""
        if not nodes:
            return list(self.groups)
        rarest = min((self._of.get(node, []) for node in nodes), key=len)
        wanted = set(nodes)
        return [self.groups[number] for number in rarest if wanted <= set(self.groups[number].nodes)]

    def _save(self, folder: Path) -> None:
        sizes = [len(group.nodes) for group in self.groups]
        arrays = {
            "members": np.array([node for group in self.groups for node in group.nodes], np.int64),
            "offsets": np.cumsum([0, *sizes]).astype(np.int64),
            "probabilities": np.array([group.probability for group in self.groups], np.float64),
            "vectors": self.index.vectors,
        }
        save_arrays(folder, KIND, arrays, {"complete": self.complete})


def _named(graph: Graph, sets: Sets, probabilities: np.ndarray) -> tuple[Group, ...]:
    labels = {node: graph.label(node) for node in np.unique(sets.members).tolist()}
    members = [tuple(nodes.tolist()) for nodes in np.split(sets.members, sets.offsets[1:-1])]
    rows = zip(members, probabilities.tolist(), strict=False)  # no groups still split into one part
    return tuple(Group(tuple(labels[node] for node in nodes), nodes, chance) for nodes, chance in rows)


def _of_size(groups: tuple[Group, ...], k: int) -> np.ndarray:
    """The groups of k nodes, (m, k)."""
    return np.array([group.nodes for group in groups if len(group.nodes) == k], np.int64).reshape(-1, k)


def _places(vectors: np.ndarray) -> np.ndarray:
    """Places on a map of the two directions in which vectors vary most, (m, 2) from -1 to 1."""
    if not len(vectors):
        return np.zeros((0, 2))
    places = principal(vectors).places
    return np.asarray(places / max(float(np.abs(places).max()), 1e-12))
