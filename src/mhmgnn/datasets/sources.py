"""What a data set declares of itself, how it is found by name, and which of its raw files are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from mhmgnn.datasets.dataset import AnyDataset
from mhmgnn.datasets.files import AnyPath, raw_file
from mhmgnn.errors import DataError
from mhmgnn.registry import REGISTERED, Registry


class Content(NamedTuple):
    """What a file must hold, or a member of an archive, which is found by its file name alone."""

    name: str
    size: int  # bytes
    sha256: str


@dataclass(frozen=True)
class RawFile:
    """A file of the data folder.

    A .zip is kept as published, and is right if it holds all of `contents`, however it was packed. Any other
    file has one content, after gzip is taken off. A file with `urls` holds the same bytes as an archive of
    the publisher; one without was converted, and `origin` says from what.
    """

    path: str
    contents: tuple[Content, ...]
    urls: tuple[str, ...] = ()  # of archives that hold it, tried in this order
    origin: str = ""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A named data set: how it is loaded, the files that it is read from, and what the paper counts in it."""

    name: str
    kind: str  # in a few words
    loader: Callable[[AnyPath | None, int], AnyDataset]  # from the data folder, by a seed where it is drawn
    files: tuple[RawFile, ...] = ()  # none where it is generated
    table: str = ""  # the label of its table in Cotta et al. (2020), arXiv:2010.04259
    published: Mapping[str, int] = field(default_factory=dict)  # its row there: the count of each thing
    later: Mapping[str, int] = field(default_factory=dict)  # the row of the next year
    notes: Mapping[str, str] = field(default_factory=dict)  # why a count of ours is not the paper's


SINGLE, MANY = "tab:citation", "tab:graphs"  # tables of the paper: single graphs, and many small ones
SOURCES: Registry[Source] = Registry(  # in the order of lists
    "data set",
    pattern=r"(?!all$)[a-z0-9][a-z0-9._-]*",
    allowed="a-z, 0-9 and . _ -, and is not all",
    also=REGISTERED,
)


def register(source: Source) -> None:
    """Register a data set under its name, in this process."""
    SOURCES.add(source.name, source, getattr(source.loader, "__module__", ""))


class Found(NamedTuple):
    """Which raw files of a data set are there, unchecked."""

    paths: tuple[Path, ...]
    missing: tuple[str, ...]


def look(name: str, data_dir: AnyPath | None = None) -> Found:
    """The raw files of the data set that are in the data folder, and the names of those that are not."""
    paths, missing = [], []
    for file in SOURCES.find(name).files:
        try:
            paths.append(raw_file(name, file.path, data_dir))
        except DataError:
            missing.append(file.path)
    return Found(tuple(paths), tuple(missing))


def one_file(path: str, size: int, sha256: str, urls: tuple[str, ...] = (), origin: str = "") -> RawFile:
    """A file whose content, gzip taken off, is known."""
    return RawFile(path, (Content(Path(path).name.removesuffix(".gz"), size, sha256),), urls, origin)
