"""An archive of a publisher -> the contents of the members that are wanted; no path in it is ever used."""

from __future__ import annotations

import gzip
import hashlib
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Self

from mhmgnn.datasets.sources import Content
from mhmgnn.errors import DataError
from mhmgnn.graph.archives import BROKEN_ZIP

LARGEST_UNPACKED = 2**29  # bytes of a whole archive without its compression
BLOCK = 2**16
HEADERS = (  # members that are read into memory whole: long names, links and the like
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)

Opened = IO[bytes] | gzip.GzipFile


def read_contents(archive: Path, members: tuple[Content, ...]) -> dict[str, bytes]:
    """The bytes of each member, checked. Nothing else of the archive is read, and no path of it is used."""
    wanted = {member.name: member for member in members}
    contents: dict[str, bytes] = {}
    try:
        for name, opened in (_zipped if zipfile.is_zipfile(archive) else _tarred)(archive, set(wanted)):
            contents.setdefault(name, read_content(wanted[name], opened, f"{name} in {archive.name}"))
    except DataError:
        raise
    except (tarfile.TarError, *BROKEN_ZIP) as error:
        raise DataError(f"{archive.name} is damaged, or neither .zip nor .tgz: {error}") from None
    missing = [name for name in wanted if name not in contents]
    if missing:
        raise DataError(f"{archive.name} does not hold {', '.join(missing)}")
    return contents


def read_content(known: Content, opened: Opened, place: str) -> bytes:
    """The bytes of an open file; an error unless size and SHA-256 are as known."""
    content = opened.read(known.size + 1)
    found = hashlib.sha256(content)
    over = len(content) - known.size
    while 0 < over < LARGEST_UNPACKED and (block := opened.read(BLOCK)):  # too long: only hashed
        found.update(block)
        over += len(block)
    if found.hexdigest() != known.sha256:
        raise DataError(
            f"{place} is not the {known.name} that is known: its SHA-256 is {found.hexdigest()}, "
            f"{known.sha256} is expected"
        )
    return content


def _zipped(archive: Path, wanted: set[str]) -> Iterator[tuple[str, Opened]]:
    """The file name of each member that is wanted, and the member."""
    with zipfile.ZipFile(archive) as unpacked:
        for member in unpacked.infolist():
            if last_segment(member.filename) in wanted:
                with unpacked.open(member) as opened:
                    yield last_segment(member.filename), opened


def _tarred(archive: Path, wanted: set[str]) -> Iterator[tuple[str, Opened]]:
    """As `_zipped`, of a compressed tar."""
    with _Capped(archive) as unpacked, tarfile.open(fileobj=unpacked, mode="r|", tarinfo=_Member) as members:
        for member in members:
            opened = members.extractfile(member) if member.isfile() else None
            if opened is not None and last_segment(member.name) in wanted:
                yield last_segment(member.name), opened


class _Member(tarfile.TarInfo):
    """A member of a tar; a long header is an error."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        member = super().frombuf(buf, encoding, errors)
        if member.type in HEADERS and member.size > BLOCK:
            raise tarfile.ReadError(f"a header of {member.size} bytes, more than {BLOCK}")
        return member


class _Capped(gzip.GzipFile):
    """A compressed file that ends, with an error, before it fills the machine."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > LARGEST_UNPACKED:
            raise OSError(f"it holds more than {LARGEST_UNPACKED} bytes")
        return super().read(size)


def last_segment(path: str) -> str:
    """What comes after the last slash."""
    return path.rpartition("/")[2]
