"""HIF, the hypergraph interchange format that xgi and hypernetx read: one JSON object, perhaps gzipped.

{"incidences": [{"edge": 1, "node": "a"}, {"edge": 1, "node": "b"}], "nodes": [...], "edges": [...]}
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from mhmgnn.errors import DataError
from mhmgnn.io.atomic import atomic_file
from mhmgnn.io.text import DAMAGED_GZIP, open_bytes

ENDINGS = (".json", ".json.gz")
CHUNK = 2**16  # records that are written at a time
NETWORK_TYPES = ("undirected", "asc")

Record = Mapping[str, Any]


class Incidences(NamedTuple):
    """A hypergraph as HIF lists it; edges and nodes by their ids, texts or integers."""

    edges: list[Any]  # (i,) the edge of each incidence
    nodes: list[Any]  # (i,) its node
    listed: list[Any]  # nodes that "nodes" lists, also those without an edge
    weights: dict[Any, Any]  # of the edges that state one; not checked


def is_hif(path: Path) -> bool:
    """Whether the ending says that this is HIF."""
    return path.name.endswith(ENDINGS)


def read_hif(path: Path) -> Incidences:
    """The incidences of a file; what is no HIF without directions is an error.

    The weight of an edge is its "weight", as the format says, or that of its "attrs", as xgi writes it.
    """
    try:
        with open_bytes(path) as file:
            data = json.load(file)
    except (*DAMAGED_GZIP, ValueError, RecursionError) as error:
        raise DataError(f"{path} is no JSON: {error}") from error
    if not isinstance(data, dict) or "incidences" not in data:
        raise DataError(f'{path} is no HIF; it must be a JSON object with a list of "incidences"')
    kind = data.get("network-type", "undirected")
    if kind not in NETWORK_TYPES:
        advice = "groups have no direction" if kind == "directed" else "unknown"
        raise DataError(
            f"{path}: network-type is {kind!r} ({advice}); it must be {' or '.join(NETWORK_TYPES)}"
        )
    return Incidences(
        _entries(data["incidences"], "edge", f"{path}, incidences"),
        _entries(data["incidences"], "node", f"{path}, incidences"),
        _entries(data.get("nodes", []), "node", f"{path}, nodes"),
        _weights(data.get("edges", []), path),
    )


def write_hif(
    path: Path,
    incidences: Iterable[Record],
    *,
    nodes: Iterable[Record] = (),
    edges: Iterable[Record] = (),
    metadata: Record | None = None,
) -> Path:
    """Write a hypergraph to a file, atomically and in pieces; gzipped if it ends in .gz; where it went."""
    parts = {"incidences": incidences, "nodes": nodes, "edges": edges}
    with atomic_file(path) as file, _packed(file, path) as out:
        out.write(f'{{"network-type": "undirected", "metadata": {_json(metadata or {})}'.encode())
        for title, records in parts.items():
            out.write(f',\n"{title}": ['.encode())
            remaining, between = iter(records), ""
            while part := list(islice(remaining, CHUNK)):
                out.write((between + ", ".join(map(_json, part))).encode())
                between = ", "
            out.write(b"]")
        out.write(b"}\n")
    return path


def _packed(file: IO[bytes], path: Path) -> AbstractContextManager[Any]:
    if path.suffix != ".gz":
        return nullcontext(file)
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _entries(records: Any, key: str, what: str) -> list[Any]:
    try:
        return [record[key] for record in records]
    except (TypeError, KeyError) as error:
        raise DataError(
            f'{what}: each must be an object with {key!r}; HIF is like {{"edge": 1, "node": 2}}'
        ) from error


def _weights(records: Any, path: Path) -> dict[Any, Any]:
    found = {}
    for edge, record in zip(_entries(records, "edge", f"{path}, edges"), records, strict=True):
        attrs = record.get("attrs")
        stated = [part["weight"] for part in (record, attrs) if isinstance(part, dict) and "weight" in part]
        if stated and isinstance(edge, str | int):
            found[edge] = stated[0]
    return found
