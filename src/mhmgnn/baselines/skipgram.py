"""A vector for each node from random walks read as sentences, by gensim: what DeepWalk and node2vec share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from scipy import sparse

from mhmgnn.baselines.method import Arrays, NodeMethod, register
from mhmgnn.baselines.raw import raw_features
from mhmgnn.config import check_positive, check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.io.toml import settle
from mhmgnn.nn.motifs.batch import Features

CHUNK = 1_000  # walks turned into words at a time
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


class WalkMethod(NodeMethod[WalkSettings]):
    """What DeepWalk and node2vec have in common: they know the nodes of the graph that they walked on."""

    inductive = False
    in_paper = True
    with_features: bool = False  # whether the raw features stand beside the vectors

    @abstractmethod
    def walk(self, graph: Graph, settings: WalkSettings, *, seed: int) -> np.ndarray:
        """A vector for each node, (n, dim) float32."""

    def quick(self) -> WalkSettings:
        """Fewer walks."""
        return replace(self.settings, walks=2)

    def fit_nodes(
        self, graphs: Graph | Sequence[Graph], settings: WalkSettings, *, seed: int, quiet: bool
    ) -> Walked:
        """Walk on one graph."""
        assert isinstance(graphs, Graph), f"{self.name} walks on one graph"
        return Walked(self.walk(graphs, settings, seed=seed), self.with_features)

    def restore(self, settings: WalkSettings, in_features: int, state: Arrays) -> Walked:
        """The vectors that were kept."""
        return Walked(state["vectors"], self.with_features)


AnyWalks = TypeVar("AnyWalks", bound=type[WalkMethod])


def register_walks(method: AnyWalks) -> AnyWalks:
    """Register a class, and a second one with the raw features beside its vectors; use it as a decorator."""
    with_features = {
        "__module__": method.__module__,
        "__doc__": f"{method.title}, with the raw features beside its vectors.",
        "name": f"{method.name}+features",
        "title": f"{method.title} + Features",
        "about": "with the raw features beside it",
        "shares": method.name,
        "with_features": True,
    }
    register(method)
    register(type(f"{method.__name__}Features", (method,), with_features))
    return method


@dataclass(frozen=True, eq=False)
class Walked:
    """Vectors of the nodes of one graph, which walks on it gave."""

    vectors: np.ndarray  # (n, d) float32
    with_features: bool

    def nodes(self, graph: Graph) -> Features:
        """(n, d), or (n, d + p) with the features beside them."""
        if graph.num_nodes != len(self.vectors):
            raise DataError(
                "DeepWalk and node2vec know the nodes of the graph they were trained on and no others; "
                "fit them on this graph"
            )
        if not self.with_features:
            return self.vectors
        both = (sparse.csr_array(x) for x in (self.vectors, raw_features(graph)))
        return sparse.csr_array(sparse.hstack(list(both), format="csr"))

    def state(self) -> dict[str, np.ndarray]:
        """The vectors."""
        return {"vectors": self.vectors}


def begin(graph: Graph, settings: WalkSettings, seed: int) -> tuple[np.ndarray, int, int]:
    """Starts of walks, all nodes with neighbours shuffled for each round; seeds for walks and for vectors."""
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


def skipgram(num_nodes: int, walks: np.ndarray, settings: WalkSettings, seed: int) -> np.ndarray:
    """The input vectors of skip-gram on the walks, (n, dim) float32; zeros for nodes on none.

    One worker, as several race for the vectors. gensim starts vectors from `seed` alone and numbers words by
    frequency, then by appearance: no hash of a word enters.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise DataError(
            "DeepWalk and node2vec need gensim, which is not installed; get it by: pip install gensim"
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
