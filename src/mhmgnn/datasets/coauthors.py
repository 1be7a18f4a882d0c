"""Authors who wrote papers together, with the author lists hidden: DBLP, from HyperGCN (Yadati et al., 2019).

The raw file is the other way round: a line holds an author and the papers of that author. Turned round, nodes
are authors and hyperedges are the author lists of papers. Authors are adjacent who wrote a paper together.
An author's features count words: the sum of the words of all papers of that author. The source has left out
authors of one paper, so an author list is that of the authors who have at least two.

Nodes are sorted by name, which says nothing of who wrote with whom.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from mhmgnn.config import check_whole
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.files import AnyPath, raw_file
from mhmgnn.datasets.hyperedges import Hyperedges, project, with_counts
from mhmgnn.datasets.sources import SINGLE, Source, one_file, register
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.archives import read_npz, read_sparse
from mhmgnn.graph.names import Names, one_chunk
from mhmgnn.io.tables import place_of_row, read_table

if TYPE_CHECKING:
    from mhmgnn.subgraphs.subgraph import Subgraph

FOLDER = "hypergcn/coauthorship-dblp"
MOST_WORDS = 2**20  # columns
MOST_WORK = 10**8  # pairs of authors of a paper, and words of authors; there are 3 * 10**5 and 4 * 10**6
SIZE = 4309  # authors in the paper
BURNING = 0.53  # seeds 0..7 give 12,136 to 13,510 edges, 13,024 on average; the paper has 12,863


def dblp(data_dir: AnyPath | None = None, seed: int = 0, *, weights: bool = False) -> Dataset[Hyperedges]:
    """A forest fire of 4,309 authors, the size of the paper's, with the papers that they wrote alone.

    The truth holds the papers all of whose authors burned, so that each is the author list of a paper as it
    stands. An edge may come from a paper that has further authors outside: pairs are all the graph knows. An
    author whose papers all have authors outside remains a node. Features are those of `dblp_whole`: words of
    papers whose other authors are outside count.

    Cotta et al. (2020) do not say how their fire burned. They have fewer than 10 papers with 5 authors; fires
    with about as many edges as theirs have near 200 here.

    `weights` counts for each pair the papers of both, also those with authors outside; else pairs are alone.
    """
    from mhmgnn.subgraphs.fire import forest_fire  # compiled code, which other data sets do without

    check_whole("seed", seed, 0)
    everyone = dblp_whole(data_dir)
    if weights:
        everyone = replace(everyone, graph=with_counts(everyone.graph, everyone.truth))
    key = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
    (fire,) = forest_fire(everyone.graph, SIZE, np.zeros(1, np.int64), key=key, burning=BURNING, threads=1)
    return among(everyone, fire, "dblp")


def dblp_whole(data_dir: AnyPath | None = None) -> Dataset[Hyperedges]:
    """All 22,363 authors of DBLP, and 41,302 papers as the truth: the data before the fire of `dblp`.

    `graph.x` is (22363, 1425) float32, sparse.
    """
    words = _read_words(data_dir)
    names, author, paper = _read_authors(data_dir, papers=words.shape[0])
    ones = np.ones(author.size, np.float32)
    wrote = sparse.csr_array((ones, (author, paper)), shape=(len(names), words.shape[0]))
    by_paper = wrote.tocsc()
    by_paper.sort_indices()
    _check_work(np.diff(by_paper.indptr), np.diff(words.indptr))
    papers = Hyperedges(by_paper.indices.astype(np.int64), by_paper.indptr.astype(np.int64))
    graph = Graph.from_edges(project(papers, len(names)), features=wrote @ words, names=names)
    return Dataset("dblp-whole", graph, papers)


def _check_work(authors: np.ndarray, words: np.ndarray) -> None:
    """Refuse papers, (p,) each, of which a few lines would make more pairs or words than memory holds."""
    pairs, more = (int(authors @ other) for other in (authors.astype(np.int64), words.astype(np.int64)))
    if max(pairs, more) > MOST_WORK:
        raise DataError(f"dblp is damaged: papers make {pairs:,} pairs and {more:,} words; fetch it again")


def among(dataset: Dataset[Hyperedges], subgraph: Subgraph, name: str) -> Dataset[Hyperedges]:
    """A subgraph of the graph of `dataset`, counts kept, and the hyperedges that hold none but its nodes."""
    graph, hidden, nodes = dataset.graph, dataset.truth, subgraph.nodes
    index = np.full(graph.num_nodes, -1)
    index[nodes] = np.arange(nodes.size)
    outside = hidden.incidence(graph.num_nodes) @ (index < 0)
    inside = outside == 0
    members = index[hidden.members[np.repeat(inside, hidden.sizes)]]
    offsets = np.concatenate([[0], np.cumsum(hidden.sizes[inside])])
    x = None if graph.x is None else graph.x[nodes]
    names = None if graph.names is None else Names.of(graph.names.array.take(pa.array(nodes)))
    counts = None
    if graph.weights is not None:
        owner = np.repeat(nodes, np.diff(subgraph.indptr))
        counts = graph.to_scipy(counts=True)[owner, nodes[subgraph.indices]]
    cut = Graph(*subgraph.rows, x, names=names, weights=counts)
    return Dataset(name, cut, Hyperedges(members, offsets))


def _read_authors(data_dir: AnyPath | None, papers: int) -> tuple[Names, np.ndarray, np.ndarray]:
    """Names of authors, sorted, and for each paper of an author the index of both, (total,) int64."""
    path = raw_file("dblp", f"{FOLDER}/hyperedges.tsv.gz", data_dir)
    table = read_table(path, header=False)
    if table.num_columns != 2:
        raise DataError(f"{path} has {table.num_columns} columns; it must hold an author and papers a line")
    texts = one_chunk(pc.utf8_trim_whitespace(table.column(0)))
    order = pc.sort_indices(texts)
    names = Names.of(texts.take(order), what=f"authors in {path}")
    lists = pc.utf8_split_whitespace(one_chunk(table.column(1)).take(order))
    author = np.repeat(np.arange(len(names)), pc.list_value_length(lists).to_numpy())
    written = lists.flatten()
    proper = pc.match_substring_regex(written, "^[0-9]{1,9}$")
    if not pc.all(proper).as_py():
        bad = pc.index(proper, False).as_py()
        where = place_of_row(path, order[author[bad]].as_py(), header=False)
        raise DataError(f"{where}: {written[bad].as_py()!r} is no number of a paper")
    paper = written.cast(pa.int64()).to_numpy()
    if paper.max(initial=-1) >= papers:
        raise DataError(f"{path} names paper {paper.max()}; features.npz beside it holds 0..{papers - 1}")
    distinct = np.unique(author * papers + paper)
    return names, distinct // papers, distinct % papers


def _read_words(data_dir: AnyPath | None) -> sparse.csr_array:
    """1 where a paper holds a word, (papers, words) float32."""
    path = raw_file("dblp", f"{FOLDER}/features.npz", data_dir)
    try:
        words = sparse.csr_array(read_sparse(read_npz(path), "csr", path).astype(np.float32))
    except ValueError as error:
        raise DataError(f"{path} is damaged: {error}; get it anew with `mhmgnn data fetch dblp`") from error
    if words.shape[1] > MOST_WORDS:
        raise DataError(
            f"{path} is damaged: it has {words.shape[1]} columns of words, more than {MOST_WORDS}"
        )
    return words


_HYPERGCN = (
    "converted from the pickles of malllabiisc/HyperGCN on GitHub, data/coauthorship/dblp, "
    "to plain text and plain arrays"
)

register(
    Source(
        name="dblp",
        kind="co-authors",
        loader=dblp,
        files=(
            one_file(
                "hypergcn/coauthorship-dblp/hyperedges.tsv.gz",
                888227,
                "1eaed5171c8dd220b3bdd014ad925648004bea8221a7882842dd0a076d9f4058",
                origin=_HYPERGCN,
            ),
            one_file(
                "hypergcn/coauthorship-dblp/features.npz",
                2051935,
                "bc7547cbf0c3ffbb88217ae3bfda5d6d177b765b81b0c12935fcd66a7873a308",
                origin=_HYPERGCN,
            ),
        ),
        table=SINGLE,
        published={"nodes": 4309, "edges": 12863, "features": 1425},
        notes={
            "edges": "the paper does not say how its forest fire burned; "
            "ours stops at as many authors, by seed"
        },
    )
)
