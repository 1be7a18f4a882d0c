"""A group energy in one graph -> the groups that its pairs were made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models.cover import Cover, all_pairs, chances, choose_cover
from mhmgnn.models.groups import GroupReader
from mhmgnn.subgraphs.cliques import count_cliques, list_cliques
from mhmgnn.subgraphs.maximal import MaximalCliques, maximal_cliques
from mhmgnn.subgraphs.rewire import rewire_in_communities

TRIANGLES = 200_000  # that are looked at one by one; where there are more, only those of the cover are


class Groups(NamedTuple):
    """Groups that explain the pairs of a graph, most probable first."""

    sets: Sets  # members sorted in each
    probabilities: np.ndarray  # (m,) float64
    complete: bool  # whether every maximal clique was looked at


class Chance(NamedTuple):
    """How much of the cliques of a graph is due to chance."""

    alike: float  # how like a cover of chance alone the cover is: 1 the same
    met: float  # the chance that sets thrown at random hold a pair, where they overlap as those of the cover

    @property
    def repeats(self) -> float:
        """The chance that a pair inside a larger clique of the cover is a group by itself.

        It is `alike` where the sets of the cover overlap as by chance, and all the less the less they do.
        """
        return float(self.alike ** (1 / self.met)) if self.met > 0 else 0.0


def reconstruct(
    reader: GroupReader, *, sizes: tuple[int, int] | None = None, probability: float | None = None
) -> Groups:
    """The groups that the pairs of the reader's graph were made of (docs/method.md, section 22).

    Without a `probability` as many are given, the most probable, as make the expected F1 largest; else all of
    at least so much. `sizes` are the fewest and the most nodes of a group that is asked for. The same groups
    on any number of threads.
    """
    _check(sizes, probability)
    maximal = maximal_cliques(reader.graph)
    cover = choose_cover(reader.graph, maximal, reader)
    found = weigh(reader, cover, estimate_chance(reader.graph, maximal, cover))
    order = np.argsort(-found.probabilities, kind="stable")
    if sizes is not None:
        of = found.sets.sizes[order]
        order = order[(of >= sizes[0]) & (of <= sizes[1])]
    p = found.probabilities[order]
    kept = order[: best_cut(p) if probability is None else int((p >= probability).sum())]
    return Groups(found.sets.take(kept), found.probabilities[kept], found.complete)


def estimate_chance(graph: Graph, maximal: MaximalCliques, cover: Cover) -> Chance:
    r"""How much of the cliques is due to chance: covers of the graph and of one of chance alone, compared.

    The latter is the graph rewired within its communities; both are covered without regard to energies.
    Groups are few, and most have pairs that no other explains. So `alike` is the number of sets, over that by
    chance, times the share of larger sets that are hardly needed, over that by chance; each at most 1.

    A cover that holds pairs :math:`R` times on average looks like sets thrown at random that hold a pair
    :math:`\mu` times, :math:`R = \mu / (1 - e^{-\mu})`; `met` is :math:`1 - e^{-\mu}`.
    """
    from scipy.special import lambertw

    rewired = rewire_in_communities(graph, np.random.default_rng(0))
    here, by_chance = choose_cover(graph, maximal), choose_cover(rewired, maximal_cliques(rewired))
    fewer = min(1.0, here.sets.num / by_chance.sets.num)
    hardly, usual = hardly_needed(here), hardly_needed(by_chance)
    mean = float(cover.times.mean())
    rate = mean + lambertw(-mean * np.exp(-mean)).real if mean > 1 else 0.0
    return Chance(fewer * min(1.0, hardly / max(usual, 1e-9)), float(-np.expm1(-rate)))


def hardly_needed(cover: Cover) -> float:
    """The share of sets of three and more nodes that hold fewer pairs alone than they have nodes."""
    larger = cover.sets.sizes > 2
    return float(np.mean((cover.alone < cover.sets.sizes)[larger])) if larger.any() else 0.0


def weigh(reader: GroupReader, cover: Cover, chance: Chance) -> Groups:
    r"""The sets of the cover, the other pairs and the other triangles, with their probabilities.

    A set of s nodes in the cover is needed for the m pairs that no other holds. Its odds are
    :math:`\frac{m}{s - m} \cdot \frac{1 - met}{met}`, and it is certain from m = s on, as far as cliques are
    not due to chance. Pairs in the cover are certain.
    """
    size, alone = cover.sets.sizes, cover.alone
    against = np.maximum(size - alone, 0) * chance.met
    needed = alone * (1 - chance.met) / np.maximum(alone * (1 - chance.met) + against, 1e-300)
    p = np.where(size == 2, 1.0, (1 - chance.repeats) * np.where(alone >= size, 1.0, needed))
    parts, weights = [cover.sets], [p]
    others = _without(all_pairs(reader.graph), cover.sets)
    parts.append(others)
    weights.append(np.full(others.num, chance.repeats))
    if count_cliques(reader.graph, 3) <= TRIANGLES:
        triangles = Sets.of_rows(list_cliques(reader.graph, 3))
        others = _without(triangles, cover.sets)
        by_energy = chances(reader, others)
        usual = by_energy.mean() if others.num else 0.0
        parts.append(others)
        weights.append(chance.repeats * (chance.repeats * usual + (1 - chance.repeats) * by_energy))
    return Groups(Sets.join(parts), np.concatenate(weights), cover.complete)


def best_cut(probabilities: np.ndarray) -> int:
    """How many of the sets, most probable first, have the largest expected F1 if all of them are given.

    >>> best_cut(np.array([0.9, 0.8, 0.1]))
    2
    """
    if not probabilities.size:
        return 0
    found = np.cumsum(probabilities)
    return int(np.argmax(found / (np.arange(1, found.size + 1) + found[-1]))) + 1


def _without(sets: Sets, taken: Sets) -> Sets:
    """The sets, all of one size, that are not among those taken."""
    if not sets.num:
        return sets
    size = int(sets.sizes[0])
    same = taken.take(taken.sizes == size)
    rows, others = sets.members.reshape(-1, size), same.members.reshape(-1, size)
    both, code = np.unique(np.concatenate([rows, others]), axis=0, return_inverse=True)
    code = code.ravel()
    held = np.zeros(len(both), bool)
    held[code[len(rows) :]] = True
    return sets.take(~held[code[: len(rows)]])


def _check(sizes: tuple[int, int] | None, probability: float | None) -> None:
    if sizes is not None:
        low, high = sizes
        check_whole("the least size", low, 2)
        check_whole("the largest size", high, low)
    if probability is not None and not 0 <= probability <= 1:
        raise DataError(f"probability is {probability}; it must be from 0 to 1")
