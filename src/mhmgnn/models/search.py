"""Energies -> the k-sets of a graph with the lowest ones, enumerated or searched."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.models.completion import completions
from mhmgnn.runtime.rng import seed_streams
from mhmgnn.subgraphs import _ksets, _walk
from mhmgnn.subgraphs.exact import (
    LIMIT,
    check_k,
    count_around,
    count_roots,
    edge_codes,
    in_chunks,
    is_connected,
    list_sets,
)
from mhmgnn.subgraphs.supernode import merge_sets

Score = Callable[[np.ndarray], np.ndarray]  # connected k-sets (m, k) -> energies (m,)
CHUNK = 2**16  # k-sets scored at a time
STARTS = 2**16  # random k-sets that a search starts from
GROWN = 200  # the same when sets must hold required nodes
EACH = 16  # neighbours in the k-HON that each set of the pool tries in a round
STALE = 3  # rounds without a better set before the search ends


class Found(NamedTuple):
    """A k-set that was discovered."""

    names: tuple[str, ...]
    nodes: tuple[int, ...]
    energy: float


class Discovery(NamedTuple):
    """k-sets of lowest energy, best first."""

    sets: tuple[Found, ...]
    exact: bool  # whether all connected k-sets were scored


class Ranked(NamedTuple):
    """k-sets with their energies, lowest first."""

    ksets: np.ndarray  # (m, k) int64
    energies: np.ndarray  # (m,) float32
    exact: bool  # whether all k-sets that were asked for were scored


def lowest(
    graph: Graph,
    k: int,
    score: Score,
    top: int,
    *,
    require: Sequence[int] = (),
    exclude: Sequence[int] = (),
    cliques: bool = False,
    limit: int = LIMIT,
    seed: int = 0,
) -> Ranked:
    """The `top` connected k-sets (or cliques) of lowest energy with all of `require` and none of `exclude`.

    With at most `limit` k-sets all are scored. Otherwise a local search descends in the k-HON from random
    k-sets until it finds nothing better; its result is good but may miss the best sets.
    """
    component = check_k(graph, k)
    require = sorted(set(require))
    if set(require) & set(exclude):
        raise DataError(
            f"node {graph.label(min(set(require) & set(exclude)))!r} is both required and excluded"
        )
    if len(require) > k:
        raise DataError(f"{len(require)} nodes are required in sets of {k}")
    allowed = _Allowed(graph, np.asarray(require, np.int64), np.asarray(exclude, np.int64), cliques)
    pool = _Pool(score, top, allowed)
    roots = count_around(graph, k, require[0], limit=limit) if require else count_roots(graph, k, limit=limit)
    if roots is not None:
        for ksets in [list_sets(roots, k, 0, 1)] if require else in_chunks(roots, k, CHUNK):
            pool.add(ksets)
        return pool.ranked(exact=True)
    rng = np.random.default_rng(seed)
    if require:
        pool.add(_grown(graph, k, allowed, rng))
    else:
        pool.add(_scattered(graph, k, rng))
    pool.descend(graph, np.bincount(component)[component] > k, rng)
    return pool.ranked(exact=False)


def named(graph: Graph, ranked: Ranked) -> Discovery:
    """The sets with the names of their nodes."""
    found = (
        Found(tuple(graph.label(node) for node in kset), tuple(kset), energy)
        for kset, energy in zip(ranked.ksets.tolist(), ranked.energies.tolist(), strict=True)
    )
    return Discovery(tuple(found), ranked.exact)


class _Allowed(NamedTuple):
    """Which k-sets are asked for."""

    graph: Graph
    require: np.ndarray  # nodes in every set
    exclude: np.ndarray  # nodes in none
    cliques: bool

    def of(self, ksets: np.ndarray) -> np.ndarray:
        """Keep the k-sets that meet `require`, `exclude` and `cliques`."""
        keep = np.asarray(~np.isin(ksets, self.exclude).any(axis=1))
        for node in self.require:
            keep &= (ksets == node).any(axis=1)
        if self.cliques:
            every_pair = (1 << ksets.shape[1] * (ksets.shape[1] - 1) // 2) - 1
            keep[keep] = edge_codes(self.graph.rows, ksets[keep]) == every_pair
        return ksets[keep]


class _Pool:
    """The best k-sets so far, twice as many as are asked for."""

    def __init__(self, score: Score, top: int, allowed: _Allowed) -> None:
        self.score, self.top, self.allowed = score, top, allowed
        self.ksets: np.ndarray | None = None
        self.energies = np.empty(0, np.float32)

    def add(self, ksets: np.ndarray) -> None:
        """Score the allowed ones of the k-sets, and keep the best distinct ones."""
        ksets = self.allowed.of(ksets)
        for low in range(0, len(ksets), CHUNK):
            part = ksets[low : low + CHUNK]
            self._keep(part, self.score(part))

    def _keep(self, ksets: np.ndarray, energies: np.ndarray) -> None:
        if self.ksets is not None:
            ksets, energies = np.concatenate([self.ksets, ksets]), np.concatenate([self.energies, energies])
        distinct = merge_sets(np.ascontiguousarray(ksets)).first
        best = distinct[np.lexsort((*ksets[distinct].T[::-1], energies[distinct]))[: 2 * self.top]]
        self.ksets, self.energies = ksets[best], energies[best]

    def descend(self, graph: Graph, roomy: np.ndarray, rng: np.random.Generator) -> None:
        """Add random neighbours of the pool's sets, round after round, until `STALE` rounds improve nothing.

        `roomy`, (n,) bool, is False for nodes in components of k nodes, whose only k-set has no neighbour.
        """
        rows, stale = _ksets.Rows(*graph.rows), 0
        while self.ksets is not None and stale < STALE:
            before = self.energies[: self.top].copy()
            ksets = self.ksets[roomy[self.ksets[:, 0]]]
            stream = np.empty((len(ksets), 2), np.uint64)
            seed_streams(stream, rng.integers(2**64, dtype=np.uint64), np.arange(len(ksets)))
            near = _walk.wander(rows, ksets, stream, EACH).reshape(-1, ksets.shape[1])
            self.add(near[merge_sets(near).first])
            stale = stale + 1 if np.array_equal(before, self.energies[: self.top]) else 0

    def ranked(self, *, exact: bool) -> Ranked:
        if self.ksets is None or not len(self.ksets):
            if exact:
                raise DataError(
                    "no k-set of the kind asked for has all the required nodes and no excluded one"
                )
            raise DataError("the search met no k-set of the kind asked for; raise `limit` to score them all")
        return Ranked(self.ksets[: self.top], self.energies[: self.top], exact)


def _scattered(graph: Graph, k: int, rng: np.random.Generator) -> np.ndarray:
    """Distinct connected k-sets from all over the graph, (m, k)."""
    stream = np.empty((STARTS, 2), np.uint64)
    seed_streams(stream, rng.integers(2**64, dtype=np.uint64), np.arange(STARTS))
    ksets = _walk.scatter(_ksets.Rows(*graph.rows), stream, k)
    return np.asarray(ksets[merge_sets(ksets).first])


def _grown(graph: Graph, k: int, allowed: _Allowed, rng: np.random.Generator) -> np.ndarray:
    """Connected k-sets around the required nodes, (m, k), grown by random neighbours."""
    start = allowed.require
    if start.size > 1 and not is_connected(graph, np.sort(start)[None, :])[0]:
        raise DataError(
            "the required nodes are not connected among themselves, and too many k-sets hold the first "
            "of them to score all; require connected nodes, or raise `limit`"
        )
    grown = []
    for _ in range(GROWN):
        nodes = start
        while nodes.size < k:
            near = np.setdiff1d(completions(graph, nodes), allowed.exclude)
            if not near.size:
                raise DataError(f"the required nodes reach fewer than {k} nodes that are not excluded")
            nodes = np.append(nodes, rng.choice(near))
        grown.append(np.sort(nodes))
    return np.unique(np.array(grown), axis=0)
