"""Collections of small graphs with a class each, from TU Dortmund (Kersting et al., 2016).

The raw files list graphs class by class, so that the place of a graph would tell its class. Here graphs come
in a shuffled order, always the same. Node features are the raw node attributes as they stand, not scaled, and
after them the node label as 0 and 1. The IMDB sets have neither.
"""

import zipfile
from itertools import pairwise
from pathlib import Path, PurePosixPath

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from mhmgnn.datasets.dataset import GraphDataset
from mhmgnn.datasets.files import AnyPath, raw_file
from mhmgnn.datasets.sources import MANY, Content, RawFile, Source, register
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.archives import BROKEN_ZIP
from mhmgnn.graph.edges import Listing, merge_edges
from mhmgnn.graph.features import as_array

RAW = {  # what the archives call them; PROTEINS itself has 1 attribute, PROTEINS_full has 29
    "proteins": "PROTEINS_full",
    "enzymes": "ENZYMES",
    "imdb-binary": "IMDB-BINARY",
    "imdb-multi": "IMDB-MULTI",
}
WITH_FEATURES = ("proteins", "enzymes")
FILES = ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes")
MOST_BYTES = 10**8  # unpacked; the largest of the four has 1.6 * 10**7
MOST_KINDS = 1000  # of nodes, each a column of features


def collection(name: str, data_dir: AnyPath | None = None) -> GraphDataset:
    """The graphs of "proteins", "enzymes", "imdb-binary" or "imdb-multi", and the class of each.

    Classes are numbered from 0 in the order of the raw labels. `x` of a graph is (n, 32) or (n, 21) float32
    for proteins and enzymes, None for the others.
    """
    if name not in RAW:
        raise DataError(f"there is no collection {name!r}; there are {', '.join(RAW)}")
    path = raw_file(name, f"tu/{RAW[name]}.zip", data_dir)
    try:
        files = _unpack(path, RAW[name])
        graphs = _cut(files, _features(files) if name in WITH_FEATURES else None)
        labels = np.unique(_whole_numbers(files, "graph_labels", 1)[:, 0], return_inverse=True)[1]
        if labels.size != len(graphs):
            raise DataError(f"{labels.size} labels for {len(graphs)} graphs")
    except (DataError, pa.ArrowException, *BROKEN_ZIP) as error:
        raise DataError(f"{path} is damaged: {error}; get it anew with `mhmgnn data fetch {name}`") from error
    order = np.random.default_rng(0).permutation(labels.size)
    return GraphDataset(name, tuple(graphs[i] for i in order), labels[order].astype(np.int64))


def _unpack(path: Path, raw: str) -> dict[str, bytes]:
    """The files of numbers in the archive, by the end of their names: "A" for ENZYMES//ENZYMES_A.txt."""
    with zipfile.ZipFile(path) as archive:
        found = [(PurePosixPath(member.filename).name, member) for member in archive.infolist()]
        wanted = [(what, member) for what in FILES for name, member in found if name == f"{raw}_{what}.txt"]
        size = sum(member.file_size for _, member in wanted)
        if size > MOST_BYTES:
            raise DataError(f"it unpacks to {size} bytes, more than {MOST_BYTES}")
        files = {}
        for what, member in wanted:
            with archive.open(member) as stream:  # a file larger than it says fails its checksum
                files[what] = stream.read(member.file_size + 1)
    return files


def _cut(files: dict[str, bytes], x: np.ndarray | None) -> list[Graph]:
    """The graphs in raw order. They are first read as one graph; each is a stretch of its rows."""
    owner = _whole_numbers(files, "graph_indicator", 1)[:, 0] - 1  # (n,): the graph of each node
    ends = _whole_numbers(files, "A", 2) - 1
    if owner[0] != 0 or not np.isin(np.diff(owner), (0, 1)).all():
        raise DataError("the nodes do not come graph by graph")
    if ends.min() < 0 or ends.max() >= owner.size:
        raise DataError(f"an edge names a node outside 1..{owner.size}")
    if (owner[ends[:, 0]] != owner[ends[:, 1]]).any():
        raise DataError("an edge joins two graphs")
    rows = merge_edges(Listing(ends[:, 0], ends[:, 1], owner.size, x=x))
    starts = np.flatnonzero(np.diff(owner, prepend=-1, append=owner[-1] + 1))
    graphs = []
    for low, high in pairwise(starts.tolist()):
        indptr = rows.indptr[low : high + 1]
        indices = rows.indices[indptr[0] : indptr[-1]] - np.int32(low)
        graphs.append(Graph(indptr - indptr[0], indices, None if x is None else x[low:high]))
    return graphs


def _features(files: dict[str, bytes]) -> np.ndarray:
    """Attributes, then labels as 0 and 1 in ascending order, (n, p) float32."""
    attributes = as_array(_numbers(files, "node_attributes", pa.float64()), "node_attributes")
    label = _whole_numbers(files, "node_labels", 1)
    kinds = np.unique(label)
    if kinds.size > MOST_KINDS:
        raise DataError(f"nodes have {kinds.size} labels, more than {MOST_KINDS}")
    return np.hstack([attributes, (label == kinds).astype(np.float32)])


def _whole_numbers(files: dict[str, bytes], what: str, width: int) -> np.ndarray:
    """A file as (rows, width) int64."""
    numbers = _numbers(files, what, pa.int64())
    if numbers.shape[1] != width:
        raise DataError(f"{what} has {numbers.shape[1]} numbers a line; it must have {width}")
    return numbers


def _numbers(files: dict[str, bytes], what: str, kind: pa.DataType) -> np.ndarray:
    """A file, numbers between commas, as (rows, columns)."""
    if what not in files:
        raise DataError(f"it holds no file of which the name ends in _{what}.txt")
    table = pacsv.read_csv(
        pa.BufferReader(files[what]),
        pacsv.ReadOptions(autogenerate_column_names=True),
        convert_options=pacsv.ConvertOptions(null_values=[]),
    )
    return np.column_stack([column.cast(kind).to_numpy() for column in table.columns])


def _register(name: str, published: dict[str, int], *files: tuple[str, int, str]) -> None:
    """A collection that the paper has, and what its archive holds: name, bytes and SHA-256 of each file."""
    inside = tuple(Content(f"{RAW[name]}_{what}.txt", size, sha256) for what, size, sha256 in files)
    url = f"https://www.chrsmrrs.com/graphkerneldatasets/{RAW[name]}.zip"
    register(
        Source(
            name=name,
            kind="many graphs",
            loader=lambda data_dir, seed: collection(name, data_dir),
            files=(RawFile(f"tu/{RAW[name]}.zip", inside, (url,)),),
            table=MANY,
            published=published,
        )
    )


_register(
    "proteins",
    {"graphs": 1113, "features": 32, "classes": 2},
    ("A", 2022990, "4c4b33e272fc95cac6d27ed6d5d12b9a852c8610e91fff59f8f0dbdd5a20df67"),
    ("graph_indicator", 169673, "8d4ff1e852a5c28561e9bffb44cf9490bc552b13a3b6156dd12dc7f44e9afc4a"),
    ("graph_labels", 2226, "c0ef9810c440775252872318d0c8adc385588e14bc4c47a2c34aa96ee3c7cdcd"),
    ("node_attributes", 13886454, "79f9898318a21ce9592b8b7e43cf799745098c464838c54cecade3420108f06f"),
    ("node_labels", 86942, "f758e8ad3d6e3c026b50833d75f6f90735b94eb3345e4243707f495ca8afea8d"),
)
_register(
    "enzymes",
    {"graphs": 600, "features": 21, "classes": 6},
    ("A", 885124, "5553c84f8f562f3e199dfd27192174f485e85c44c1357661098668937a739cbf"),
    ("graph_indicator", 74914, "95ba0fa47eba6f02e6b754a215dc66d5b49de3f45f57a128514301a8d7ed5f46"),
    ("graph_labels", 1200, "04743e08967e61e65cdacbb90f8df6ee53742b3d2e7b84675b85ebac70506856"),
    ("node_attributes", 3876850, "305a8fc3b12f79fb844ef3374d6a3c8ceeb4887dd4f86bbfe37932c4c5434e7b"),
    ("node_labels", 39160, "8263eb9b64efa231a5886343483ccfc0342f2407014763a8f738fd51c32ce770"),
)
_register(
    "imdb-binary",
    {"graphs": 1000, "features": 0, "classes": 2},
    ("A", 4596012, "23c8964bab82f81469271186d721131714a265d0ca8c44ae048118da1d0c4092"),
    ("graph_indicator", 76924, "415cc3ba25b8c647dcf34d3de034f675ee070616f3b803be939cb26773489f26"),
    ("graph_labels", 2000, "63a44411fd6342b9c4429828c16e144a2a11ef5244e25bb60f0ffa8b3ee2ffce"),
)
_register(
    "imdb-multi",
    {"graphs": 1500, "features": 0, "classes": 3},
    ("A", 4702980, "fb538b23758d78df199272301e57dc74ad5754d6c3d79d5ed0a343193ddf4ec6"),
    ("graph_indicator", 82760, "0274532a0e47dad9cdd21c08995c2265e43040a2c2a3b36c62fdb790994571d3"),
    ("graph_labels", 3000, "613c2357b6b996f6f04b91697a99da87774820f9d08bf22813992f4c7afda855"),
)
