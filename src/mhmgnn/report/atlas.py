"""Embeddings of k-sets -> a map of two dimensions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.models.model import Model
from mhmgnn.report.charts import Cloud, scatter
from mhmgnn.report.energies import Drawn
from mhmgnn.report.svg import MARKERS, Drawing, number

POINTS = 2_000  # on a map: the page stays small


class Plane(NamedTuple):
    """The two directions in which vectors vary most."""

    places: np.ndarray  # (m, 2)
    shares: tuple[float, float]  # of the variance that each direction has


def principal(vectors: np.ndarray) -> Plane:
    """Principal components of (m, d) vectors, each turned so that its largest entry is positive."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    values, directions = np.linalg.eigh(centred.T @ centred)
    best = directions[:, ::-1][:, :2]
    best = best * np.sign(best[np.abs(best).argmax(axis=0), np.arange(best.shape[1])])
    total = max(float(values.clip(0).sum()), 1e-12)
    shares = values[::-1][:2].clip(0) / total
    places = centred @ best
    if places.shape[1] == 1:  # vectors of one entry
        places, shares = np.column_stack([places, np.zeros(len(places))]), np.append(shares, 0.0)
    return Plane(places, (float(shares[0]), float(shares[1])))


class Atlas(NamedTuple):
    """A map and what its markers mean."""

    drawing: Drawing
    names: tuple[str, ...]  # of the kinds, in the order of the markers
    shares: tuple[float, float]


def chart(model: Model, graph: Graph, drawn: Drawn, *, by: str, seed: int) -> Atlas:
    """A map of a few of the k-sets, by kind: the commonest kinds have markers, the others share one."""
    some = np.arange(len(drawn.ksets))
    if some.size > POINTS:
        some = np.sort(np.random.default_rng([seed, 3]).choice(some, POINTS, replace=False))
    plane = principal(model.embed(drawn.ksets[some], graph=graph))
    groups = _groups(drawn, some)
    clouds = []
    for name, kinds in groups:
        mine = np.isin(drawn.kind[some], kinds)
        rows = zip(drawn.ksets[some][mine].tolist(), drawn.energies[some][mine].tolist(), strict=True)
        words = tuple(f"{_names(graph, nodes)} · energy {number(energy)}" for nodes, energy in rows)
        clouds.append(Cloud(name, plane.places[mine], words))
    told = (
        f"{some.size:,} k-sets as points, in the two directions in which their vectors vary most "
        f"({plane.shares[0]:.0%} and {plane.shares[1]:.0%} of the variance). "
        + " ".join(_where(cloud) for cloud in clouds)
    )
    drawing = scatter("map", f"{some.size:,} k-sets by {by}", clouds, told)
    names = tuple(f"{cloud.name} ({len(cloud.words):,})" for cloud in clouds)
    return Atlas(drawing, names, plane.shares)


def _groups(drawn: Drawn, some: np.ndarray) -> list[tuple[str, list[int]]]:
    """Names and kinds of at most as many groups as there are markers."""
    present = [kind for kind in drawn.by_size() if (drawn.kind[some] == kind).any()]
    alone = present if len(present) <= len(MARKERS) else present[: len(MARKERS) - 1]
    groups = [(drawn.kinds[kind].name, [kind]) for kind in alone]
    if len(alone) < len(present):
        others = present[len(alone) :]
        groups.append((f"{len(others)} others", others))
    return groups


def _names(graph: Graph, nodes: list[int]) -> str:
    return ", ".join(graph.label(node) for node in nodes)


def _where(cloud: Cloud) -> str:
    across, up = cloud.places.mean(axis=0).tolist()
    return f"{cloud.name}: {len(cloud.words):,} points around ({number(across)}, {number(up)})."
