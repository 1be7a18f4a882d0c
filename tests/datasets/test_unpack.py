"""Archives that mean harm: nothing of them is used but content that is known."""

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from fuzz.raw import CITES, tarred, wanted

from mhmgnn.datasets.fetch import Patience, Resuming, _unpack
from mhmgnn.datasets.unpack import read_contents
from mhmgnn.errors import DataError

FILE = wanted("cora/cora.cites", CITES)
NAMES = [
    "../../cora.cites",
    "/cora.cites",
    "a/../../cora.cites",
    "cora/cora.cites",
    "..\\cora.cites/../cora.cites",
]


def tree(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def zipped(name: str, content: bytes, **options: int) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", **options) as archive:
        archive.writestr(name, content)
    return into.getvalue()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "pack", [lambda name: gzip.compress(tarred([(name, CITES)])), lambda name: zipped(name, CITES)]
)
def test_whatever_path_an_archive_has_its_content_goes_where_we_say(tmp_path, pack, name):
    place = tmp_path / "data"
    place.mkdir()
    (place / "a.tgz").write_bytes(pack(name))
    _unpack(place / "a.tgz", [FILE], place)
    assert tree(tmp_path) == {"data/cora/cora.cites": CITES}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_not_followed(tmp_path, kind):
    (tmp_path / "secret").write_bytes(CITES)
    member = tarfile.TarInfo("cora/cora.cites")
    member.type, member.linkname = kind, str(tmp_path / "secret")
    (tmp_path / "a.tgz").write_bytes(gzip.compress(member.tobuf() + bytes(1024)))
    with pytest.raises(DataError, match=r"does not hold cora\.cites; the archive was removed"):
        _unpack(tmp_path / "a.tgz", [FILE], tmp_path)
    assert tree(tmp_path) == {"secret": CITES}


def sparse_tar(table: bytes) -> bytes:
    """A member that says in its headers that it has holes, with a damaged list of them."""
    member = tarfile.TarInfo("cora/cora.cites")
    member.size = len(table)
    member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "cora.cites"}
    return member.tobuf(tarfile.PAX_FORMAT) + table.ljust(512, b"\0") + bytes(1024)


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(sparse_tar(b"x\n")),
        gzip.compress(sparse_tar(b"no number and no end")),
        zipped("cora.cites", CITES, compression=zipfile.ZIP_LZMA).replace(b"]\0\0", b"\xff\0\0"),
        zipped("cora.cites", CITES).replace(b"PK\x01\x02\x14\x03\x14", b"PK\x01\x02\x14\x03\xff"),
        zipped("cora.cites", CITES, compression=zipfile.ZIP_BZIP2).replace(b"BZh", b"BZx"),
        b"PK\x05\x06" + b"\xff" * 18,
        gzip.compress(b"\xff" * 512),
    ],
    ids=["no table of holes", "no end of holes", "lzma", "version", "bzip2", "no directory", "no tar"],
)
def test_a_damaged_archive_is_refused(tmp_path, content):
    (tmp_path / "a.tgz").write_bytes(content)
    with pytest.raises(DataError, match=r"a\.tgz is damaged|does not hold"):
        read_contents(tmp_path / "a.tgz", FILE.contents)


@pytest.mark.parametrize("length", ["many", "-5", "9" * 30, "", "٣"])
def test_a_server_that_lies_of_the_length_does_no_harm(tmp_path, monkeypatch, length):
    class Answer(io.BytesIO):
        status = 200
        headers = {"Content-Length": length}  # noqa: RUF012

    monkeypatch.setattr("mhmgnn.datasets.fetch.urlopen", lambda *_, timeout: Answer(CITES))
    told = []
    download = Resuming(Patience(tries=1), lambda share, note: told.append(share))
    download("http://publisher/a.tgz", str(tmp_path / "a.tgz"), None)
    assert tree(tmp_path) == {"a.tgz": CITES}
    assert all(0 <= share <= 1 for share in told)
