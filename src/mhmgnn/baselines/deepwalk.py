"""DeepWalk: skip-gram on uniform walks (Perozzi, Al-Rfou and Skiena, KDD 2014)."""

from __future__ import annotations

import numpy as np

from mhmgnn.baselines.skipgram import WalkMethod, WalkSettings, begin, register_walks, skipgram
from mhmgnn.baselines.walks import uniform_walks
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

DEEPWALK = WalkSettings()  # the paper has 80 walks, at eight times the time


def deepwalk(
    graph: Graph, settings: WalkSettings = DEEPWALK, *, seed: int, threads: int | None = None
) -> np.ndarray:
    """A vector for each node, (n, dim) float32, by DeepWalk (Perozzi, Al-Rfou and Skiena, KDD 2014).

    Uniform walks, skip-gram and hierarchical softmax. A node without neighbours gets zeros. A seed gives the
    same vectors whatever the number of threads: walks run on `threads`, skip-gram on one.
    """
    if settings.negative or settings.p != 1 or settings.q != 1:
        raise DataError(
            f"p is {settings.p}, q is {settings.q} and negative is {settings.negative}; DeepWalk has uniform "
            "walks, p = q = 1, and hierarchical softmax, negative = 0: for others take node2vec"
        )
    starts, for_walks, for_vectors = begin(graph, settings, seed)
    walks = uniform_walks(graph, starts, settings.length, seed=for_walks, threads=threads)
    return skipgram(graph.num_nodes, walks, settings, for_vectors)


@register_walks
class DeepWalk(WalkMethod):
    """DeepWalk."""

    name, title = "deepwalk", "DeepWalk"
    about = "skip-gram on uniform walks"
    settings = DEEPWALK

    def walk(self, graph: Graph, settings: WalkSettings, *, seed: int) -> np.ndarray:
        """A vector for each node, (n, dim) float32."""
        return deepwalk(graph, settings, seed=seed)
