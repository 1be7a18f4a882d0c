"""Small files that would be large: each is refused before the memory is taken, and soon."""

import gzip
import json
import struct
import tarfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzz import folders, raw
from fuzz.memory import peak_below
from fuzz.reader import MARK, packed, unpacked, zipped
from scipy import sparse

from mhmgnn import DataError, Graph
from mhmgnn.datasets.fetch import _unpack
from mhmgnn.datasets.files import raw_bytes
from mhmgnn.datasets.groups import hypergraph
from mhmgnn.graph.features import read_features
from mhmgnn.io.tables import read_table
from mhmgnn.models.checkpoint import last_step

HUGE = 2**31 - 1


@pytest.fixture(autouse=True)
def little_memory():
    """No test here may take more than 200 MB beyond what it began with."""
    with peak_below(200 * 2**20):
        yield


@pytest.fixture
def small_allowance(monkeypatch):
    """A file may unpack to 1 MB, or a hundred times its size, so that bombs need not be larger."""
    monkeypatch.setattr("mhmgnn.io.text._SMALL", 2**20)
    monkeypatch.setattr("mhmgnn.io.text._GROWTH", 100)


@pytest.mark.parametrize(
    "columns",
    [
        {"u": np.zeros(2 * 10**6, np.int8), "v": np.ones(2 * 10**6, np.int8)},
        {"u": ["x" * 10**4] * 1000, "v": ["y"] * 1000},
    ],
    ids=["rows", "texts"],
)
def test_a_table_of_one_row_over_and_over_is_refused(tmp_path, small_allowance, columns):
    pq.write_table(pa.table(columns), tmp_path / "e.parquet", compression="zstd")
    assert (tmp_path / "e.parquet").stat().st_size < 20_000
    with pytest.raises(DataError, match=r"e\.parquet unpacks to .* bytes, a file of its size to .* at most"):
        read_table(tmp_path / "e.parquet")


def test_a_table_that_is_long_for_good_reason_is_read(tmp_path, small_allowance):
    numbers = np.random.default_rng(0).integers(10**6, size=(2, 200_000))
    columns = {"u": numbers[0], "v": pa.array(numbers[1]).cast(pa.string())}
    pq.write_table(pa.table(columns), tmp_path / "e.parquet")
    assert read_table(tmp_path / "e.parquet").num_rows == 200_000


def test_an_archive_of_zeros_is_refused(tmp_path, small_allowance):
    np.savez_compressed(tmp_path / "x.npz", format=b"csr", data=np.zeros(10**6))
    with pytest.raises(DataError, match=r"x\.npz unpacks to 8,000,.* bytes, more than 1,048,576"):
        read_features(tmp_path / "x.npz", "row")


@pytest.mark.parametrize("kind", ["coo", "csc", "dia"])
def test_a_matrix_of_few_entries_and_any_shape_is_refused(tmp_path, kind):
    places = {"coo": {"row": [0], "col": [1]}, "dia": {"offsets": [1]}}
    places["csc"] = {"indices": [0], "indptr": [0, 1, 1, 1]}
    arrays = {"shape": [HUGE, 3] if kind == "csc" else [HUGE, HUGE], **places[kind]}
    np.savez(tmp_path / "x.npz", format=kind.encode(), data=np.ones((1, 1) if kind == "dia" else 1), **arrays)
    with pytest.raises(DataError, match=r"shape is \(2147483647, .*\); allowed are rows and columns up to"):
        read_features(tmp_path / "x.npz", "row")


def test_a_short_list_of_edges_does_not_ask_for_a_billion_nodes(tmp_path):
    (tmp_path / "e.txt").write_text(f"0 {HUGE - 1}\n")
    with pytest.raises(DataError, match=r"1 edges ask for 2147483647 nodes.*ids='name'"):
        Graph.read(tmp_path / "e.txt", ids="index")
    n = 3 * 10**7
    sparse.save_npz(tmp_path / "e.npz", sparse.coo_array(([1], ([0], [1])), shape=(n, n)))
    with pytest.raises(DataError, match="1 edges ask for 30000000 nodes"):
        Graph.read(tmp_path / "e.npz")


@pytest.mark.parametrize("shape", [(10**15,), (10**11, 2), (3, 2**63 - 1), (2**62, 4), (2, -1)])
def test_a_header_that_claims_any_shape_is_refused(tmp_path, shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    claim = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(24)
    (tmp_path / "x.npy").write_bytes(claim)
    with pytest.raises(DataError, match=r"x\.npy is no array of numbers"):
        read_features(tmp_path / "x.npy", "row")
    (tmp_path / "x.npz").write_bytes(zipped([("format.npy", claim)]))
    with pytest.raises(DataError, match=r"x\.npz is no \.npz file of arrays"):
        read_features(tmp_path / "x.npz", "row")


@pytest.mark.parametrize("shape, end", [([2**40], 8), ([2**31, 2**31], 2**62), ([0, 2**63], 0)])
def test_a_checkpoint_whose_header_claims_any_shape_is_refused(tmp_path, shape, end):
    header = json.dumps({"w": {"dtype": "F64", "shape": shape, "data_offsets": [0, end]}}).encode()
    (tmp_path / "step-000001.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
    with pytest.raises(DataError, match=r"no checkpoint in .* can be used"):
        last_step(tmp_path)


@pytest.mark.parametrize("change", [(b"dim = 4", b"dim = 1000000"), (b"layers = 1", b"layers = 1000000000")])
def test_settings_of_a_model_do_not_ask_for_more_than_its_weights(tmp_path, change):
    with pytest.raises(DataError, match=r"the weights in .* do not fit its config"):
        folders.read_model(folders.model_seeds()[0].replace(*change), tmp_path)


@pytest.mark.parametrize("name", ["in_features", "edge_features"])
def test_facts_of_a_model_do_not_ask_for_more_than_its_weights(tmp_path, name):
    choice, content = folders.model_seeds()[0][:1], folders.model_seeds()[0][1:]
    files = dict(unpacked(content))
    story = json.loads(files["provenance.json"])
    story["facts"][name] = 10**10
    with pytest.raises(DataError, match=r"the weights in .* do not fit its config"):
        folders.read_model(choice + packed(files | {"provenance.json": json.dumps(story).encode()}), tmp_path)


def test_a_header_in_a_tar_is_short(tmp_path):
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, 2**29
    (tmp_path / "a.tgz").write_bytes(gzip.compress(member.tobuf(tarfile.GNU_FORMAT) + bytes(2**20)))
    with pytest.raises(DataError, match="a header of 536870912 bytes"):
        _unpack(tmp_path / "a.tgz", [raw.wanted("cora/cora.cites", raw.CITES)], tmp_path)


def test_a_raw_file_of_zeros_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("mhmgnn.datasets.files.LARGEST", 10**6)
    (tmp_path / "a.gz").write_bytes(gzip.compress(bytes(2 * 10**6)))
    with pytest.raises(DataError, match=r"a\.gz is damaged: it holds more than 1000000 bytes; get it again"):
        raw_bytes("cora", tmp_path / "a.gz")


def test_one_long_id_does_not_make_every_id_long(tmp_path):
    content, cites = raw.citation_seeds()[0].split(MARK)
    many = b"".join(b"q%d\tq%d\n" % (i, i + 1) for i in range(2000))
    with pytest.raises(DataError, match="an id has more than 100 letters"):
        raw.read_citations(MARK.join([content, cites + b"x" * 10**5 + b"\tp9\n" + many]), tmp_path)


def test_an_author_list_of_everybody_is_refused(tmp_path):
    _, _, archive = raw.dblp_seeds()[0].partition(b"\n==\n")
    everybody = b"".join(b"a%d\t0\n" % i for i in range(20_000))
    with pytest.raises(DataError, match="papers make 400,000,000 pairs"):
        raw.read_dblp(everybody + b"\n==\n" + archive, tmp_path)


def test_a_node_label_of_its_own_for_every_node_is_refused(tmp_path):
    nodes = range(20_000)
    files = dict(unpacked(raw.collection_seeds()[0][1:]))
    changed = {
        "graph_indicator": b"1\n" * len(nodes),
        "node_labels": b"".join(b"%d\n" % i for i in nodes),
        "node_attributes": b"0\n" * len(nodes),
    }
    files |= {f"ENZYMES//ENZYMES_{part}.txt": text for part, text in changed.items()}
    with pytest.raises(DataError, match="nodes have 20000 labels, more than 1000"):
        raw.read_collection(b"0" + packed(files), tmp_path)


def test_one_long_label_does_not_make_every_label_long(tmp_path):
    from fuzz.tables import GRAPH, Stub

    from mhmgnn.evaluation.labelled import probe_table

    (tmp_path / "s.csv").write_text("a,b,c,y\n" + "0,1,2,near\n" * 5000 + f"0,1,2,{'x' * 10**5}\n")
    with pytest.raises(DataError, match=r"a label has 100000 letters, 'xxxx.*at most 200"):
        probe_table(Stub(GRAPH), tmp_path / "s.csv")


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("mhmgnn.io.text._LONGEST", 10**5)
    (tmp_path / "e.csv.gz").write_bytes(gzip.compress(b"a,b\n" * 200 + b"x" * 10**7))
    with pytest.raises(DataError, match=r"e\.csv\.gz has a line of more than 100000 bytes"):
        Graph.read(tmp_path / "e.csv.gz")
    (tmp_path / "e.csv").write_bytes(b"x" * 10**6)
    with pytest.raises(DataError, match="has a line of more than 100000 bytes"):
        Graph.read(tmp_path / "e.csv")


@pytest.mark.parametrize("mark", [",", ", ", " "])
def test_many_blanks_take_no_longer_than_one(tmp_path, mark):
    blanks = " " * 400_000
    (tmp_path / "e.csv").write_text(f"a{mark}b\nb{blanks}{mark}{blanks}c\n")
    assert Graph.read(tmp_path / "e.csv").num_edges == 2


def test_a_line_of_nothing_but_marks_is_no_table(tmp_path):
    (tmp_path / "e.csv").write_text("," * (2**20 + 1))
    with pytest.raises(DataError, match="a line has more than 1048576 cells"):
        Graph.read(tmp_path / "e.csv")


def test_nesting_without_end_is_refused_in_every_format(tmp_path):
    deep = "[" * 10**5
    (tmp_path / "g.json").write_text('{"incidences": ' + deep)
    with pytest.raises(DataError, match="is no JSON"):
        hypergraph(tmp_path / "g.json")
    for read, seed in ((folders.read_config, b"[train]\nk = "), (folders.read_recipe, b"cell = ")):
        with pytest.raises(DataError, match=r"recursion|TOML"):
            read(seed + deep.encode(), tmp_path)
    dotted = b"[train]\nk" + b".k" * 3000 + b" = 1"
    with pytest.raises(DataError, match="k is sections within sections; it must be a whole number"):
        folders.read_config(dotted, tmp_path)
    cases = ((folders.read_graph, b"", "index.json"), (folders.read_model, b"0", "provenance.json"))
    for read, choice, file in cases:
        with pytest.raises(DataError, match=f"{file} is damaged"):
            read(choice + packed({file: deep.encode()}), tmp_path)
    with pytest.raises(DataError, match="no whole result"):
        folders.read_results(deep.encode(), tmp_path)
