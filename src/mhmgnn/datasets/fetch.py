"""Raw files from their publishers: fetched, checked by SHA-256, written whole."""

from __future__ import annotations

import gzip
import logging
import re
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from importlib.metadata import version
from pathlib import Path
from ssl import SSLError
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from mhmgnn.datasets.files import AnyPath, data_folder, raw_file
from mhmgnn.datasets.sources import SOURCES, RawFile
from mhmgnn.datasets.unpack import BLOCK, last_segment, read_content, read_contents
from mhmgnn.errors import DataError
from mhmgnn.io.atomic import write_atomic
from mhmgnn.runtime import console

DOWNLOADS = "downloads"  # in the data folder: archives on their way, and those that a person puts there
LARGEST = 2**26  # bytes of an archive; the largest that we know of has a tenth of it
LENGTH = re.compile("[0-9]{1,18}")  # as a server should state it


class Patience(NamedTuple):
    """How long a server may take, and how often it may break off."""

    tries: int = 5
    pause: float = 1.0  # seconds before the second try, as many more before each that follows
    timeout: float = 30.0  # seconds without a byte


PATIENCE = Patience()


def fetch(name: str, *, data_dir: AnyPath | None = None, quiet: bool = False) -> list[Path]:
    """The paths of all raw files of the data set, fetched where they were not there; none if it is generated.

    A file that is there and right is not fetched again; one that is there and wrong is left alone, which is
    an error. So is a file that was converted and that no publisher has: the others are fetched first.
    """
    return fetch_files(name, SOURCES.find(name).files, data_folder(data_dir), quiet=quiet)


def fetch_files(
    dataset: str,
    files: tuple[RawFile, ...],
    folder: Path,
    *,
    quiet: bool = False,
    patience: Patience = PATIENCE,
) -> list[Path]:
    """The paths of `files` in `folder`, as `fetch` has them."""
    absent = [file for file in files if not _is_there(dataset, file, folder)]
    problems = []
    for urls in dict.fromkeys(file.urls for file in absent if file.urls):
        group = [file for file in absent if file.urls == urls]
        try:
            _from_publisher(dataset, group, folder, quiet=quiet, patience=patience)
        except DataError as error:
            problems.append(str(error))
    converted = [file for file in absent if not file.urls]
    if converted:
        problems.append(_why_not(converted, folder))
    if problems:
        raise DataError(". ".join(problems))
    return [raw_file(dataset, file.path, folder) for file in files]


def _why_not(converted: list[RawFile], folder: Path) -> str:
    names = ", ".join(file.path for file in converted)
    how = "; ".join(dict.fromkeys(file.origin for file in converted))
    return (
        f"{names} cannot be fetched, as no publisher has it in this form: {how}. What to do: copy it into "
        f"{folder}, or name a folder that holds it with --data-dir or MHMGNN_DATA; docs/data.md says how it "
        "was made"
    )


def _is_there(dataset: str, file: RawFile, folder: Path) -> bool:
    try:
        path = raw_file(dataset, file.path, folder)
    except DataError:
        return False
    try:
        _check(file, path)
    except DataError as error:
        then = f"then `mhmgnn data fetch {dataset}` gets another" if file.urls else "and copy the right one"
        raise DataError(f"{error}; move it away, {then}") from None
    return True


def _check(file: RawFile, path: Path) -> None:
    """Raise a DataError unless the file at `path` is the one that is meant."""
    if file.path.endswith(".zip"):
        read_contents(path, file.contents)
        return
    (content,) = file.contents
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as opened:
            read_content(content, opened, str(path))
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {error}") from None


def _from_publisher(
    dataset: str, files: list[RawFile], folder: Path, *, quiet: bool, patience: Patience
) -> None:
    """Write `files` from the first of their archives that can be fetched and holds them."""
    downloads = folder / DOWNLOADS
    refused = []
    for url in files[0].urls:
        archive = downloads / last_segment(url)
        try:
            _download(url, archive, quiet=quiet, patience=patience)
            _unpack(archive, files, folder)
        except DataError as error:
            refused.append(f"{url}: {error}")
            continue
        with suppress(OSError):  # others are on their way
            downloads.rmdir()
        return
    names = ", ".join(file.path for file in files)
    url = files[0].urls[0]
    raise DataError(
        f"{names} could not be fetched. {'. '.join(refused)}. What to do: download {url} by hand to "
        f"{downloads / last_segment(url)} and run `mhmgnn data fetch {dataset}` again"
    )


def _unpack(archive: Path, files: list[RawFile], folder: Path) -> None:
    """Check all of `files` in the archive, write them under our own names, and remove it, right or wrong."""
    try:
        contents = read_contents(archive, tuple(content for file in files for content in file.contents))
        for file in files:
            target = folder / file.path.removesuffix(".gz")
            kept = file.path.endswith(".zip")
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(target, archive.read_bytes() if kept else contents[file.contents[0].name])
    except (DataError, OSError) as error:
        raise DataError(f"{error}; the archive was removed") from None
    finally:
        archive.unlink()


def _download(url: str, archive: Path, *, quiet: bool, patience: Patience) -> None:
    """Download the archive unless it is there, going on from what an earlier try left."""
    import pooch

    with console.progress(f"fetching {archive.name}", quiet=quiet) as tell, _silenced(pooch.get_logger()):
        try:
            pooch.retrieve(
                url, None, fname=archive.name, path=archive.parent, downloader=Resuming(patience, tell)
            )
        except OSError as error:
            raise DataError(f"cannot write to {archive.parent}: {error}") from None


@contextmanager
def _silenced(logger: logging.Logger) -> Iterator[None]:
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


class Resuming:
    """A downloader for pooch that keeps what it got in NAME.part and asks the server for the rest only."""

    def __init__(self, patience: Patience, tell: console.Tell) -> None:
        self.patience = patience
        self.tell = tell

    def __call__(self, url: str, output_file: str, pooch: object) -> None:
        """Download `url` to `output_file`, or raise a DataError with the reason."""
        partial = Path(output_file).with_name(f"{last_segment(url)}.part")
        broken: Exception | None = None
        for attempt in range(self.patience.tries):
            time.sleep(self.patience.pause * attempt)
            try:
                self._go_on(url, partial)
            except HTTPError as error:
                error.close()
                if error.code == 416:  # the kept file is no beginning of what is there now
                    partial.unlink(missing_ok=True)
                elif error.code < 500 and error.code != 429:
                    raise DataError(f"the server answers {error.code} {error.reason}") from None
                broken = error
            except URLError as error:
                raise DataError(f"the server cannot be reached: {error.reason}") from None
            except (TimeoutError, ConnectionError, HTTPException, SSLError) as error:
                broken = error
            else:
                partial.replace(output_file)
                return
        raise DataError(f"the connection broke {self.patience.tries} times, at last: {broken}")

    def _go_on(self, url: str, partial: Path) -> None:
        """Add to the partial file what it lacks; start anew where the server does not send a range."""
        have = partial.stat().st_size if partial.exists() else 0
        headers = {"User-Agent": f"mhmgnn/{version('mhmgnn')}"} | (
            {"Range": f"bytes={have}-"} if have else {}
        )
        with urlopen(Request(url, headers=headers), timeout=self.patience.timeout) as answer:
            if answer.status != 206:
                have = 0
            elif not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                partial.unlink()
                raise ConnectionError("it sent another range than was asked for")
            length = answer.headers["Content-Length"]
            total = have + int(length) if LENGTH.fullmatch(length or "") else None
            with partial.open("ab" if have else "wb") as file:
                while block := answer.read1(BLOCK):
                    have += file.write(block)
                    self.tell(have / total if total else 0.0, f"{have / 1e6:.1f} MB")
                    if have > LARGEST:
                        break
        if have > LARGEST:
            partial.unlink()
            raise DataError(f"it has more than {LARGEST} bytes, far more than the archive that is meant")
        if total is not None and have < total:
            raise ConnectionError(f"it ended after {have} of {total} bytes")
