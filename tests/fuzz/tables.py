"""Readers of tables and matrices: edges, counts, features, k-sets, labels."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fuzz.reader import Reader, check_graph, npy, packed, pick, unpacked, zip_text, zipped
from scipy import sparse

from mhmgnn.evaluation.labelled import probe_table
from mhmgnn.graph import Graph
from mhmgnn.graph.join import join
from mhmgnn.models.predict import Job, energies, vectors, write

IDS, HEADER, ENDS, ATTR = ("auto", "index", "name"), (None, True, False), (None, (1, 0)), ((), (2,), ("w",))
WEIGHTS = (None, False, 2, "w")
OPTIONS = (IDS, HEADER, ENDS, ATTR, WEIGHTS)
TEXTS = ("e.csv", "e.tsv", "e.txt", "e.csv.gz")
EDGES = b"# who with whom\nsource,target,w\nbeans,grinder,1\ngrinder,espresso,2.5\nespresso,beans,-1e3\n"
GRAPH = Graph.from_edges([("0", "1"), ("1", "2"), ("2", "0"), ("2", "3")])
COUNTED = b"source,target,date,Count\nbeans,grinder,2020,3\ngrinder,beans,2021,1\nespresso,beans,2020,310\n"
COUNTS = Graph.from_edges([("beans", "grinder"), ("grinder", "espresso")], weights=[2, 7.5])
NUMBERED = Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)])


class Stub:
    """What gives a k-set a number without thought."""

    k = 3

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def energy(self, ksets: np.ndarray, **_: None) -> np.ndarray:
        return np.zeros(len(ksets), np.float32)

    def embed(self, ksets: np.ndarray, *, graph: Graph | None = None) -> np.ndarray:
        return np.zeros((len(ksets), 2), np.float32)


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    into = io.BytesIO()
    pq.write_table(pa.table(columns), into, **options)
    return into.getvalue()


def matrix_files(matrix: Any) -> dict[str, bytes]:
    """What `scipy.sparse.save_npz` puts into an archive."""
    parts: dict[str, Any] = {"format": matrix.format.encode(), "shape": matrix.shape, "data": matrix.data}
    names = {"coo": ("row", "col"), "dia": ("offsets",)}.get(matrix.format, ("indices", "indptr"))
    parts |= {name: getattr(matrix, name) for name in names}
    return {f"{name}.npy": npy(part) for name, part in parts.items()}


def matrices() -> list[bytes]:
    square = sparse.csr_array(np.array([[0, 1, 2], [1, 0, 0], [0, 3.5, 0]]))
    return [packed(matrix_files(square.asformat(kind))) for kind in ("csr", "csc", "coo", "bsr", "dia")]


def tables() -> list[bytes]:
    texts = {"u": ["a", "b", "c"], "v": ["b", "c", "a"], "w": [1.0, 2, 3]}
    kinds = {"u": pa.array([0, 1, 2], pa.uint8()), "v": pa.array(["1", "2", "0"]).dictionary_encode()}
    odd = {"u": [1.0, 2, 3], "v": pa.array([2, 3, 1], pa.int16()), "w": [[1], None, []], "": [{"a": 1}] * 3}
    return [
        parquet(texts),
        parquet({"u": ["a", "b"], "v": ["b", "c"], "n": pa.array([3, 1], pa.int16())}),
        parquet(kinds, compression="none"),
        parquet(odd, use_dictionary=False, data_page_version="2.0", compression="zstd"),
    ]


def read_text(data: bytes, folder: Path) -> None:
    (name, *options), text = pick(data, TEXTS, *OPTIONS)
    (folder / name).write_bytes(zip_text(text) if name.endswith(".gz") else text)
    read(folder / name, options)


def read(path: Path, options: list[Any]) -> None:
    ids, header, columns, attr, weights = options
    check_graph(
        Graph.read(path, ids=ids, header=header, columns=columns, edge_attr=attr, weights=weights, quiet=True)
    )


def edge_texts() -> list[bytes]:
    blanks = b"0 1\n1  2\n\n% no\n2 0\r\n"
    quoted = b'u,v\n"a, b", c \n"say ""no""",d\n'
    log = b"0 1\n1 0\n1 2\n0 1\n"
    return [
        b"000010" + EDGES,
        b"000021" + EDGES,
        b"200000" + blanks,
        b"310200" + blanks,
        b"000000" + quoted,
        b"100000" + b"a\tb\nb\tc\n",
        b"000000" + b"\xef\xbb\xbfid,\xc3\xbc\n-5,1000000000000\n",
        b"000000" + COUNTED,
        b"000000" + b"a,b,3\nb,c,1.5\nc,a,1e6\n",
        b"000003" + b"source,target,w\na,b,2\nb,a,2\n",
        b"200002" + b"a b 2\nb c 7\n",
        b"200000" + log,
        b"200001" + log,
    ]


def read_counts(data: bytes, folder: Path) -> None:
    names = ("e.csv", "e.txt", "e.csv.gz", "e.parquet")
    (name, weights, named), content = pick(data, names, (None, "count", 2), (True, False))
    (folder / name).write_bytes(zip_text(content) if name.endswith(".gz") else content)
    known = COUNTS if named else replace(NUMBERED, weights=np.ones(8, np.float32))
    ids = "name" if named else "index"
    further = Graph.read(folder / name, ids=ids, weights=weights, quiet=True)
    check_graph(further)
    both = join(known, further).graph
    check_graph(both)
    assert both.weights is not None, "counts stay"
    added = further.indices.size if further.weights is None else further.weights.sum(dtype=np.float64)
    total = known.weights.sum(dtype=np.float64) + added
    np.testing.assert_allclose(both.weights.sum(dtype=np.float64), total, rtol=1e-5)


def count_seeds() -> list[bytes]:
    text = b"source,target,count\nbeans,grinder,3\ngrinder,beans,1.5\nespresso,milk,310\n"
    plain = b"0 1 2\n1 2 7\n1 4 1e3\n"
    cells = [pa.array([3, 1], pa.uint64()), pa.array([2.5, 1], pa.float32()), pa.array([1, 2], pa.int8())]
    tables = [parquet({"u": ["a", "beans"], "v": ["beans", "c"], "count": column}) for column in cells]
    return [
        *(b"000" + text, b"010" + text, b"220" + text, b"101" + plain, b"121" + plain),
        *(b"310" + table for table in tables),
    ]


def read_gz(data: bytes, folder: Path) -> None:
    (folder / "e.csv.gz").write_bytes(data)
    check_graph(Graph.read(folder / "e.csv.gz", quiet=True))


def read_parquet(data: bytes, folder: Path) -> None:
    options, content = pick(data, *OPTIONS)
    (folder / "e.parquet").write_bytes(content)
    read(folder / "e.parquet", options)


def read_npz(data: bytes, folder: Path) -> None:
    (raw,), content = pick(data, (False, True))
    (folder / "e.npz").write_bytes(content if raw else zipped(unpacked(content)))
    check_graph(Graph.read(folder / "e.npz", quiet=True))


def npz_seeds() -> list[bytes]:
    whole = io.BytesIO()
    sparse.save_npz(whole, sparse.coo_array(np.eye(3)[[1, 2, 0]]))
    return [*(b"0" + some for some in matrices()), b"1" + whole.getvalue()]


def read_features(data: bytes, folder: Path) -> None:
    names = ("x.csv", "x.csv.gz", "x.parquet", "x.npy", "x.npz")
    (name, by, numbered), content = pick(data, names, ("auto", "name", "row"), (False, True))
    if name == "x.csv.gz":
        content = zip_text(content)
    elif name == "x.npz":
        content = zipped(unpacked(content))
    (folder / name).write_bytes(content)
    (folder / "e.csv").write_bytes(b"0,1\n1,2\n" if numbered else EDGES)
    check_graph(Graph.read(folder / "e.csv", features=folder / name, features_by=by, quiet=True))


def feature_seeds() -> list[bytes]:
    text = b"name,size,price\nbeans,1,2\ngrinder,3,4.5\nespresso,5,-1e-3\nmilk,0,0\n"
    table = parquet({"id": ["beans", "grinder", "espresso"], "a": [1.0, 2, 3], "b": [True, False, True]})
    return [
        b"000" + text,
        b"110" + text,
        b"021" + b"1,2\n3,4\n5,6\n",
        b"200" + table,
        b"301" + npy(np.arange(6, dtype=np.float32).reshape(3, 2)),
        b"301" + npy(np.asfortranarray(np.arange(6).reshape(3, 2))),
        *(b"401" + some for some in matrices()),
    ]


def read_ksets(data: bytes, folder: Path) -> None:
    names = ("s.csv", "s.tsv", "s.csv.gz", "s.parquet")
    (name, named, header, target), content = pick(
        data, names, (True, False), HEADER, ("t.csv", "t.tsv.gz", "t.parquet")
    )
    (folder / name).write_bytes(zip_text(content) if name.endswith(".gz") else content)
    model: Any = Stub(GRAPH if named else NUMBERED)
    for columns in (energies, vectors):
        write(lambda: model, Job(columns, folder / name, folder / target, header))
    assert sorted(path.name for path in folder.iterdir()) == sorted([name, target])


def kset_seeds() -> list[bytes]:
    text = b"a,b,c\n0,1,2\n1,3,2\n"
    table = parquet({"energy": ["0", "1"], "v0": ["1", "2"], "c": ["2", "3"]})
    return [b"0000" + text, b"0111" + text, b"2012" + text, b"3002" + table, b"3100" + table]


def read_labels(data: bytes, folder: Path) -> None:
    names = ("s.csv", "s.tsv", "s.parquet")
    (name, label, header, named), content = pick(data, names, (None, "y"), HEADER, (True, False))
    (folder / name).write_bytes(content)
    with patch("mhmgnn.evaluation.labelled.cross_validate"):
        probe_table(Stub(GRAPH if named else NUMBERED), folder / name, label=label, header=header)


def label_seeds() -> list[bytes]:
    text = b"a,b,c,y\n0,1,2,near\n1,3,2,far\n"
    table = parquet({"y": ["near", "far"], "a": ["0", "1"], "b": ["1", "2"], "c": ["2", "3"]})
    return [b"0000" + text, b"0111" + text, b"2100" + table]


READERS = {
    "edges-text": Reader(read_text, edge_texts),
    "edges-gz": Reader(read_gz, lambda: [zip_text(some) for some in (EDGES, COUNTED, b"0,1\n" * 200)]),
    "edges-parquet": Reader(read_parquet, lambda: [b"00000" + table for table in tables()]),
    "counts": Reader(read_counts, count_seeds),
    "edges-npz": Reader(read_npz, npz_seeds),
    "features": Reader(read_features, feature_seeds),
    "ksets": Reader(read_ksets, kset_seeds),
    "labels": Reader(read_labels, label_seeds),
}
