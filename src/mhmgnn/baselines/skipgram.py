"""A vector for each node from random walks read as sentences: DeepWalk and node2vec, by gensim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mhmgnn.baselines.walks import biased_walks, uniform_walks
from mhmgnn.config import check_positive, check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.io.toml import settle

CHUNK = 1_000  # walks that are words at a time
LONGEST = 10_000  # nodes of a walk: gensim cuts longer ones


@dataclass(frozen=True, kw_only=True)
class WalkSettings:
    """How nodes are walked over, and how their vectors are read off the walks."""

    dim: int = 128
    walks: int = 10  # from each node; time grows with walks, length, window and epochs alike
    length: int = 40  # nodes of a walk, its start included
    window: int = 10  # the largest distance of two nodes in a walk that are drawn together
    epochs: int = 1  # times that the walks are gone through
    learning_rate: float = 0.025  # at first; it falls to 0.0001 in equal steps
    p: float = 1.0  # low ones make a walk turn back
    q: float = 1.0  # low ones make a walk go outward
    negative: int = 0  # nodes drawn against each pair; 0 takes hierarchical softmax

    def __post_init__(self) -> None:
        settle(self)
        for name in ("dim", "walks", "window", "epochs"):
            check_whole(name, getattr(self, name), 1)
        check_whole("length", self.length, 2)
        if self.length > LONGEST:
            raise DataError(
                f"length is {self.length}; a walk has at most {LONGEST} nodes, so take more walks"
            )
        check_whole("negative", self.negative, 0)
        for name in ("learning_rate", "p", "q"):
            check_positive(name, getattr(self, name))


DEEPWALK = WalkSettings()  # the paper has 80 walks, at eight times the time
NODE2VEC = WalkSettings(length=80, q=0.5, negative=5)  # the paper's p and q for communities


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
    starts, for_walks, for_vectors = _begin(graph, settings, seed)
    walks = uniform_walks(graph, starts, settings.length, seed=for_walks, threads=threads)
    return _skipgram(graph.num_nodes, walks, settings, for_vectors)


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
    starts, for_walks, for_vectors = _begin(graph, settings, seed)
    walks = biased_walks(
        graph, starts, settings.length, p=settings.p, q=settings.q, seed=for_walks, threads=threads
    )
    return _skipgram(graph.num_nodes, walks, settings, for_vectors)


def _begin(graph: Graph, settings: WalkSettings, seed: int) -> tuple[np.ndarray, int, int]:
    """Starts, all nodes with neighbours shuffled anew each time, a seed for walks and one for vectors."""
    check_whole("seed", seed, 0)
    rng = np.random.default_rng(seed)
    inside = np.flatnonzero(graph.degrees)
    starts = np.concatenate([rng.permutation(inside) for _ in range(settings.walks)])
    return starts, int(rng.integers(2**63)), int(rng.integers(2**32))


class _Sentences:
    """Walks as lists of words, gone through as often as gensim likes."""

    def __init__(self, walks: np.ndarray, num_nodes: int) -> None:
        self.walks = walks
        self.words = np.array([str(node) for node in range(num_nodes)], dtype=object)

    def __iter__(self) -> Iterator[list[str]]:
        for low in range(0, len(self.walks), CHUNK):
            yield from self.words[self.walks[low : low + CHUNK]].tolist()


def _skipgram(num_nodes: int, walks: np.ndarray, settings: WalkSettings, seed: int) -> np.ndarray:
    """The input vectors of skip-gram on the walks, (n, dim) float32; zeros for nodes on none.

    One worker, as several race for the vectors. gensim starts vectors from `seed` alone and numbers words by
    frequency, then by appearance: no hash of a word enters.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise DataError(
            "DeepWalk and node2vec need gensim, which is not installed; pip install 'mhmgnn[baselines]'"
        ) from error
    vectors = np.zeros((num_nodes, settings.dim), np.float32)
    if not walks.size:
        return vectors
    model = Word2Vec(
        sentences=_Sentences(walks, num_nodes),
        vector_size=settings.dim,
        alpha=settings.learning_rate,
        min_alpha=min(0.0001, settings.learning_rate),
        window=settings.window,
        min_count=1,
        sample=0,  # frequent nodes stay
        sg=1,
        hs=int(settings.negative == 0),
        negative=settings.negative,
        epochs=settings.epochs,
        workers=1,
        seed=seed,
    )
    vectors[np.array(model.wv.index_to_key, dtype=np.int64)] = model.wv.vectors
    return vectors
