import gzip
import hashlib
import io
import logging
import socket
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pooch
import pytest

from mhmgnn import DataError
from mhmgnn.datasets.fetch import Patience, fetch_files
from mhmgnn.datasets.sources import Content, RawFile

CITES = b"35 1033\n35 103482\n" * 2000
CONTENT = b"31336\t0\t1\tNeural_Networks\n" * 500
PATIENCE = Patience(tries=3, pause=0.0, timeout=0.5)


class Publisher(ThreadingHTTPServer):
    """A server on this machine that can be told to misbehave."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files = {"cora.tgz": CORA}
        self.asked: list[str | None] = []  # the range that each request asked for
        self.served = 0  # bytes of all answers together
        self.breaks: list[int] = []  # the next answers end after so many bytes
        self.knows_ranges = True
        self.status = 200
        self.hangs = False
        self.over = threading.Event()

    @property
    def cora(self) -> tuple[RawFile, ...]:
        return wanted(self.url("cora.tgz"))

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Answer(BaseHTTPRequestHandler):
    """One answer of the publisher."""

    server: Publisher

    def do_GET(self) -> object:
        here = self.server
        wanted = self.headers.get("Range")
        here.asked.append(wanted)
        content = here.files.get(self.path[1:])
        if here.hangs:
            return here.over.wait()
        if content is None or here.status != 200:
            return self.send_error(404 if content is None else here.status)
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and here.knows_ranges else 0
        if start >= len(content):
            return self.send_error(416)
        body = content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        body = body[: here.breaks.pop(0)] if here.breaks else body
        here.served += len(body)
        return self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def publisher():
    server = Publisher()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    thread.join()
    server.server_close()


def tarred(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def part(name: str, content: bytes) -> Content:
    return Content(name, len(content), hashlib.sha256(content).hexdigest())


def wanted(*urls: str) -> tuple[RawFile, ...]:
    """Two files of one archive, as those of Cora."""
    return (
        RawFile("cora/cora.cites", (part("cora.cites", CITES),), urls),
        RawFile("cora/cora.content.gz", (part("cora.content", CONTENT),), urls),
    )


BOTH = {"cora/cora.cites": CITES, "cora/cora.content": CONTENT}
CORA = tarred(BOTH)


def tree(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def get(files: tuple[RawFile, ...], folder: Path, patience: Patience = PATIENCE) -> list[Path]:
    return fetch_files("cora", files, folder, quiet=True, patience=patience)


def test_only_named_members_are_written_and_under_our_names(publisher, tmp_path):
    odd = {"../../cora.evil": b"out of the folder", "cora/._cora.cites": b"of another system"}
    publisher.files["cora.tgz"] = tarred(odd | {"to/../cora.cites": CITES, "cora/cora.content": CONTENT})
    folder = tmp_path / "not/there/yet"
    assert get(publisher.cora, folder) == [folder / name for name in BOTH]
    assert tree(tmp_path) == {f"not/there/yet/{name}": content for name, content in BOTH.items()}
    assert not (folder / "downloads").exists()
    assert len(publisher.asked) == 1


@pytest.mark.parametrize("slash", ["/", "//"])
def test_a_zip_is_kept_as_it_came_however_it_was_packed(publisher, tmp_path, slash):
    publisher.files["SMALL.zip"] = zipped({f"SMALL{slash}SMALL_A.txt": CITES, "README.txt~": b"x"})
    file = RawFile("tu/SMALL.zip", (part("SMALL_A.txt", CITES),), (publisher.url("SMALL.zip"),))
    get((file,), tmp_path)
    assert tree(tmp_path) == {"tu/SMALL.zip": publisher.files["SMALL.zip"]}


def test_a_file_that_is_there_and_right_is_not_fetched_again(publisher, tmp_path):
    paths = get(publisher.cora, tmp_path)
    paths[1].unlink()
    (tmp_path / "cora/cora.content.gz").write_bytes(gzip.compress(CONTENT))
    assert get(publisher.cora, tmp_path) == [paths[0], tmp_path / "cora/cora.content.gz"]
    assert len(publisher.asked) == 1


def test_a_file_that_is_there_and_wrong_is_reported_and_left_alone(publisher, tmp_path):
    (tmp_path / "cora").mkdir()
    (tmp_path / "cora/cora.cites").write_bytes(b"mine")
    with pytest.raises(DataError, match=r"cora.cites is not the cora.cites that is known.*move it away"):
        get(publisher.cora, tmp_path)
    assert tree(tmp_path) == {"cora/cora.cites": b"mine"}
    assert publisher.asked == []


def test_after_a_break_only_the_rest_is_fetched(publisher, tmp_path):
    publisher.breaks = [100, 50]
    get(publisher.cora, tmp_path)
    assert publisher.asked == [None, "bytes=100-", "bytes=150-"]
    assert publisher.served == len(CORA)
    assert tree(tmp_path) == BOTH


def test_a_later_run_goes_on_where_an_earlier_one_gave_up(publisher, tmp_path):
    publisher.breaks = [100]
    with pytest.raises(DataError, match=f"broke 1 times, at last: it ended after 100 of {len(CORA)} bytes"):
        get(publisher.cora, tmp_path, PATIENCE._replace(tries=1))
    assert tree(tmp_path) == {"downloads/cora.tgz.part": CORA[:100]}
    get(publisher.cora, tmp_path)
    assert publisher.served == len(CORA)
    assert tree(tmp_path) == BOTH


def test_a_server_without_ranges_is_asked_for_the_whole(publisher, tmp_path):
    publisher.breaks = [100]
    publisher.knows_ranges = False
    get(publisher.cora, tmp_path)
    assert publisher.served == 100 + len(CORA)
    assert tree(tmp_path) == BOTH


def test_a_part_that_is_longer_than_the_archive_is_thrown_away(publisher, tmp_path):
    (tmp_path / "downloads").mkdir()
    (tmp_path / "downloads/cora.tgz.part").write_bytes(CORA + b"more")
    get(publisher.cora, tmp_path)
    assert publisher.asked == [f"bytes={len(CORA) + 4}-", None]
    assert tree(tmp_path) == BOTH


@pytest.mark.parametrize("wrong", [b"short", CITES + b"one line more\n" * 10**4])
def test_a_wrong_sum_leaves_nothing_but_what_was_right_before(publisher, tmp_path, wrong):
    publisher.files["cora.tgz"] = tarred({"cora/cora.content": CONTENT, "cora/cora.cites": wrong})
    (tmp_path / "cora").mkdir()
    (tmp_path / "cora/cora.content").write_bytes(CONTENT)
    with pytest.raises(DataError) as raised:
        get(publisher.cora, tmp_path)
    for content in (wrong, CITES):
        assert hashlib.sha256(content).hexdigest() in str(raised.value)
    assert "the archive was removed" in str(raised.value)
    assert tree(tmp_path) == {"cora/cora.content": CONTENT}


@pytest.mark.parametrize(
    ("status", "requests", "reason"),
    [(404, 1, "404 Not Found"), (403, 1, "403 Forbidden"), (503, 3, "Service Unavailable")],
)
def test_a_refusal_says_the_address_the_reason_and_what_to_do(publisher, tmp_path, status, requests, reason):
    publisher.status = status
    with pytest.raises(DataError) as raised:
        get(publisher.cora, tmp_path)
    said = str(raised.value)
    assert reason in said
    assert f"download {publisher.url('cora.tgz')} by hand to {tmp_path / 'downloads/cora.tgz'}" in said
    assert len(publisher.asked) == requests


def test_nobody_at_the_address_is_said(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(DataError, match=r"cannot be reached: .*refused"):
        get(wanted(f"http://127.0.0.1:{port}/cora.tgz"), tmp_path)


def test_a_server_that_does_not_answer_in_time_is_given_up(publisher, tmp_path):
    publisher.hangs = True
    with pytest.raises(DataError, match="timed out"):
        get(publisher.cora, tmp_path, Patience(tries=2, pause=0.0, timeout=0.05))


def test_the_next_address_is_tried_when_one_refuses_or_has_something_else(publisher, tmp_path):
    publisher.files["other.tgz"] = tarred({"cora/cora.cites": b"other"})
    publisher.files["cora.zip"] = zipped({"cora.cites": CITES, "new/cora.content": CONTENT})
    urls = [publisher.url(name) for name in ("gone.tgz", "other.tgz", "cora.zip")]
    get(wanted(*urls), tmp_path)
    assert tree(tmp_path) == BOTH


def test_an_archive_put_there_by_hand_is_used(publisher, tmp_path):
    (tmp_path / "downloads").mkdir()
    (tmp_path / "downloads/cora.tgz").write_bytes(CORA)
    get(publisher.cora, tmp_path)
    assert tree(tmp_path) == BOTH
    assert publisher.asked == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>Moved</html>", "neither .zip nor .tgz"),
        (CORA[: len(CORA) // 2], "is damaged"),
        (zipped({"cora.cites": CITES}), "does not hold cora.content"),
        (zipped({"cora.cites": CITES, "cora.content": CONTENT})[:-30], "is damaged"),
    ],
)
def test_what_is_not_the_archive_is_refused(publisher, tmp_path, content, message):
    publisher.files["cora.tgz"] = content
    with pytest.raises(DataError, match=message):
        get(publisher.cora, tmp_path)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("cap", ["fetch.LARGEST", "unpack.LARGEST_UNPACKED"])
def test_an_archive_past_all_measure_is_refused(publisher, tmp_path, monkeypatch, cap):
    publisher.files["cora.tgz"] = tarred({"filler": bytes(10**6), "cora/cora.cites": CITES})
    monkeypatch.setattr(f"mhmgnn.datasets.{cap}", 1000)
    with pytest.raises(DataError, match="more than 1000 bytes"):
        get(publisher.cora, tmp_path)
    assert tree(tmp_path) == {}


def test_what_was_converted_is_named_after_the_rest_is_fetched(publisher, tmp_path):
    converted = RawFile("cora/words.npz", (part("words.npz", b"x"),), origin="made by hand from the words")
    with pytest.raises(DataError, match=r"cora/words.npz cannot be fetched.*made by hand from the words"):
        get((converted, *publisher.cora), tmp_path)
    assert tree(tmp_path) == BOTH


def test_pooch_is_hushed_during_a_fetch_and_no_longer(publisher, tmp_path, monkeypatch):
    heard = []
    ear = logging.Handler()
    ear.emit = heard.append
    monkeypatch.setattr(pooch.get_logger(), "handlers", [ear])
    get(publisher.cora, tmp_path)
    assert heard == []
    pooch.get_logger().info("to be heard")
    assert len(heard) == 1
