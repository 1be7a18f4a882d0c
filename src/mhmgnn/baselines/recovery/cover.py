"""A greedy edge clique cover, after Conte, Grossi and Marino (2016): few cliques that hold every pair."""

from __future__ import annotations

from itertools import pairwise

from mhmgnn.baselines.recovery.recovered import Recovered
from mhmgnn.graph import Graph


def greedy_cover(graph: Graph) -> Recovered:
    """Grow a maximal clique from each edge that is not covered yet.

    It grows by the node that covers the most new edges, of several the first.
    """
    ends = graph.indptr.tolist()
    neighbours = graph.indices.tolist()
    near = [set(neighbours[low:high]) for low, high in pairwise(ends)]
    left = [set(row) for row in near]  # edges not covered yet, in both directions
    cliques = []
    for node in range(graph.num_nodes):
        for other in neighbours[ends[node] : ends[node + 1]]:
            if other in left[node]:
                clique = _grow(node, other, near, left)
                cliques.append(clique)
                for member in clique:
                    left[member].difference_update(clique)
    return Recovered.of(cliques)


def _grow(node: int, other: int, near: list[set[int]], left: list[set[int]]) -> list[int]:
    """A maximal clique that holds the edge between two nodes."""
    clique = [node, other]
    gain = {third: (third in left[node]) + (third in left[other]) for third in near[node] & near[other]}
    while gain:
        best = max(gain, key=lambda third: (gain[third], -third))
        clique.append(best)
        fresh = left[best]
        gain = {third: gain[third] + (third in fresh) for third in gain.keys() & near[best]}
    return clique
