"""Baselines of `Model.complete`: simple rankings of the nodes that complete given ones to a new group.

Each takes a graph, with or without counts, and returns a function from given nodes, (m,), to a score for each
node, (n,); high is better. The scores of the given nodes themselves have no meaning.
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
