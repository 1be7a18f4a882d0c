"""A model and its graph -> energies of data and of noise, and of k-sets drawn from the whole graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from mhmgnn.errors import DataError, TourError
from mhmgnn.graph import Graph
from mhmgnn.models.model import Model
from mhmgnn.nn.losses import graph_energy
from mhmgnn.report.run import Labels
from mhmgnn.subgraphs.exact import check_k, count_roots, edge_codes, list_sets
from mhmgnn.subgraphs.shapes import LARGEST_K, motif_shapes
from mhmgnn.subgraphs.walk import run_tours, start_walk
from mhmgnn.training.batches import new_sampler

BATCHES = 4  # of training graphs, drawn anew
MOTIFS = 200_000  # after so many, no further batch
LISTED = 10**6  # k-sets of the whole graph that are listed to draw from
DRAWN = 20_000  # k-sets whose energies are looked at
TOURS, MAX_STEPS, SUPERNODES = 200, 10**6, (1_000, 10_000, 100_000)  # where there are too many to list


class Contrast(NamedTuple):
    """Energies of training graphs that the model has not seen, and of their noise."""

    data: np.ndarray  # (g,) of graphs
    noise: np.ndarray  # (g M,)
    data_sets: np.ndarray  # (s,) of their k-sets; empty where the model reads whole graphs
    noise_sets: np.ndarray
    data_weights: np.ndarray  # (s,) of the k-sets in their graphs
    noise_weights: np.ndarray

    @property
    def told_apart(self) -> float:
        """The share of pairs of a data graph and a noise graph in which data has the lower energy."""
        ranked = np.sort(self.noise)
        above = ranked.size - np.searchsorted(ranked, self.data, side="right")
        equal = ranked.size - np.searchsorted(ranked, self.data, side="left") - above
        return float((above + equal / 2).mean() / ranked.size)


def contrast(model: Model, graph: Graph) -> Contrast:
    """The batches that would have come after the last step of training, through the trained network."""
    sampler = new_sampler([graph], model.config, int(model.facts["seed"]))
    first = int(model.facts.get("steps", 0))
    of_graphs, of_sets, motifs = [], [], 0
    for step in range(first, first + BATCHES):
        for number, batch in sampler.batch(step).items():
            with torch.no_grad():
                phi = model.network(batch.motifs)
            energy = graph_energy(phi, batch.weights, batch.owner, batch.is_data.numel())
            graphs = torch.stack([energy, batch.is_data])
            sets = torch.stack([phi, batch.weights, batch.is_data[batch.owner]])
            fresh = slice(None) if number == 0 else graphs[1] == 0  # each kind of noise has the same data
            of_graphs.append(graphs[:, fresh])
            of_sets.append(sets if number == 0 else sets[:, sets[2] == 0])
            motifs += phi.numel()
        if motifs > MOTIFS:
            break
    energy, is_data = torch.cat(of_graphs, dim=1).double().numpy()
    phi, weights, set_is_data = torch.cat(of_sets, dim=1).double().numpy()
    if model.config.model.reads_graphs:
        phi, weights, set_is_data = np.empty((3, 0))
    data, noise = set_is_data == 1, set_is_data == 0
    return Contrast(
        energy[is_data == 1], energy[is_data == 0], phi[data], phi[noise], weights[data], weights[noise]
    )


class Kind(NamedTuple):
    """A group of k-sets: a shape, or a label."""

    name: str
    edges: tuple[tuple[int, int], ...] | None  # of a shape that is drawn


class Drawn(NamedTuple):
    """k-sets of the graph with their energies, in groups."""

    ksets: np.ndarray  # (m, k)
    energies: np.ndarray  # (m,)
    kinds: tuple[Kind, ...]
    kind: np.ndarray  # (m,) into `kinds`
    how: str  # in words, how they were chosen

    def of(self, kind: int) -> np.ndarray:
        """The energies of a group."""
        return np.asarray(self.energies[self.kind == kind])

    def by_size(self) -> list[int]:
        """The groups that have k-sets, the commonest first."""
        counts = np.bincount(self.kind, minlength=len(self.kinds))
        return [int(i) for i in np.argsort(-counts, kind="stable") if counts[i]]


def draw(model: Model, graph: Graph, seed: int) -> Drawn | None:
    """About `DRAWN` connected k-sets, each equally likely, by shape; None if tours do not return."""
    rng = np.random.default_rng([seed, 1])
    chosen = _choose(graph, model.k, rng)
    if chosen is None:
        return None
    ksets, how = chosen
    codes = edge_codes(graph.rows, ksets)
    kinds, kind = _shapes(codes, model.k)
    return Drawn(ksets, model.energy(ksets, kind="noise", graph=graph), kinds, kind, how)


def draw_labelled(model: Model, graph: Graph, labels: Labels, seed: int) -> Drawn:
    """About `DRAWN` of the connected k-sets that have labels, by label."""
    ksets = graph.ksets(labels.ksets, k=model.k)
    if len(ksets) != len(labels.names):
        raise DataError(f"{len(labels.names)} labels are given for {len(ksets)} k-sets; each needs one")
    names, kind = np.unique(np.asarray(labels.names, dtype=np.str_), return_inverse=True)
    chosen = _some(np.arange(len(ksets)), np.random.default_rng([seed, 2]))
    energies = model.energy(ksets[chosen], kind="noise", graph=graph)
    connected = np.isfinite(energies)
    how = f"{connected.sum():,} of {len(ksets):,} labelled k-sets"
    kinds = tuple(Kind(str(name), None) for name in names)
    return Drawn(ksets[chosen][connected], energies[connected], kinds, kind[chosen][connected], how)


def _choose(graph: Graph, k: int, rng: np.random.Generator) -> tuple[np.ndarray, str] | None:
    component = check_k(graph, k)
    roots = count_roots(graph, k, limit=LISTED)
    if roots is not None:
        ksets = list_sets(roots, k, 0, roots.counts.size)
        some = ksets[_some(np.arange(len(ksets)), rng)]
        how = f"all {len(ksets):,}" if len(some) == len(ksets) else f"{len(some):,} of {len(ksets):,}"
        return some, f"{how} connected {k}-sets" + ("" if len(some) == len(ksets) else ", drawn uniformly")
    for supernode in SUPERNODES:
        walk = start_walk(graph, component, k, pairs=k > 2, supernode=supernode, rng=rng)
        try:
            sample = run_tours(walk, TOURS, max_steps=MAX_STEPS)
        except TourError:
            continue
        picked = rng.choice(len(sample.ksets), DRAWN, p=sample.weights / sample.weights.sum())
        ksets = np.unique(sample.ksets[picked], axis=0)
        return ksets, f"{len(ksets):,} connected {k}-sets, met on {TOURS} tours of the graph"
    return None


def _some(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """At most `DRAWN` of the rows, in their order."""
    return rows if rows.size <= DRAWN else np.sort(rng.choice(rows, DRAWN, replace=False))


def _shapes(codes: np.ndarray, k: int) -> tuple[tuple[Kind, ...], np.ndarray]:
    """The shape of each motif; by the number of edges where k is too large for shapes."""
    if k > LARGEST_K:
        edges = np.bitwise_count(codes).astype(np.int64)
        found, kind = np.unique(edges, return_inverse=True)
        return tuple(Kind(f"{count} edges", None) for count in found.tolist()), kind
    known = motif_shapes(k)
    kinds = tuple(Kind(shape.name, shape.edges) for shape in known.shapes)
    return kinds, known.shape_of[codes].astype(np.int64)
