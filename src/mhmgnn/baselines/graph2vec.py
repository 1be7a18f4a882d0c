"""graph2vec: a graph is a document, and the rooted subtrees around its nodes are the words.

Narayanan, Chandramohan, Venkatesan, Chen, Liu, Jaiswal, "graph2vec: Learning Distributed Representations of
Graphs", 2017, arXiv:1707.05005.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

from mhmgnn.baselines.method import Method, register
from mhmgnn.config import check_one_of, check_positive, check_whole
from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks.graphs import Pooled
from mhmgnn.graph import Graph
from mhmgnn.runtime.hashing import GOLDEN, mix_words

Labels = Literal["auto", "degree"]
LONGEST = 10_000  # words of a document that gensim reads; it drops the rest silently
ODD = np.uint64(0xD1342543DE82EF95)


@dataclass(frozen=True, kw_only=True)
class Graph2VecSettings:
    """How words are made and vectors trained.

    The authors' code is not gensim's, and its rates do not carry over. The defaults are those of the gensim
    version that many use (github.com/benedekrozemberczki/graph2vec), but for `sample`.
    """

    dim: int = 128  # 1,024 in the authors' code
    depth: int = 2  # edges from the root of a subtree to its leaves, at most; the authors' code has 3
    labels: Labels = "auto"  # of the nodes: columns of the features that hold 0 and 1 alone, else degrees
    epochs: int = 10  # over all words of all graphs
    learning_rate: float = 0.025  # falls to 0.0001 on the way
    negative: int = 5  # words drawn against each that is there; the authors' code has 10
    min_count: int = 5  # words that come less often in all graphs together are left out
    sample: float = 0.0  # above 0, words of a larger share are thinned out; 1e-4 there, which leaves few

    def __post_init__(self) -> None:
        check_one_of("labels", self.labels, get_args(Labels))
        check_whole("depth", self.depth, 0)
        check_positive("learning_rate", self.learning_rate)
        for name in ("dim", "epochs", "negative", "min_count"):
            check_whole(name, getattr(self, name), 1)
        if not self.sample >= 0:
            raise DataError(f"sample is {self.sample}; it must be a number of at least 0")


def graph2vec(graphs: Sequence[Graph], settings: Graph2VecSettings | None = None, *, seed: int) -> np.ndarray:
    """A vector for each graph, (g, dim) float32, all trained together, as the authors do."""
    return fit_graph2vec(graphs, settings, seed=seed).vectors


def fit_graph2vec(
    graphs: Sequence[Graph], settings: Graph2VecSettings | None = None, *, seed: int
) -> Graph2Vec:
    """Train a vector for each graph and each word: PV-DBOW, by gensim in one thread.

    Graphs are read in an order drawn by the seed: gensim's vectors drift as it reads, so that in collections
    listed class by class, as those of TU Dortmund are, a vector would tell its graph's class by its place.
    """
    settings = settings or Graph2VecSettings()
    check_whole("seed", seed, 0)
    doc2vec = _gensim()
    columns = label_columns(graphs) if settings.labels == "auto" else np.empty(0, np.int64)
    for_order, for_vectors = np.random.default_rng(seed).spawn(2)
    words = list(_documents(graphs, settings.depth, columns))
    documents = [
        doc2vec.TaggedDocument(piece, [i])
        for i in for_order.permutation(len(words)).tolist()
        for piece in _pieces(words[i])
    ]
    model = doc2vec.Doc2Vec(
        dm=0,
        vector_size=settings.dim,
        negative=settings.negative,
        alpha=settings.learning_rate,
        min_count=settings.min_count,
        epochs=settings.epochs,
        sample=settings.sample,
        workers=1,
        seed=int(for_vectors.integers(2**32)),
    )
    model.build_vocab(documents)
    if not len(model.wv):
        raise DataError(f"no subtree comes {settings.min_count} times in these graphs; lower min_count")
    model.train(documents, total_examples=len(documents), epochs=settings.epochs)
    return Graph2Vec(settings, columns, model)


class Graph2Vec:
    """Trained: the vectors of the graphs it was trained on, and a way to those of others."""

    def __init__(self, settings: Graph2VecSettings, columns: np.ndarray, model: Any) -> None:
        self.settings = settings
        self.columns = columns  # (c,) int64: features that label nodes; degrees do where there are none
        self._model = model

    @property
    def vectors(self) -> np.ndarray:
        """Of the graphs that were trained on, (g, dim) float32."""
        return np.asarray(self._model.dv.vectors, np.float32)

    def infer(self, graphs: Sequence[Graph], *, seed: int) -> np.ndarray:
        """A vector for each of other graphs, (g, dim) float32, trained against the words as they stand.

        It depends on the graph and the seed alone. Subtrees that were not seen in training tell nothing.
        """
        check_whole("seed", seed, 0)
        found = np.empty((len(graphs), self.settings.dim), np.float32)
        for i, words in enumerate(_documents(graphs, self.settings.depth, self.columns)):
            found[i] = self._infer(words, int(np.random.default_rng(seed).integers(2**32)))
        return found

    def _infer(self, words: list[str], seed: int) -> np.ndarray:
        """What gensim's `infer_vector` does, but without Python's `hash`, which differs between processes."""
        model, dim = self._model, self.settings.dim
        model.random = np.random.RandomState(seed)
        vector = ((model.random.rand(1, dim) - 0.5) / dim).astype(np.float32)
        moves, room = np.ones(1, np.float32), np.zeros(dim, np.float32)
        for rate in np.linspace(model.alpha, model.min_alpha, self.settings.epochs):
            for piece in _pieces(words):
                _gensim().train_document_dbow(
                    model,
                    piece,
                    [0],
                    rate,
                    room,
                    learn_words=False,
                    learn_hidden=False,
                    doctag_vectors=vector,
                    doctags_lockf=moves,
                )
        return np.asarray(vector[0])


@register
class Graph2VecMethod(Method[Graph2VecSettings]):
    """graph2vec."""

    name, title = "graph2vec", "graph2vec"
    about = "rooted subtrees as the words of a document"
    settings = Graph2VecSettings()
    in_paper = True

    def fit_graphs(
        self, graphs: Sequence[Graph], k: int, settings: Graph2VecSettings, *, seed: int, quiet: bool
    ) -> dict[str, Pooled]:
        """Train on many graphs."""
        trained = fit_graph2vec(graphs, settings, seed=seed)
        return {"graph": lambda others: trained.infer(others, seed=seed)}


def label_columns(graphs: Sequence[Graph]) -> np.ndarray:
    """The features that hold 0 and 1 alone in all graphs, (c,) int64: together they label a node."""
    widths = sorted({graph.num_features for graph in graphs})
    if len(widths) > 1:
        raise DataError(f"graphs with {widths} node features; all need the same number")
    plain = np.ones(max(widths, default=0), bool)
    for graph in graphs:
        if graph.x is not None:
            entries = sparse.csr_array(graph.x)
            plain[entries.indices[(entries.data != 0) & (entries.data != 1)]] = False
    return np.flatnonzero(plain)


def subtree_words(graph: Graph, depth: int, columns: np.ndarray) -> np.ndarray:
    """The word of the subtree of each depth at each node, (depth + 1, n) uint64 (Weisfeiler and Lehman).

    A label is the node's values in `columns`, its degree if there are none. The word of depth 0 is the label;
    that of depth d is found from the node's own word and those of its neighbours, as a multiset, of
    depth d - 1. Equal subtrees have equal words in any graph; others have not, but for a chance of 2^-64.
    """
    words = np.empty((depth + 1, graph.num_nodes), np.uint64)
    words[0] = _mixed(_labels(graph, columns))
    for d in range(1, depth + 1):
        sent = np.cumsum(np.concatenate([[np.uint64(0)], _mixed(words[d - 1])[graph.indices]]))
        words[d] = _mixed(words[d - 1] * ODD + sent[graph.indptr[1:]] - sent[graph.indptr[:-1]])
    return words


def _labels(graph: Graph, columns: np.ndarray) -> np.ndarray:
    if not columns.size:
        return graph.degrees.astype(np.uint64)
    if graph.x is None or graph.num_features <= columns[-1]:
        raise DataError(
            f"a graph with {graph.num_features} features lacks feature {columns[-1]}, which labels nodes"
        )
    chosen = sparse.csr_array(graph.x)[:, columns].astype(bool).astype(np.uint64)
    return np.asarray(chosen @ _mixed(columns.astype(np.uint64)))


def _mixed(words: np.ndarray) -> np.ndarray:
    """64-bit words with all bits mixed (splitmix64)."""
    return mix_words(words + GOLDEN)


def _documents(graphs: Sequence[Graph], depth: int, columns: np.ndarray) -> Iterator[list[str]]:
    """The words of each graph, sorted, so that the order of nodes does not matter."""
    for i, graph in enumerate(graphs):
        if not graph.num_nodes:
            raise DataError(f"graph {i} has no nodes; graph2vec needs at least one node a graph")
        yield list(map(str, np.sort(subtree_words(graph, depth, columns), axis=None).tolist()))


def _pieces(words: list[str]) -> list[list[str]]:
    return [words[low : low + LONGEST] for low in range(0, len(words), LONGEST)]


def _gensim() -> Any:
    try:
        from gensim.models import doc2vec
    except ImportError as error:
        raise DataError("graph2vec needs the package gensim; get it by: pip install gensim") from error
    return doc2vec
