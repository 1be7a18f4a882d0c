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
BOTH = 1.0, 1.0


class Family(NamedTuple):
    """A way to plant worlds."""

    share: float  # of the planted worlds
    belief: float = 1.0  # weight of its worlds in how frequent groups are taken to be
    lesson: tuple[float, float] = BOTH  # weight of its worlds for "exact" and for "contained"
    repeats: bool = False  # groups start at any edge, not only at those that still lack a group
    by_pair: bool = True  # sizes of the groups of random pairs; else of random groups, which are smaller
    slack: float = 3.0  # largest cost, in nats of affinity, of a pair that has as many groups as it was seen
    sooner: tuple[float, float] = (0.0, 1.0)  # range of the power of affinity by which pairs are starts first


def families(graph: Graph, laws: list[SizeLaw]) -> tuple[Family, Family]:
    r"""The two families of worlds for a graph.

    With counts the families differ in the sizes of groups: growing from pairs gives the right sizes if groups
    do not overlap, and too large ones if they do. "Exact" learns from groups of the law's sizes, "contained"
    from the larger ones: what lies inside small groups is mostly the groups themselves. No lesson is 0, as a
    question may have nothing else to learn from where worlds are few.

    Without counts they differ in whether pairs repeat. "Contained" learns from both alike, "exact" from
    each as it is likely: with :math:`s = 2 (\min(m, R) - 1)`, from repeating worlds with
    :math:`s^6 / (s^6 + (1 - s)^6)`; s itself is the belief. m is how many groups hold a pair by the laws and
    R the `mean_overlap` of the graph: random groups of the law overlap more than groups that keep apart, and
    cliques of a crowded graph more than its groups.
    """
    if graph.weights is not None:
        large = Family(0.5, lesson=(0.1, 1.999), slack=2.5)
        return large, Family(0.5, lesson=(1.9, 0.001), by_pair=False, slack=1.0)
    overlap = mean_overlap(graph)
    mean = np.mean([min(law.mean_count, overlap) for law in laws])
    likely = float(np.clip(REPEATS * (mean - 1), 0.02, 0.98))
    sure = likely**SURE / (likely**SURE + (1 - likely) ** SURE)
    share = (sure + 0.5) / 2  # between what the two questions ask for
    once = Family(1 - share, (1 - likely) / (1 - share), ((1 - sure) / (1 - share), 0.5 / (1 - share)))
    again = Family(share, likely / share, (sure / share, 0.5 / share))
    return once, again._replace(repeats=True, slack=0.0, sooner=(0.5, 1.5))


def family_of(number: int, both: tuple[Family, Family]) -> Family:
    """The family of a world, such that both take turns, each as often as its share."""
    share = both[1].share
    return both[int(number * share % 1 + share >= 1)]


def mean_overlap(graph: Graph) -> float:
    """How many cliques hold an edge, on average, of a cover of all edges by few cliques."""
    return float(choose_cover(graph, maximal_cliques(graph)).times.mean())
