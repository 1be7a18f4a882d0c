"""The answer to each kind of request, by one call of the library; nodes are given and returned by name."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.models.group_list import Group, one_cell
from mhmgnn.service import drawing, schemas
from mhmgnn.service.found import FoundGroups
from mhmgnn.service.limits import SOON
from mhmgnn.service.names import Node
from mhmgnn.service.problems import Refusal
from mhmgnn.service.served import Served


def complete(served: Served, asked: schemas.CompleteRequest) -> schemas.CompleteAnswer:
    """The nodes that most likely join the given ones."""
    found = served.model.complete(
        served.indices(asked.nodes), top=asked.top, exclude=served.indices(asked.exclude)
    )
    chances = _chances(served, np.array([one.energy for one in found], np.float64))
    rows = [
        schemas.Completion(
            node=served.names.label(one.node),
            score=one.score,
            energy=_finite(one.energy),
            probability=None if chances is None else chances[i],
        )
        for i, one in enumerate(found)
    ]
    return schemas.CompleteAnswer(completions=rows, version=served.version)


def energy(served: Served, asked: schemas.EnergyRequest) -> schemas.EnergyAnswer:
    """The energy of each set, and the probability that follows from it."""
    sets = [served.indices(nodes) for nodes in asked.sets]
    energies = served.model.energy(sets, match=asked.match)
    return schemas.EnergyAnswer(
        energies=[_finite(value) for value in energies.tolist()],
        probabilities=_chances(served, energies.astype(np.float64)),
        version=served.version,
    )


def embed(served: Served, asked: schemas.EmbedRequest) -> schemas.EmbedAnswer:
    """The vector of each set."""
    sets = [served.indices(nodes) for nodes in asked.sets]
    return schemas.EmbedAnswer(vectors=served.model.embed(sets).tolist(), version=served.version)


def groups(
    served: Served, having: Sequence[str], containing: str, top: int, sort: str
) -> schemas.GroupsAnswer:
    """The groups that hold all of `having`, and a node with the letters `containing` in its name."""
    found, chosen = _groups(served, having, containing, sort)
    rows = [
        schemas.GroupFound(nodes=list(map(served.names.label, one.nodes)), probability=one.probability)
        for one in chosen[:top]
    ]
    return schemas.GroupsAnswer(
        groups=rows, found=len(chosen), complete=found.complete, version=served.version
    )


def groups_table(served: Served, having: Sequence[str], containing: str, sort: str) -> str:
    """The same groups as CSV, in the format of `GroupList.write`: a row per group, members in one cell."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["group", "size", "probability", "members"])
    for number, one in enumerate(_groups(served, having, containing, sort)[1]):
        table.writerow([number, len(one.nodes), one.probability, one_cell(one.names)])
    return text.getvalue()


def similar(served: Served, kset: Sequence[str], top: int) -> schemas.SimilarAnswer:
    """The groups of k nodes whose vectors are nearest to that of a set."""
    index = _found(served).index
    rows = [
        schemas.SimilarFound(nodes=list(map(served.names.label, one.nodes)), distance=one.distance)
        for one in served.model.similar(served.indices(kset), among=index, top=top)
    ]
    return schemas.SimilarAnswer(similar=rows, exact=index.exact, version=served.version)


def map_of_groups(served: Served) -> schemas.MapAnswer:
    """The most probable groups as points, near each other where vectors are alike."""
    found = _found(served)
    rows = []
    for number, (x, y) in zip(found.map.groups.tolist(), found.map.places.tolist(), strict=True):
        one = found.groups[number]
        names = list(map(served.names.label, one.nodes))
        rows.append(schemas.MapPoint(nodes=names, x=x, y=y, probability=one.probability))
    return schemas.MapAnswer(points=rows, groups=len(found.groups), version=served.version)


def nodes(served: Served, prefix: str, top: int) -> schemas.NodesAnswer:
    """The nodes whose names begin with `prefix`."""
    degrees = served.graph.indptr
    rows = [
        schemas.NodeFound(node=served.names.label(node), degree=int(degrees[node + 1] - degrees[node]))
        for node in served.names.starting(prefix, top)
    ]
    return schemas.NodesAnswer(nodes=rows, version=served.version)


def neighbourhood(served: Served, node: Node) -> schemas.NeighbourhoodAnswer:
    """A node and the neighbours it was seen with most, with coordinates to draw them at."""
    graph, middle = served.graph, served.index(node)
    near, counts = drawing.nearest(graph, middle)
    shown = np.concatenate([[middle], near])
    pairs = drawing.pairs_among(graph, shown)
    at = drawing.places(shown.size, pairs)
    rows = [
        schemas.Place(node=served.names.label(one), x=x, y=y, count=count)
        for one, (x, y), count in zip(shown.tolist(), at, [0.0, *counts.tolist()], strict=True)
    ]
    degree = int(graph.indptr[middle + 1] - graph.indptr[middle])
    return schemas.NeighbourhoodAnswer(places=rows, pairs=pairs, degree=degree, version=served.version)


def _groups(
    served: Served, having: Sequence[str], containing: str, sort: str
) -> tuple[FoundGroups, list[Group]]:
    found = _found(served)
    chosen = found.holding([served.index(node) for node in having])
    if containing:
        wanted = set(served.names.containing(containing))
        chosen = [one for one in chosen if not wanted.isdisjoint(one.nodes)]
    if sort == "size":
        chosen.sort(key=lambda one: -len(one.nodes))  # stable: groups of one size stay sorted by probability
    return found, chosen


def _found(served: Served) -> FoundGroups:
    """The groups; a refusal until they are found."""
    if served.no_groups is not None:
        raise DataError(served.no_groups)
    if served.groups is None:
        raise Refusal(503, "searching", "the groups are still being searched for; ask again soon", retry=SOON)
    return served.groups


def _chances(served: Served, energies: np.ndarray) -> list[float] | None:
    """The probabilities that follow from energies; None if the model has no group energy."""
    from scipy.special import expit

    if served.model.group_energy is None:
        return None
    chances: Any = expit(-energies)
    return [float(chance) for chance in chances]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
