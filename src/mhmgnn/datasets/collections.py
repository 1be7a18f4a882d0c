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
PARTS = ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes")
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
        parts = _unpack(path, RAW[name])
        graphs = _cut(parts, _features(parts) if name in WITH_FEATURES else None)
        labels = np.unique(_whole_numbers(parts, "graph_labels", 1)[:, 0], return_inverse=True)[1]
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
        wanted = [(part, member) for part in PARTS for file, member in found if file == f"{raw}_{part}.txt"]
        size = sum(member.file_size for _, member in wanted)
        if size > MOST_BYTES:
            raise DataError(f"it unpacks to {size} bytes, more than {MOST_BYTES}")
        parts = {}
        for part, member in wanted:
            with archive.open(member) as stream:  # a file larger than it says fails its checksum
                parts[part] = stream.read(member.file_size + 1)
    return parts


def _cut(parts: dict[str, bytes], x: np.ndarray | None) -> list[Graph]:
    """The graphs in raw order. All are first one graph in parts, of which each is a stretch of rows."""
    owner = _whole_numbers(parts, "graph_indicator", 1)[:, 0] - 1  # (n,): the graph of each node
    ends = _whole_numbers(parts, "A", 2) - 1
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


def _features(parts: dict[str, bytes]) -> np.ndarray:
    """Attributes, then labels as 0 and 1 in ascending order, (n, p) float32."""
    attributes = as_array(_numbers(parts, "node_attributes", pa.float64()), "node_attributes")
    label = _whole_numbers(parts, "node_labels", 1)
    kinds = np.unique(label)
    if kinds.size > MOST_KINDS:
        raise DataError(f"nodes have {kinds.size} labels, more than {MOST_KINDS}")
    return np.hstack([attributes, (label == kinds).astype(np.float32)])


def _whole_numbers(parts: dict[str, bytes], part: str, width: int) -> np.ndarray:
    """A part as (rows, width) int64."""
    numbers = _numbers(parts, part, pa.int64())
    if numbers.shape[1] != width:
        raise DataError(f"{part} has {numbers.shape[1]} numbers a line; it must have {width}")
    return numbers


def _numbers(parts: dict[str, bytes], part: str, kind: pa.DataType) -> np.ndarray:
    """A part, numbers between commas, as (rows, columns)."""
    if part not in parts:
        raise DataError(f"it holds no file of which the name ends in _{part}.txt")
    table = pacsv.read_csv(
        pa.BufferReader(parts[part]),
        pacsv.ReadOptions(autogenerate_column_names=True),
        convert_options=pacsv.ConvertOptions(null_values=[]),
    )
    return np.column_stack([column.cast(kind).to_numpy() for column in table.columns])
