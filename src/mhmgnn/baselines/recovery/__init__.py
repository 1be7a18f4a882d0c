"""Baselines of `Model.groups`: other ways to find the groups that the pairs of a graph were made of.

Each takes a graph and reads only its pairs, not its counts.
"""

from collections.abc import Callable

from mhmgnn.baselines.recovery import bayesian, cliques, cover, percolation
from mhmgnn.baselines.recovery.recovered import Recovered
from mhmgnn.graph import Graph

RIVALS: dict[str, Callable[[Graph], Recovered]] = {  # in the order of tables
    "every pair": cliques.every_pair,
    "maximal cliques": cliques.maximal_cliques,
    "greedy cover": cover.greedy_cover,
    "clique percolation": percolation.percolation,
    "Bayesian": bayesian.bayesian,
}

__all__ = ["RIVALS", "Recovered"]
