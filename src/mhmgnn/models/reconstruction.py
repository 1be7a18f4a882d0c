"""A group energy in one graph -> the groups that its pairs were made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models.cover import Cover, chances, choose_cover
from mhmgnn.models.groups import GroupReader
from mhmgnn.runtime.console import Tell, silence, within
from mhmgnn.subgraphs.cliques import count_cliques, list_cliques
from mhmgnn.subgraphs.maximal import MaximalCliques, maximal_cliques
from mhmgnn.subgraphs.rewire import rewire_in_communities

TRIANGLES = 200_000  # up to so many, every triangle is a candidate; else only those of the cover are


class Groups(NamedTuple):
    """Groups that explain the edges of a graph, most probable first."""

    sets: Sets  # members sorted in each
    probabilities: np.ndarray  # (m,) float64
    complete: bool  # whether every maximal clique was considered


class Chance(NamedTuple):
    """How much of the clique structure of a graph chance alone explains."""

    alike: float  # similarity of the cover to that of a rewired graph: 0 none, 1 no difference
    met: float  # probability that random sets, which overlap as those of the cover, hold a given pair

    @property
    def repeats(self) -> float:
        """The probability that a pair inside a larger clique of the cover is also a group by itself.

        It is `alike` where the sets of the cover overlap as random sets do, and less where they overlap less.
        """
        return float(self.alike ** (1 / self.met)) if self.met > 0 else 0.0


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
    cover = choose_cover(reader.graph, maximal, reader, tell=within(tell, 0.05, 0.7))
    chance = estimate_chance(reader.graph, maximal, cover, tell=within(tell, 0.7, 0.9, "chance"))
    found = weigh(reader, cover, chance, tell=within(tell, 0.9, 1.0, "triangles"))
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
    return Chance(fewer * min(1.0, hardly / max(usual, 1e-9)), cover.met)


def hardly_needed(cover: Cover) -> float:
    """The share of the sets of three and more nodes with fewer pairs that no other set holds than nodes."""
    larger = cover.sets.sizes > 2
    return float(np.mean((cover.alone < cover.sets.sizes)[larger])) if larger.any() else 0.0


def weigh(reader: GroupReader, cover: Cover, chance: Chance, *, tell: Tell = silence) -> Groups:
    r"""All candidates, which are the sets of the cover, the edges and the triangles, with probabilities.

    A set of s nodes in the cover that alone holds m of its pairs has the odds
    :math:`\frac{m}{s - m} \cdot \frac{1 - met}{met}`, and probability 1 from m = s on; both are lowered by
    the share of cliques that chance explains. Pairs in the cover have probability 1.
    """
    tell(0.0)
    size, alone = cover.sets.sizes, cover.alone
    against = np.maximum(size - alone, 0) * chance.met
    needed = alone * (1 - chance.met) / np.maximum(alone * (1 - chance.met) + against, 1e-300)
    p = np.where(size == 2, 1.0, (1 - chance.repeats) * np.where(alone >= size, 1.0, needed))
    parts, weights = [cover.sets], [p]
    others = _without(Sets.of_edges(*reader.graph.rows), cover.sets)
    parts.append(others)
    weights.append(np.full(others.num, chance.repeats))
    if count_cliques(reader.graph, 3) <= TRIANGLES:
        triangles = Sets.of_rows(list_cliques(reader.graph, 3))
        others = _without(triangles, cover.sets)
        by_energy = chances(reader, others, tell)
        usual = by_energy.mean() if others.num else 0.0
        parts.append(others)
        weights.append(chance.repeats * (chance.repeats * usual + (1 - chance.repeats) * by_energy))
    return Groups(Sets.join(parts), np.concatenate(weights), cover.complete)


def best_cut(probabilities: np.ndarray) -> int:
    """How many of the most probable sets to return for the largest expected F1; probabilities descend.

    >>> best_cut(np.array([0.9, 0.8, 0.1]))
    2
    """
    if not probabilities.size:
        return 0
    found = np.cumsum(probabilities)
    return int(np.argmax(found / (np.arange(1, found.size + 1) + found[-1]))) + 1


def _without(sets: Sets, taken: Sets) -> Sets:
    """The sets, all of one size, that are not in `taken`."""
    if not sets.num:
        return sets
    size = int(sets.sizes[0])
    same = taken.take(taken.sizes == size)
    columns = np.concatenate([sets.members, same.members]).reshape(-1, size).T
    code = columns[0]
    for column in columns[1:]:  # a number for each distinct row
        code = np.unique(code, return_inverse=True)[1] * (column.max() + 1) + column
    return sets.take(~np.isin(code[: sets.num], code[sets.num :]))


def _check(sizes: tuple[int, int] | None, probability: float | None) -> None:
    if sizes is not None:
        low, high = sizes
        check_whole("the least size", low, 2)
        check_whole("the largest size", high, low)
    if probability is not None and not 0 <= probability <= 1:
        raise DataError(f"probability is {probability}; it must be from 0 to 1")
