"""Grow the supernode that tours leave from and come back to."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.runtime import threads as cores
from mhmgnn.runtime.rng import seed_streams
from mhmgnn.subgraphs import _home, _ksets, _walk

INSIDE_LIMIT = 2 * 10**6  # edges inside a supernode of pair-walks, which are summed one by one
LARGE, NEAR = 100_000, 1_000  # sets of a supernode that is scattered, and how many of them are not
_CHUNK = 2**17
_COUNTED = 2**15  # sets whose neighbours are counted at once, by one thread


class Supernode(NamedTuple):
    """Connected sets seen as one node I of their higher-order network."""

    home: _home.Home
    sharing: (
        np.ndarray
    )  # (s, size) int64: sets with the same number at u share all their nodes but one, u being left out

    @property
    def size(self) -> int:
        """How many sets it holds."""
        return int(self.home.ksets.shape[0])

    @property
    def exits(self) -> int:
        """d_I, the edges that leave it; with none, it holds every set."""
        return int(self.home.exits[-1])


def grow(
    graph: Graph, component: np.ndarray, size: int, budget: int, *, at_least: int, inside: int | None
) -> Supernode:
    """Grow a supernode of about `budget` connected sets of `size` nodes, breadth first.

    It is seeded in every component of `at_least` nodes, largest first, at its hub; so it holds as many sets
    as there are such components, even past the budget. A large one that does not hold all sets is scattered
    over the graph instead: sets side by side have fewer exits. It ends early where more than `inside` edges
    would lie within it.
    """
    rows = _ksets.Rows(*graph.rows)
    seeds = _home.seeds(rows, _hubs(graph, component, at_least), size)
    ksets = np.empty((max(min(budget, LARGE), seeds.shape[0]), size), np.int64)
    ksets[: seeds.shape[0]] = seeds
    held = _home.grow(rows, ksets, seeds.shape[0], _empty_table(ksets.shape[0]))
    ksets = ksets[:held].copy()
    if held >= LARGE:
        near = max(NEAR, seeds.shape[0])
        ksets = np.concatenate([ksets[:near], _scattered(rows, max(budget - near, 0), size)])
        ksets = ksets[merge_sets(ksets).first]
        held = len(ksets)
    sharing = merge_sets(np.concatenate([np.delete(ksets, u, axis=1) for u in range(size)])).number
    sharing = sharing.reshape(size, -1).T
    if inside is not None:
        held = max(seeds.shape[0], _longest_start(sharing, inside))
        ksets, sharing = ksets[:held].copy(), sharing[:held]
    neighbours_inside = (np.bincount(sharing.ravel())[sharing] - 1).sum(axis=1)
    exits = np.cumsum(_neighbour_counts(rows, ksets) - neighbours_inside)
    keys, table = _home.set_keys(ksets), _empty_table(held)
    _home.fill_table(ksets, keys, table)
    return Supernode(_home.Home(ksets, _ksets.links_of(rows, ksets), keys, table, exits), sharing)


def inside_unions(
    graph: Graph, supernode: Supernode, *, threads: int | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The edges inside the supernode, in chunks: unions of their ends (c, k), and 1 / M of each (c,)."""
    rows, ksets = _ksets.Rows(*graph.rows), supernode.home.ksets
    group = supernode.sharing.ravel()
    members = np.argsort(group, kind="stable") // ksets.shape[1]
    held = np.bincount(group)
    groups = np.concatenate([[0], np.cumsum(held)])
    total = int((held * (held - 1) // 2).sum())

    def chunk(skip: int) -> tuple[np.ndarray, np.ndarray]:
        unions = np.empty((min(_CHUNK, total - skip), ksets.shape[1] + 1), np.int64)
        weights = np.empty(unions.shape[0])
        _home.inside_pairs(rows, ksets, members, groups, skip, unions, weights)
        return unions, weights

    yield from cores.side_by_side(chunk, range(0, total, _CHUNK), threads or cores.available())


def _scattered(rows: _ksets.Rows, wanted: int, size: int) -> np.ndarray:
    """Connected sets from all over the graph, (about wanted, size), always the same; repeats may occur."""
    stream = np.empty((wanted, 2), np.uint64)
    seed_streams(stream, np.uint64(0), np.arange(wanted))
    return np.asarray(_walk.scatter(rows, stream, size))


def _neighbour_counts(rows: _ksets.Rows, ksets: np.ndarray) -> np.ndarray:
    """|N(C)| for each set, (s,) int64."""
    parts = np.array_split(ksets, max(1, len(ksets) // _COUNTED))
    count = cores.side_by_side(lambda part: _ksets.neighbour_counts(rows, part), parts, cores.available())
    return np.concatenate(list(count))


class Merge(NamedTuple):
    """Equal sets as one: where each first stands, and which of them every row is."""

    first: np.ndarray  # (unique,) int64
    number: np.ndarray  # (s,) int64 into `first`


def merge_sets(ksets: np.ndarray) -> Merge:
    """Find equal rows; rows must be sets (distinct entries), in any order."""
    return Merge(*_home.merge(ksets, _empty_table(ksets.shape[0])))


def _hubs(graph: Graph, component: np.ndarray, at_least: int) -> np.ndarray:
    """The node of highest degree in each component of `at_least` nodes, largest component first."""
    members = np.bincount(component)
    by_degree = np.lexsort((-np.diff(graph.indptr), component))
    hubs = by_degree[np.concatenate([[0], np.cumsum(members)[:-1]])]
    keep = np.flatnonzero(members >= at_least)
    return np.asarray(hubs[keep[np.argsort(-members[keep], kind="stable")]])


def _longest_start(sharing: np.ndarray, inside: int) -> int:
    """How many of the first sets have at most `inside` edges among them."""
    order = np.argsort(sharing.ravel(), kind="stable")
    group = sharing.ravel()[order]
    start = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    earlier = np.empty(group.size, np.int64)  # sets before this one that share the same nodes with it
    earlier[order] = np.arange(group.size) - np.repeat(start, np.diff(np.append(start, group.size)))
    edges = np.cumsum(earlier.reshape(sharing.shape).sum(axis=1))
    return int(np.searchsorted(edges, inside, side="right"))


def _empty_table(held: int) -> np.ndarray:
    return np.full(1 << int(2 * held).bit_length(), -1, np.int64)
