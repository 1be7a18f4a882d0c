"""Cora, Citeseer and Pubmed: papers with their words, who cites whom hidden.

The ids of papers tell their age: in Cora the citing paper has the larger id in 84 of 100 citations, in Pubmed
in 90, and Citeseer's ids spell the year. So the graph holds no names, and its nodes come in a shuffled order.
The ids stand with the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.files import AnyPath, raw_bytes, raw_file
from mhmgnn.datasets.sources import SINGLE, RawFile, Source, one_file, register
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.archives import read_npz, read_sparse

LONGEST = 100  # letters of an id; all take the room of the longest


@dataclass(frozen=True, eq=False)
class Citations:
    """Who cites whom: paper `citing[i]` cites paper `cited[i]`, never itself, sorted, each pair once."""

    citing: np.ndarray  # (c,) int64
    cited: np.ndarray  # (c,) int64
    papers: np.ndarray  # (n,) str, the id that each paper has in the raw file
    lines: int  # of the raw file, citations of a paper by itself included
    without_words: int  # papers that are cited or cite, but have no features

    def counts(self) -> dict[str, int]:
        """Lines of the raw file, and papers without words."""
        return {"citations": self.lines, "nodes without features": self.without_words}

    def cites(self, ksets: np.ndarray) -> np.ndarray:
        """Whether slot i of each k-set cites slot j, (m, k) to (m, k, k) bool."""
        n = self.papers.size
        known = self.citing * n + self.cited  # sorted, as the pairs are
        asked = ksets[:, :, None] * n + ksets[:, None, :]
        at = np.searchsorted(known, asked).clip(max=max(known.size - 1, 0))
        return np.asarray(known[at] == asked) if known.size else np.zeros(asked.shape, bool)

    def has_citing_centre(self, ksets: np.ndarray) -> np.ndarray:
        """Whether some node of each k-set cites all the others, (m, k) to (m,) bool."""
        return np.asarray((self.cites(ksets).sum(axis=2) == ksets.shape[1] - 1).any(axis=1))

    def leaves(self, ksets: np.ndarray) -> np.ndarray:
        """How many nodes of each k-set cite none of the others, (m, k) to (m,) int64.

        0 where the papers cite one another in a cycle that no paper leaves.
        """
        return np.asarray((~self.cites(ksets).any(axis=2)).sum(axis=1))


def citations(name: str, data_dir: AnyPath | None = None) -> Dataset[Citations]:
    """The citation network called "cora", "citeseer" or "pubmed"."""
    read = {"cora": _linqs, "citeseer": _linqs, "pubmed": _pubmed}
    if name not in read:
        raise DataError(f"there is no citation network {name!r}; there are {', '.join(read)}")
    ids, x, citing, cited = read[name](name, data_dir)
    _check_ids(name, ids, x.shape[0], {*ids, *citing, *cited})
    at = {paper: node for node, paper in enumerate(ids)}
    extra = sorted({paper for paper in (*citing, *cited) if paper not in at})
    at |= {paper: len(ids) + i for i, paper in enumerate(extra)}
    words = sparse.csr_array(
        (x.data, x.indices, np.append(x.indptr, np.full(len(extra), x.indptr[-1]))),
        shape=(len(at), x.shape[1]),
    )
    pairs = np.array([[at[a], at[b]] for a, b in zip(citing, cited, strict=True)], np.int64).reshape(-1, 2)
    order = np.random.default_rng(0).permutation(len(at))
    place = np.argsort(order)
    pairs = np.unique(place[pairs[pairs[:, 0] != pairs[:, 1]]], axis=0)
    truth = Citations(
        citing=pairs[:, 0].copy(),
        cited=pairs[:, 1].copy(),
        papers=np.array([*ids, *extra])[order],
        lines=len(citing),
        without_words=len(extra),
    )
    undirected = np.unique(np.sort(pairs, axis=1), axis=0)  # two citations of a pair are one edge
    return Dataset(name, Graph.from_edges(undirected, features=words[order]), truth)


def _check_ids(name: str, ids: list[str], rows: int, every: set[str]) -> None:
    if len(set(ids)) != len(ids) or len(ids) != rows:
        raise DataError(
            f"{name} is damaged: {len(ids)} papers for {rows} rows of words, or one twice; fetch it again"
        )
    if max(map(len, every), default=0) > LONGEST:
        raise DataError(f"{name} is damaged: an id has more than {LONGEST} letters; fetch it again")


Raw = tuple[list[str], sparse.csr_array, list[str], list[str]]  # ids, words, citing and cited papers


def _linqs(name: str, data_dir: AnyPath | None) -> Raw:
    """Cora and Citeseer: a line of `cites` has the cited paper first, then the citing one."""
    content = raw_file(name, f"{name}/{name}.content.gz", data_dir)
    lines = _text(name, content).splitlines()
    ids = [line.partition("\t")[0] for line in lines]
    words = [line.partition("\t")[2].rpartition("\t")[0] for line in lines]  # 0 or 1, tab, 0 or 1, ...
    damaged = DataError(f"{content} is damaged: its lines are not ids with as many 0 and 1; fetch it again")
    if len({len(row) for row in words}) != 1 or len(words[0]) % 2 == 0 or not all(map(str.isascii, words)):
        raise damaged
    signs = np.frombuffer("".join(f"{row}\t" for row in words).encode(), np.uint8).reshape(-1, 2)
    if not np.isin(signs[:, 0], [ord("0"), ord("1")]).all():
        raise damaged
    x = sparse.csr_array(signs[:, 0].reshape(len(ids), -1) == ord("1"), dtype=np.float32)
    cites = raw_file(name, f"{name}/{name}.cites", data_dir)
    cited, citing = _columns(cites, [line.split() for line in _text(name, cites).splitlines()])
    return ids, x, citing, cited


def _pubmed(name: str, data_dir: AnyPath | None) -> Raw:
    """Pubmed: a line has the citing paper first; two lines of titles come before."""
    file = raw_file(name, "pubmed/pubmed.features.npz", data_dir)
    try:
        arrays = read_npz(file)
        x = read_sparse(arrays, "csr", file)
        ids = [str(paper) for paper in arrays["paper_id"].ravel().tolist()]
    except (ValueError, KeyError) as error:
        raise DataError(f"{file} is damaged: {error}; copy it again") from None
    cites = raw_file(name, "pubmed/Pubmed-Diabetes.DIRECTED.cites.tab.gz", data_dir)
    rows = [line.split("\t") for line in _text(name, cites).splitlines()[2:]]
    if any(len(row) != 4 for row in rows):
        raise DataError(f"{cites} is damaged: a line has not four cells; fetch it again")
    citing, cited = _columns(cites, [[row[1].removeprefix("paper:"), row[3][6:]] for row in rows])
    return ids, x, citing, cited


def _columns(file: Path, rows: list[list[str]]) -> tuple[list[str], list[str]]:
    if not rows or any(len(row) != 2 for row in rows):
        raise DataError(f"{file} is damaged: a line does not name two papers; fetch it again")
    return [row[0] for row in rows], [row[1] for row in rows]


def _text(name: str, file: Path) -> str:
    try:
        return raw_bytes(name, file).decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{file} is damaged: {error}; fetch it again") from None


_LINQS = "https://linqs-data.soe.ucsc.edu/public"
_CORA = (f"{_LINQS}/lbc/cora.tgz", f"{_LINQS}/datasets/cora/cora.tar.gz")
_CITESEER = (
    f"{_LINQS}/lbc/citeseer.tgz",
    f"{_LINQS}/datasets/citeseer-doc-classification/citeseer-doc-classification.tar.gz",
)
_PUBMED = (
    f"{_LINQS}/Pubmed-Diabetes.tgz",
    f"{_LINQS}/datasets/pubmed-diabetes/pubmed-diabetes.tar.gz",
)
_ONE_EDGE = (
    "the paper counts citations; papers that cite each other make one edge, a paper that cites itself none"
)


def _register(name: str, published: dict[str, int], *files: RawFile, notes: dict[str, str]) -> None:
    """A citation network that the paper has."""
    register(
        Source(
            name=name,
            kind="citations",
            loader=lambda data_dir, seed: citations(name, data_dir),
            files=files,
            table=SINGLE,
            published=published,
            notes={"edges": _ONE_EDGE} | notes,
        )
    )


_register(
    "cora",
    {"nodes": 2708, "citations": 5429, "features": 1433},
    one_file(
        "cora/cora.cites", 69928, "ec1a372391b7f0f60a6aff0084e8abd8f19f0faa7e1f2441a41c492042d5945e", _CORA
    ),
    one_file(
        "cora/cora.content.gz",
        7823427,
        "b8ebed0fd45e53995abafd1b70cf6a9fcc8f86abc5826d69b97fe6ca46e9c8ee",
        _CORA,
    ),
    notes={},
)
_register(
    "citeseer",
    {"nodes": 3327, "citations": 4732, "features": 3703},
    one_file(
        "citeseer/citeseer.cites",
        137062,
        "cd9730630eaaa745058c2cd2cce6b9afb79ca71278a479aebec55f4cf5eb7f30",
        _CITESEER,
    ),
    one_file(
        "citeseer/citeseer.content.gz",
        24589190,
        "de4a3ca98626d77193f27af5c976b981a56080e6273c4e1c05764a95d2143ff8",
        _CITESEER,
    ),
    notes={"nodes without features": "cited, but not described; the paper's nodes hold them too"},
)
_register(
    "pubmed",
    {"nodes": 19717, "citations": 44338, "features": 500},
    one_file(
        "pubmed/Pubmed-Diabetes.DIRECTED.cites.tab.gz",
        1639007,
        "5f8d710649f2808b2ffe73dfe9ab9ce7b06da2ccfe3fd3d6660520a8e4ae2141",
        _PUBMED,
    ),
    one_file(
        "pubmed/pubmed.features.npz",
        4458010,
        "94aa87cc2f067212c9a892177a565250919225af5fe8a55d3ded1c558874ebc0",
        origin="rebuilt from Planetoid's Pubmed and a text dump of it, the ids of papers put back; "
        f"the original is Pubmed-Diabetes.NODE.paper.tab in {_PUBMED[0]}",
    ),
    notes={},
)
