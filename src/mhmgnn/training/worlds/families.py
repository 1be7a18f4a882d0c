"""Which kinds of worlds are planted, and which question learns how much from each kind."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.graph import Graph
from mhmgnn.models.cover import choose_cover
from mhmgnn.subgraphs.maximal import maximal_cliques
from mhmgnn.training.worlds.sizes import SizeLaw

REPEATS = 2.0  # times (expected count - 1): how likely the pairs of a graph without counts repeat
SURE = 6.0  # times the log-odds of that are taken for "exact", which half-right worlds teach little
LEAST = 0.02  # of what a question learns comes from worlds that are not like real data for it
BOTH = 1.0, 1.0


class Family(NamedTuple):
    """A way to plant worlds."""

    share: float  # of the planted worlds
    belief: float = 1.0  # weight of its worlds in how frequent groups are taken to be
    lesson: tuple[float, float] = BOTH  # weight of its worlds for "exact" and for "contained"
    repeats: bool = False  # groups start at any edge, not only at those that still lack a group
    popular: bool = False  # starts and joins follow resource allocation, which popular nodes have more of
    by_pair: bool = True  # sizes of the groups of random pairs; else of random groups, which are smaller
    slack: float = 3.0  # largest cost, in nats of affinity, of a pair that has as many groups as it was seen
    sooner: tuple[float, float] = (0.0, 1.0)  # range of the power of affinity by which pairs are starts first


def families(graph: Graph, laws: list[SizeLaw]) -> tuple[Family, ...]:
    r"""The families of worlds for a graph.

    With counts the two families differ in the sizes of groups: growing from pairs gives the right sizes if
    groups do not overlap, and too large ones if they do. "Exact" learns from groups of the law's sizes,
    "contained" from the larger ones: what lies inside small groups is mostly the groups themselves. No lesson
    is 0, as a question may have nothing else to learn from where worlds are few.

    Without counts the three families differ in whether pairs repeat, and which: none; those with many common
    neighbours among all of theirs; or those of popular nodes, which meet in small groups too. "Contained"
    learns from the first two alike, "exact" from the first and the last, each as it is likely. With
    :math:`s = 2 (\min(m, R) - 1)`, "exact" learns from the last with :math:`s^6 / (s^6 + (1 - s)^6)`; s
    itself is the belief. m is how many groups hold a pair by the laws and R the `mean_overlap` of the graph:
    random groups of the law overlap more than groups that keep apart, and cliques of a crowded graph more
    than its groups.
    """
    if graph.weights is not None:
        large = Family(0.5, lesson=(0.1, 1.999), slack=2.5)
        return large, Family(0.5, lesson=(1.9, 0.001), by_pair=False, slack=1.0)
    overlap = mean_overlap(graph)
    mean = np.mean([min(law.mean_count, overlap) for law in laws])
    likely = float(np.clip(REPEATS * (mean - 1), 0.02, 0.98))
    sure = likely**SURE / (likely**SURE + (1 - likely) ** SURE)
    wanted = np.array([[1 - sure, 0.5, 1 - likely], [LEAST, 0.5, likely / 2], [sure, LEAST, likely / 2]])
    wanted /= wanted.sum(axis=0)
    shares = wanted[:, :2].mean(axis=1)  # between what the two questions ask for
    once, alike, popular = (
        Family(float(share), belief / share, (exact / share, contained / share))
        for share, (exact, contained, belief) in zip(shares, wanted.tolist(), strict=True)
    )
    return once, _again(alike), _again(popular)._replace(popular=True)


def _again(family: Family) -> Family:
    return family._replace(repeats=True, slack=0.0, sooner=(0.5, 1.5))


def family_of(number: int, every: tuple[Family, ...]) -> Family:
    """The family of a world: the next is always of the one that lags most behind its share."""
    shares = np.array([family.share for family in every])
    had = np.zeros(len(every))
    for turn in range(1, number + 2):
        late = int(np.argmax(turn * shares - had))
        had[late] += 1
    return every[late]


def mean_overlap(graph: Graph) -> float:
    """How many cliques hold an edge, on average, of a cover of all edges by few cliques."""
    return float(choose_cover(graph, maximal_cliques(graph)).times.mean())
