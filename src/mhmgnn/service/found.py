"""The groups of a graph with what the service looks up in them; workers of one service share them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

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
INSIDE = 8  # sets of k nodes that speak for a larger group, at most


class Map(NamedTuple):
    """Some of the groups on a plane."""

    groups: np.ndarray  # (m,) int64, their numbers, the most probable first
    places: np.ndarray  # (m, 2) float64, from -1 to 1


class FoundGroups:
    """The groups of a graph, most probable first, which of them hold a node, and a map of some of them."""

    def __init__(self, groups: tuple[Group, ...], complete: bool, index: SetIndex, atlas: Map) -> None:
        self.groups, self.complete, self.map = groups, complete, atlas
        self.index = index  # of those of k nodes, which have vectors
        self._of: dict[int, list[int]] = {}
        for number, group in enumerate(groups):
            for node in group.nodes:
                self._of.setdefault(node, []).append(number)

    @classmethod
    def search(cls, model: Model) -> FoundGroups:
        """Look for the groups of the model's own graph."""
        found: GroupList = model.groups()
        index = model.index(_of_size(found.groups, model.k))
        return cls(found.groups, found.complete, index, draw_map(model, found.groups))

    @classmethod
    def shared(cls, model: Model, folder: Path) -> FoundGroups:
        """The same, looked for by the first process that asks and mapped into memory by the others."""
        assert model.graph is not None, "a service has one graph"
        with locked(folder.with_name(f"{folder.name}.lock")):
            if not is_stored(folder):
                cls.search(model)._save(folder)
        arrays, facts = load_arrays(folder, KIND)
        groups = _named(model.graph, Sets(arrays["members"], arrays["offsets"]), arrays["probabilities"])
        index = SetIndex(_of_size(groups, model.k), arrays["vectors"])
        return cls(groups, facts["complete"], index, Map(arrays["on_map"], arrays["places"]))

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
            "on_map": self.map.groups,
            "places": self.map.places,
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


def draw_map(model: Model, groups: tuple[Group, ...]) -> Map:
    """The most probable groups of k nodes and more, near each other where vectors are alike.

    The vector of a larger group is the mean over some sets of k of its members. Places are the two directions
    in which vectors vary most, as on the map of a report.
    """
    k = model.k
    large = [number for number, group in enumerate(groups) if len(group.nodes) >= k][:POINTS]
    inside = [_some_inside(groups[number].nodes, k) for number in large]
    if not inside:
        return Map(np.zeros(0, np.int64), np.zeros((0, 2)))
    owner = np.repeat(np.arange(len(inside)), [len(sets) for sets in inside])
    vectors = model.embed(np.concatenate(inside))
    mean = np.zeros((len(inside), vectors.shape[1]))
    np.add.at(mean, owner, vectors)
    places = principal(mean / np.bincount(owner)[:, None]).places
    return Map(np.array(large, np.int64), places / max(float(np.abs(places).max()), 1e-12))


def _some_inside(nodes: tuple[int, ...], k: int) -> np.ndarray:
    """Sets of k members, each next to the one before around the circle of all, (m, k)."""
    starts = range(min(len(nodes), INSIDE)) if len(nodes) > k else [0]
    return np.array([[nodes[(start + i) % len(nodes)] for i in range(k)] for start in starts], np.int64)
