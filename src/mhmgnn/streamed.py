"""A table of k-sets -> a table of results, chunk by chunk, so that its length does not matter."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.model import Model
from mhmgnn.tables import TableWriter, is_parquet, read_chunks

ROWS = 2**17  # k-sets in memory at once


class Embeds(Protocol):
    """What gives each k-set of its graph a row: a trained model, a baseline."""

    @property
    def graph(self) -> Graph | None:
        """Whose nodes are meant; None where it was trained on many."""

    @property
    def k(self) -> int:
        """Nodes in a set."""

    def embed(self, ksets: Any, *, graph: Graph | None = None) -> np.ndarray | sparse.csr_array:
        """A row for each k-set, (m, d)."""


def write_energies(model: Model, source: Path, target: Path, *, header: bool | None = None) -> int:
    """Write the k-sets of `source` with a column `energy` to `target`; how many there were.

    `header` says whether text has a line of titles; None takes the first line for one if it names no node.
    """

    def energies(ksets: np.ndarray) -> list[tuple[str, np.ndarray]]:
        return [("energy", model.energy(ksets))]

    return _write(model, source, target, energies, header)


def write_embeddings(model: Embeds, source: Path, target: Path, *, header: bool | None = None) -> int:
    """Write the k-sets of `source` with their vectors, columns `v0`, `v1`, ..., to `target`; how many."""

    def vectors(ksets: np.ndarray) -> list[tuple[str, np.ndarray]]:
        rows = model.embed(ksets)
        dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
        return [(f"v{i}", column) for i, column in enumerate(dense.T)]

    return _write(model, source, target, vectors, header)


def titles_in(path: Path, graph: Graph, header: bool | None) -> bool | None:
    """`header` if it is stated; True where the first row of a table of k-sets names no node of the graph.

    Else None: a line of titles is then told from numbers alone.
    """
    if header is not None or graph.names is None or is_parquet(path):
        return header
    first = next(read_chunks(path, rows=1, header=False))
    cells = [str(column[0]) for column in first.columns if len(column)]
    return True if cells and (graph.names.find(cells) < 0).all() else None


Columns = Callable[[np.ndarray], list[tuple[str, np.ndarray]]]


def _write(model: Embeds, source: Path, target: Path, columns: Columns, header: bool | None) -> int:
    """The same rows in the same order, names as they were given, with the new columns behind them."""
    if model.graph is None:
        raise DataError(
            "the model was trained on many graphs, so the table does not say whose nodes are meant"
        )
    done, header = 0, titles_in(source, model.graph, header)
    with TableWriter(target) as writer:
        for table in read_chunks(source, rows=ROWS, header=header):
            try:
                ksets = model.graph.ksets(table, k=model.k)
            except DataError as error:
                raise DataError(f"{source}, counting rows from {done:,}: {error}") from None
            for name, column in columns(ksets):
                table = table.append_column(name, pa.array(np.ascontiguousarray(column)))
            writer.write(table)
            done += len(ksets)
    return done
