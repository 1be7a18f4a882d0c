"""Matrices in .npz files whose sums are right and whose content is not."""

import io
import struct
import zipfile

import numpy as np
import pytest
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.archives import read_npz
from mhmgnn.graph.features import load_sparse, read_features

MATRIX = np.array([[0, 1, 2], [1, 0, 0], [0, 3.5, 0]])
CSR = {"format": b"csr", "shape": [3, 3], "data": [1.0, 2.0], "indices": [0, 1], "indptr": [0, 1, 2, 2]}


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("holder", ["array", "matrix"])
def test_every_format_of_scipy_is_read(tmp_path, kind, holder):
    made = getattr(sparse, f"{kind}_{holder}")(MATRIX)
    sparse.save_npz(tmp_path / "x.npz", made)
    assert np.array_equal(load_sparse(tmp_path / "x.npz").toarray(), MATRIX)


def test_a_member_that_claims_another_packing_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("data.npy", bytes(100))
    content = (tmp_path / "x.npz").read_bytes()
    properties = content.index(b"data.npy") + len(b"data.npy") + 4  # after the version of LZMA
    (tmp_path / "x.npz").write_bytes(content[:properties] + b"\xff" + content[properties + 1 :])
    with pytest.raises(DataError, match=r"x\.npz is no \.npz file of arrays"):
        read_npz(tmp_path / "x.npz")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"indices": [0, 3]}, "indices must be < 3"),
        ({"indices": [0, -1]}, "indices must be >= 0"),
        ({"format": b"csc", "indices": [0, 2**31]}, "indices must be < 3"),  # SciPy follows it out of memory
        ({"format": b"bsr", "data": np.ones((2, 1, 1)), "indices": [0, 3]}, "3"),
        ({"indptr": [0, 1, 2, -6]}, "indptr must rise"),  # SciPy's own check passes over it
        ({"indptr": [0, 2, 1, 2]}, "indptr must rise"),
        ({"indptr": [0, 1]}, "no whole matrix"),
        ({"indptr": [0.0, 1, 2, 2]}, "indptr is float64 of shape .*; it must be a row of whole numbers"),
        ({"indices": [[0, 1]]}, "indices is int64 of shape"),
        ({"data": ["a", "b"]}, "data is <U1 of shape .*; it must be numbers"),
        ({"data": [1.0]}, "no whole matrix"),
        ({"shape": [3]}, r"the shape is \(3,\)"),
        ({"shape": [-3, 3]}, r"the shape is \(-3, 3\)"),
        ({"format": b"lil"}, "the format 'lil'; it must be one of csr, csc, bsr, coo, dia"),
        ({"format": 7}, "the format '7'"),
        ({"format": b"\xff"}, "ascii"),
        ({"format": [b"csr", b"csc"]}, "no matrix"),
        ({"format": b"coo"}, "has no array 'row'"),
        ({"format": b"coo", "row": [0, 9], "col": [0, 1]}, "no whole matrix"),
        ({"format": b"dia", "offsets": [0, 0], "data": np.ones((2, 3))}, "no whole matrix"),
    ],
)
def test_a_matrix_that_points_outside_itself_is_refused(tmp_path, change, message):
    np.savez(tmp_path / "x.npz", **(CSR | change))
    with pytest.raises(DataError, match=rf"x\.npz.*{message}"):
        Graph.read(tmp_path / "x.npz")


def test_an_array_that_says_nothing_of_its_format_is_no_matrix(tmp_path):
    np.savez(tmp_path / "x.npz", a=[1, 2])
    with pytest.raises(DataError, match=r"no matrix written by scipy\.sparse\.save_npz: 'format'"):
        load_sparse(tmp_path / "x.npz")


def archive(member: bytes) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as files:
        files.writestr("format.npy", member)
    return into.getvalue()


def claim(header: bytes, content: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


@pytest.mark.parametrize(
    "member",
    [
        b"",
        b"no array at all",
        b"\x93NUMPY\x09\x00",
        claim(b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, "),
        claim(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", bytes(8)),
        claim(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", bytes(4)),
        claim(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2L,)}", bytes(4)),
        claim(b"{'descr': '<U0', 'fortran_order': False, 'shape': (2,)}"),
        claim(b"(" * 300),
    ],
)
def test_a_member_that_is_no_array_is_refused_and_the_file_closed(tmp_path, member):
    (tmp_path / "x.npz").write_bytes(archive(member))
    with pytest.raises(DataError, match=r"x\.npz is no \.npz file of arrays"):
        read_npz(tmp_path / "x.npz")


def test_a_damaged_archive_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "x.npz", data=np.arange(1000) % 7)
    whole = (tmp_path / "x.npz").read_bytes()
    for place in range(0, len(whole), 17):
        (tmp_path / "x.npz").write_bytes(whole[:place] + b"\xa5" + whole[place + 1 :])
        try:
            read_npz(tmp_path / "x.npz")
        except DataError:
            continue
    (tmp_path / "x.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"x\.npz is no \.npz file of arrays: File is not a zip file"):
        read_npz(tmp_path / "x.npz")


@pytest.mark.parametrize(
    "content, message",
    [
        (claim(b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, "), "is no array of numbers"),
        (claim(b"{'descr': '<U1', 'fortran_order': False, 'shape': ()}", b"a\0\0\0"), "holds <U1"),
        (claim(b"{'descr': '<c8', 'fortran_order': False, 'shape': (1, 1)}", bytes(8)), "holds complex64"),
        (archive(b""), "is no array of numbers"),
    ],
)
def test_an_npy_file_that_holds_no_numbers_is_refused(tmp_path, content, message):
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(DataError, match=rf"x\.npy {message}"):
        read_features(tmp_path / "x.npy", "row")
