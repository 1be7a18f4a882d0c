"""Simple ways to rank who completes some nodes to a new group: rivals of `Model.complete`.

Each takes a graph, with counts or pairs alone, and gives a function from given nodes, (m,), to a score for
each node, (n,); high is better. The scores of the given nodes themselves mean nothing.
"""

from collections.abc import Callable

from mhmgnn.baselines.completion import ease, pagerank, pairs
from mhmgnn.evaluation.completion import Scorer
from mhmgnn.graph import Graph

RIVALS: dict[str, Callable[[Graph], Scorer]] = {  # in the order of tables
    "sum of counts": pairs.sum_of_counts,
    "cosine": pairs.cosine,
    "geometric mean": pairs.geometric_mean,
    "Jaccard": pairs.jaccard,
    "EASE": ease.ease,
    "PageRank": pagerank.pagerank,
}

__all__ = ["RIVALS"]
