"""What a hostile input is tried on: bytes in, and nothing out but a result or an error that was meant."""

import gzip
import io
import re
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import MHMError
from mhmgnn.graph import Graph

MARK = b"\n=8<=\n"  # between the files of an input that is a folder or an archive
FILE_NAME = re.compile(r"[a-z][\w.-]{0,40}")


class Reader(NamedTuple):
    """A reader under trial."""

    read: Callable[[bytes, Path], object]  # takes an input, and an empty folder to put it into
    seeds: Callable[[], list[bytes]]  # inputs that it reads without complaint


def survives(reader: Reader, data: bytes, place: Path) -> bool:
    """Whether the input was read, else refused; any other end, or a file outside its folder, is a failure."""
    folder = place / "folder"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        reader.read(data, folder)
    except MHMError:
        return False
    finally:
        outside = sorted(path.name for path in place.iterdir() if path != folder)
        assert not outside, f"written outside the folder: {outside}"
    return True


def pick(data: bytes, *choices: tuple[object, ...]) -> tuple[list[object], bytes]:
    """A value of each of `choices`, told by a byte each, and the rest of the input."""
    told = data[: len(choices)].ljust(len(choices), b"0")
    return [some[(byte - 48) % len(some)] for byte, some in zip(told, choices, strict=True)], data[
        len(told) :
    ]


def packed(files: Mapping[str, bytes]) -> bytes:
    """Files as one input."""
    return MARK.join(name.encode() + b"\n" + content for name, content in files.items())


def unpacked(data: bytes) -> list[tuple[str, bytes]]:
    """The files of an input, whatever they are called."""
    pieces = (piece.partition(b"\n") for piece in data.split(MARK))
    return [(name.decode("utf-8", "replace"), content) for name, _, content in pieces]


def put(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write the files of an input that have a plain name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files:
        if FILE_NAME.fullmatch(name):
            (folder / name).write_bytes(content)


def zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """An archive of the files, right in its sums whatever they hold."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for name, content in {name.partition("\0")[0][:100]: content for name, content in files}.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return into.getvalue()


def npy(array: object) -> bytes:
    """An array as NumPy writes it."""
    into = io.BytesIO()
    np.save(into, np.asarray(array), allow_pickle=False)
    return into.getvalue()


def zip_text(text: bytes) -> bytes:
    """Text in gzip, fast."""
    return gzip.compress(text, 1, mtime=0)


def check_graph(graph: Graph) -> None:
    """Refuse to take a graph whose rows would lead a kernel astray."""
    n = graph.num_nodes
    assert graph.indptr[0] == 0, "rows begin at 0"
    assert graph.indptr[-1] == graph.indices.size, "rows end with the indices"
    assert (graph.degrees >= 0).all(), "rows follow one another"
    assert graph.indices.size == 0 or 0 <= graph.indices.min() <= graph.indices.max() < n, "in range"
    matrix = graph.to_scipy()
    assert matrix.has_sorted_indices, "sorted"
    assert (matrix != matrix.T).nnz == 0, "the same in both directions"
    if graph.weights is not None:
        counts = graph.to_scipy(counts=True)
        assert ((graph.weights > 0) & (graph.weights < np.inf)).all(), "counts are finite and above 0"
        assert (counts != counts.T).nnz == 0, "the same counts in both directions"
    assert graph.x is None or graph.x.shape[0] == n, "a row of features for each node"
    assert graph.names is None or len(list(graph.names)) == n, "a name for each node"
