"""A group energy in one graph -> the groups that its pairs were made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.csr import common_neighbours
from mhmgnn.graph.sets import Sets
from mhmgnn.models.cover import Cover, chances, choose_cover, choose_covers
from mhmgnn.models.groups import GroupReader
from mhmgnn.runtime.console import Tell, silence, within
from mhmgnn.subgraphs.cliques import count_cliques, list_cliques
from mhmgnn.subgraphs.maximal import MaximalCliques, maximal_cliques
from mhmgnn.subgraphs.rewire import rewire_in_communities

TRIANGLES = 200_000  # up to so many, every triangle is a candidate; else only those of the cover are
AGAIN = 0.75  # probability, at most, of a group that explains counts which the first cover leaves
PAIRS = 20_000  # of the graph and of its null model that are compared
TAIL = 0.02  # of the null model's pairs, at least, in which they are compared
AGREE = 3.0  # times the share of pairs by chance, up to which the cover is believed


class Groups(NamedTuple):
    """Groups that explain the edges of a graph, most probable first."""

    sets: Sets  # members sorted in each
    probabilities: np.ndarray  # (m,) float64
    complete: bool  # whether every maximal clique was considered


class Chance(NamedTuple):
    """How much of the clique structure of a graph chance alone explains."""

    alike: float  # similarity of the cover to that of a rewired graph: 0 none, 1 no difference
    met: float  # probability that random sets, which overlap as those of the cover, hold a given pair
    pairs: float = 1.0  # share of the edges that can be pairs by chance, at most

    @property
    def repeats(self) -> float:
        """The probability that a pair inside a larger clique of the cover is also a group by itself.

        It is `alike` where the sets of the cover overlap as random sets do, and less where they overlap less.
        If it is far above the share of pairs by chance, it is that share: large groups in a crowded graph
        overlap as those of chance do, but their pairs do not look like chance.
        """
        by_cover = float(self.alike ** (1 / self.met)) if self.met > 0 else 0.0
        return by_cover if by_cover <= AGREE * self.pairs else self.pairs


def reconstruct(
    reader: GroupReader,
    *,
    sizes: tuple[int, int] | None = None,
    probability: float | None = None,
    tell: Tell = silence,
) -> Groups:
    """The groups that the pairs of the reader's graph were made of (docs/method.md, section 22).

    By default the most probable groups are returned, as many as maximise the expected F1; with a
    `probability`, all groups of at least that probability. `sizes` are the fewest and the most nodes of a
    group. The result does not depend on the number of threads.
    """
    _check(sizes, probability)
    maximal = maximal_cliques(reader.graph, tell=within(tell, 0.0, 0.05, "candidates"))
    covers = choose_covers(reader.graph, maximal, reader, tell=within(tell, 0.05, 0.7))
    chance = estimate_chance(reader.graph, maximal, covers[0], tell=within(tell, 0.7, 0.9, "chance"))
    found = weigh(reader, covers, chance, tell=within(tell, 0.9, 1.0, "triangles"))
    order = np.argsort(-found.probabilities, kind="stable")
    if sizes is not None:
        of = found.sets.sizes[order]
        order = order[(of >= sizes[0]) & (of <= sizes[1])]
    p = found.probabilities[order]
    kept = order[: best_cut(p) if probability is None else int((p >= probability).sum())]
    return Groups(found.sets.take(kept), found.probabilities[kept], found.complete)


def estimate_chance(graph: Graph, maximal: MaximalCliques, cover: Cover, *, tell: Tell = silence) -> Chance:
    """Compare the cover of the graph with that of a null model, the graph rewired within its communities.

    Both are covered with equal costs, without energies. Real groups need few sets, and most hold pairs that
    no other set explains. So `alike` is the product of two ratios, each at most 1: the number of sets of the
    cover over that of the null model, and the share of larger sets that are hardly needed over that of the
    null model.
    """
    tell(0.0)
    here = choose_cover(graph, maximal)
    tell(0.3)
    rewired = rewire_in_communities(graph, np.random.default_rng(0))
    tell(0.7)
    by_chance = choose_cover(rewired, maximal_cliques(rewired))
    fewer = min(1.0, here.sets.num / by_chance.sets.num)
    hardly, usual = hardly_needed(here), hardly_needed(by_chance)
    alike = fewer * min(1.0, hardly / max(usual, 1e-9))
    return Chance(alike, cover.met, pairs_by_chance(graph, rewired))


def pairs_by_chance(graph: Graph, rewired: Graph) -> float:
    r"""The largest share of the edges of a graph that can be pairs of a null model, from 0 to 1.

    Pairs that met by chance have few common neighbours. If a share :math:`\pi` of the edges are such pairs,
    then :math:`F(x) \ge \pi F'(x)` for every x, where F and F' are the distribution functions of common
    neighbours over the smaller degree, of the edges and of the edges of the null model, both counted in the
    graph. So :math:`\pi \le \min_x F(x) / F'(x)`, over x with :math:`F'(x)` of at least 2%.
    """
    rng = np.random.default_rng(0)
    here, there = (_neighbours_shared(graph, _some_edges(one, rng)) for one in (graph, rewired))
    at = np.unique(there)
    below, usual = (np.searchsorted(np.sort(x), at, side="right") for x in (here, there))
    enough = usual >= max(TAIL * there.size, 1)
    share = (below[enough] + 1) / here.size * there.size / usual[enough]
    return float(min(share.min(initial=1.0), 1.0))


def _some_edges(graph: Graph, rng: np.random.Generator) -> np.ndarray:
    """Edges of a graph, (m, 2), all or a random sample."""
    edges = Sets.of_edges(*graph.rows).members.reshape(-1, 2)
    return edges if len(edges) <= PAIRS else edges[rng.choice(len(edges), PAIRS, replace=False)]


def _neighbours_shared(graph: Graph, pairs: np.ndarray) -> np.ndarray:
    """Common neighbours of each pair over the smaller degree less 1, (m,)."""
    fewer = graph.degrees[pairs].min(axis=1) - 1
    shared: np.ndarray = common_neighbours(*graph.rows, pairs) / np.maximum(fewer, 1)
    return shared


def hardly_needed(cover: Cover) -> float:
    """The share of the sets of three and more nodes with fewer pairs that no other set holds than nodes."""
    larger = cover.sets.sizes > 2
    return float(np.mean((cover.alone < cover.sets.sizes)[larger])) if larger.any() else 0.0


def weigh(reader: GroupReader, covers: Sequence[Cover], chance: Chance, *, tell: Tell = silence) -> Groups:
    r"""All candidates, which are the sets of the covers, the edges and the triangles, with probabilities.

    A set of s nodes in a cover that alone holds m of its pairs has the odds
    :math:`\frac{m}{s - m} \cdot \frac{1 - met}{met}`, but no probability below m / 2s, and probability 1 from
    m = s on. In the first cover all are lowered by the share of cliques that chance explains; sets of further
    covers, of counts that are left, were seen again, and are lowered by `AGAIN`. Pairs in the first cover
    have probability 1.
    """
    tell(0.0)
    first, *further = covers
    p = _needed(first, chance.met) * np.where(first.sets.sizes == 2, 1.0, 1 - chance.repeats)
    parts, weights = [first.sets], [p]
    for cover in further:
        fresh = _unlike(cover.sets, Sets.join(parts))
        parts.append(cover.sets.take(fresh))
        weights.append(AGAIN * _needed(cover, chance.met)[fresh])
    known = Sets.join(parts)
    edges = Sets.of_edges(*reader.graph.rows)
    others = edges.take(_unlike(edges, known))
    parts.append(others)
    weights.append(np.full(others.num, chance.repeats))
    if count_cliques(reader.graph, 3) <= TRIANGLES:
        triangles = Sets.of_rows(list_cliques(reader.graph, 3))
        others = triangles.take(_unlike(triangles, known))
        by_energy = chances(reader, others, tell)
        usual = by_energy.mean() if others.num else 0.0
        parts.append(others)
        weights.append(chance.repeats * (chance.repeats * usual + (1 - chance.repeats) * by_energy))
    return Groups(Sets.join(parts), np.concatenate(weights), first.complete)


def _needed(cover: Cover, met: float) -> np.ndarray:
    """The probability that each set of a cover is needed for the pairs that it alone holds, (c,)."""
    size, alone = cover.sets.sizes, cover.alone
    against = np.maximum(size - alone, 0) * met
    needed = alone * (1 - met) / np.maximum(alone * (1 - met) + against, 1e-300)
    needed = np.maximum(needed, alone / (2 * size))
    return np.where((size == 2) | (alone >= size), 1.0, needed)


def best_cut(probabilities: np.ndarray) -> int:
    """How many of the most probable sets to return for the largest expected F1; probabilities descend.

    >>> best_cut(np.array([0.9, 0.8, 0.1]))
    2
    """
    if not probabilities.size:
        return 0
    found = np.cumsum(probabilities)
    return int(np.argmax(found / (np.arange(1, found.size + 1) + found[-1]))) + 1


def _unlike(sets: Sets, known: Sets) -> np.ndarray:
    """Which of the sets are not among `known`, (s,) bool."""
    fresh = np.ones(sets.num, np.bool_)
    for size in np.unique(sets.sizes).tolist():
        mine = np.flatnonzero(sets.sizes == size)
        same = known.take(known.sizes == size)
        columns = np.concatenate([sets.take(mine).members, same.members]).reshape(-1, size).T
        code = columns[0]
        for column in columns[1:]:  # a number for each distinct row
            code = np.unique(code, return_inverse=True)[1] * (column.max() + 1) + column
        fresh[mine] = ~np.isin(code[: mine.size], code[mine.size :])
    return fresh


def _check(sizes: tuple[int, int] | None, probability: float | None) -> None:
    if sizes is not None:
        low, high = sizes
        check_whole("the least size", low, 2)
        check_whole("the largest size", high, low)
    if probability is not None and not 0 <= probability <= 1:
        raise DataError(f"probability is {probability}; it must be from 0 to 1")
