"""The raw files that each data set needs: what they hold, and who publishes them. docs/data.md says more."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mhmgnn.datasets.files import AnyPath, raw_file
from mhmgnn.errors import DataError


class Part(NamedTuple):
    """Content that is known: a member of an archive by the last part of its path there, or a file."""

    name: str
    size: int  # bytes
    sha256: str


@dataclass(frozen=True)
class RawFile:
    """A file of the data folder.

    A .zip is kept as published, and right when it holds `parts`; how it was packed does not matter. Any other
    file is right when its content, gzip taken off, is the one part. A file with `urls` is canonical: the same
    bytes lie in an archive of the publisher. One without was converted; `origin` says from what.
    """

    path: str
    parts: tuple[Part, ...]
    urls: tuple[str, ...] = ()  # of archives that hold it, tried in this order
    origin: str = ""


class Source(NamedTuple):
    """What kind of data set it is and the files that it is read from; none where it is generated."""

    kind: str
    files: tuple[RawFile, ...]


class Found(NamedTuple):
    """Which raw files of a data set are there, unchecked."""

    paths: tuple[Path, ...]
    missing: tuple[str, ...]


def source_of(name: str) -> Source:
    """The source of the data set called `name`."""
    if name not in SOURCES:
        raise DataError(f"there is no data set {name!r}; the known ones are {', '.join(SOURCES)}")
    return SOURCES[name]


def look(name: str, data_dir: AnyPath | None = None) -> Found:
    """The raw files of the data set that are in the data folder, and the names of those that are not."""
    paths, missing = [], []
    for file in source_of(name).files:
        try:
            paths.append(raw_file(name, file.path, data_dir))
        except DataError:
            missing.append(file.path)
    return Found(tuple(paths), tuple(missing))


def _plain(path: str, size: int, sha256: str, urls: tuple[str, ...] = (), origin: str = "") -> RawFile:
    return RawFile(path, (Part(Path(path).name.removesuffix(".gz"), size, sha256),), urls, origin)


def _tu(name: str, *parts: tuple[str, int, str]) -> Source:
    inside = tuple(Part(f"{name}_{what}.txt", size, sha256) for what, size, sha256 in parts)
    url = f"https://www.chrsmrrs.com/graphkerneldatasets/{name}.zip"
    return Source("many graphs", (RawFile(f"tu/{name}.zip", inside, (url,)),))


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
_HYPERGCN = (
    "converted from the pickles of malllabiisc/HyperGCN on GitHub, data/coauthorship/dblp, "
    "to plain text and plain arrays"
)

SOURCES: dict[str, Source] = {
    "market": Source("products", ()),
    "cora": Source(
        "citations",
        (
            _plain(
                "cora/cora.cites",
                69928,
                "ec1a372391b7f0f60a6aff0084e8abd8f19f0faa7e1f2441a41c492042d5945e",
                _CORA,
            ),
            _plain(
                "cora/cora.content.gz",
                7823427,
                "b8ebed0fd45e53995abafd1b70cf6a9fcc8f86abc5826d69b97fe6ca46e9c8ee",
                _CORA,
            ),
        ),
    ),
    "citeseer": Source(
        "citations",
        (
            _plain(
                "citeseer/citeseer.cites",
                137062,
                "cd9730630eaaa745058c2cd2cce6b9afb79ca71278a479aebec55f4cf5eb7f30",
                _CITESEER,
            ),
            _plain(
                "citeseer/citeseer.content.gz",
                24589190,
                "de4a3ca98626d77193f27af5c976b981a56080e6273c4e1c05764a95d2143ff8",
                _CITESEER,
            ),
        ),
    ),
    "pubmed": Source(
        "citations",
        (
            _plain(
                "pubmed/Pubmed-Diabetes.DIRECTED.cites.tab.gz",
                1639007,
                "5f8d710649f2808b2ffe73dfe9ab9ce7b06da2ccfe3fd3d6660520a8e4ae2141",
                _PUBMED,
            ),
            _plain(
                "pubmed/pubmed.features.npz",
                4458010,
                "94aa87cc2f067212c9a892177a565250919225af5fe8a55d3ded1c558874ebc0",
                origin="rebuilt from Planetoid's Pubmed and a text dump of it, the ids of papers put back; "
                f"the original is Pubmed-Diabetes.NODE.paper.tab in {_PUBMED[0]}",
            ),
        ),
    ),
    "dblp": Source(
        "co-authors",
        (
            _plain(
                "hypergcn/coauthorship-dblp/hyperedges.tsv.gz",
                888227,
                "1eaed5171c8dd220b3bdd014ad925648004bea8221a7882842dd0a076d9f4058",
                origin=_HYPERGCN,
            ),
            _plain(
                "hypergcn/coauthorship-dblp/features.npz",
                2051935,
                "bc7547cbf0c3ffbb88217ae3bfda5d6d177b765b81b0c12935fcd66a7873a308",
                origin=_HYPERGCN,
            ),
        ),
    ),
    "steam": Source(
        "products, two years",
        (
            _plain(
                "steam/australian_user_reviews.flat.jsonl.gz",
                28355159,
                "6a2e9405021289b431a49741cd660686d5f32952cc1fd671634566703a90eb18",
                origin="one line a review, non-ASCII characters blank, from a copy in "
                "clblommberg/PI_MLOPS_Steam on GitHub; the original is the McAuley Lab's "
                "https://mcauleylab.ucsd.edu/public_datasets/data/steam/australian_user_reviews.json.gz",
            ),
        ),
    ),
    "rent": Source(
        "products, two years",
        (
            _plain(
                "renttherunway/renttherunway.transactions.csv.gz",
                13942573,
                "8fb1cce7c5776ccf7f6458d0c5a32e7ba5870d61c9ed9e1923a27105aae0d0ca",
                origin="one line a rental, without the review text, from a copy in "
                "dai-anna/RenttheRunwayRecommendations on GitHub; the original is the McAuley Lab's "
                "https://mcauleylab.ucsd.edu/public_datasets/data/renttherunway/renttherunway_final_data.json.gz",
            ),
        ),
    ),
    "proteins": _tu(
        "PROTEINS_full",
        ("A", 2022990, "4c4b33e272fc95cac6d27ed6d5d12b9a852c8610e91fff59f8f0dbdd5a20df67"),
        ("graph_indicator", 169673, "8d4ff1e852a5c28561e9bffb44cf9490bc552b13a3b6156dd12dc7f44e9afc4a"),
        ("graph_labels", 2226, "c0ef9810c440775252872318d0c8adc385588e14bc4c47a2c34aa96ee3c7cdcd"),
        ("node_attributes", 13886454, "79f9898318a21ce9592b8b7e43cf799745098c464838c54cecade3420108f06f"),
        ("node_labels", 86942, "f758e8ad3d6e3c026b50833d75f6f90735b94eb3345e4243707f495ca8afea8d"),
    ),
    "enzymes": _tu(
        "ENZYMES",
        ("A", 885124, "5553c84f8f562f3e199dfd27192174f485e85c44c1357661098668937a739cbf"),
        ("graph_indicator", 74914, "95ba0fa47eba6f02e6b754a215dc66d5b49de3f45f57a128514301a8d7ed5f46"),
        ("graph_labels", 1200, "04743e08967e61e65cdacbb90f8df6ee53742b3d2e7b84675b85ebac70506856"),
        ("node_attributes", 3876850, "305a8fc3b12f79fb844ef3374d6a3c8ceeb4887dd4f86bbfe37932c4c5434e7b"),
        ("node_labels", 39160, "8263eb9b64efa231a5886343483ccfc0342f2407014763a8f738fd51c32ce770"),
    ),
    "imdb-binary": _tu(
        "IMDB-BINARY",
        ("A", 4596012, "23c8964bab82f81469271186d721131714a265d0ca8c44ae048118da1d0c4092"),
        ("graph_indicator", 76924, "415cc3ba25b8c647dcf34d3de034f675ee070616f3b803be939cb26773489f26"),
        ("graph_labels", 2000, "63a44411fd6342b9c4429828c16e144a2a11ef5244e25bb60f0ffa8b3ee2ffce"),
    ),
    "imdb-multi": _tu(
        "IMDB-MULTI",
        ("A", 4702980, "fb538b23758d78df199272301e57dc74ad5754d6c3d79d5ed0a343193ddf4ec6"),
        ("graph_indicator", 82760, "0274532a0e47dad9cdd21c08995c2265e43040a2c2a3b36c62fdb790994571d3"),
        ("graph_labels", 3000, "613c2357b6b996f6f04b91697a99da87774820f9d08bf22813992f4c7afda855"),
    ),
}
