"""node2vec: skip-gram on walks that look one node back (Grover and Leskovec, KDD 2016)."""

from __future__ import annotations

import numpy as np

from mhmgnn.baselines.skipgram import WalkMethod, WalkSettings, begin, register_walks, skipgram
from mhmgnn.baselines.walks import biased_walks
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

NODE2VEC = WalkSettings(length=80, q=0.5, negative=5)  # the paper's p and q for communities


def node2vec(
    graph: Graph, settings: WalkSettings = NODE2VEC, *, seed: int, threads: int | None = None
) -> np.ndarray:
    """A vector for each node, (n, dim) float32, by node2vec (Grover and Leskovec, KDD 2016).

    Walks that look one node back, skip-gram and negative sampling, else as `deepwalk`. The paper has 10 walks
    of 80 nodes, a window of 10 and one epoch, and chooses p and q by labels; we take p = 1 and q = 0.5, by
    which it finds communities (its section 4.1), and never look at labels.
    """
    if not settings.negative:
        raise DataError("negative is 0; node2vec draws at least 1 node against each pair, 5 by default")
    starts, for_walks, for_vectors = begin(graph, settings, seed)
    walks = biased_walks(
        graph, starts, settings.length, p=settings.p, q=settings.q, seed=for_walks, threads=threads
    )
    return skipgram(graph.num_nodes, walks, settings, for_vectors)


@register_walks
class Node2Vec(WalkMethod):
    """node2vec."""

    name, title = "node2vec", "node2vec"
    about = "skip-gram on biased walks"
    settings = NODE2VEC

    def walk(self, graph: Graph, settings: WalkSettings, *, seed: int) -> np.ndarray:
        """A vector for each node, (n, dim) float32."""
        return node2vec(graph, settings, seed=seed)
