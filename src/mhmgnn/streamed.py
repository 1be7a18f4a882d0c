"""A table of k-sets -> a table of results, chunk by chunk, so that its length does not matter."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

from mhmgnn.errors import DataError
from mhmgnn.model import Model
from mhmgnn.tables import TableWriter, read_chunks

ROWS = 2**17  # k-sets in memory at once


def write_energies(model: Model, source: Path, target: Path, *, header: bool | None = None) -> int:
    """Write the k-sets of `source` with a column `energy` to `target`; how many there were.

    `header` says whether text has a line of titles; None looks for one.
    """

    def energies(ksets: np.ndarray) -> list[tuple[str, np.ndarray]]:
        return [("energy", model.energy(ksets))]

    return _write(model, source, target, energies, header)


def write_embeddings(model: Model, source: Path, target: Path, *, header: bool | None = None) -> int:
    """Write the k-sets of `source` with their vectors, columns `v0`, `v1`, ..., to `target`; how many."""

    def vectors(ksets: np.ndarray) -> list[tuple[str, np.ndarray]]:
        return [(f"v{i}", column) for i, column in enumerate(model.embed(ksets).T)]

    return _write(model, source, target, vectors, header)


Columns = Callable[[np.ndarray], list[tuple[str, np.ndarray]]]


def _write(model: Model, source: Path, target: Path, columns: Columns, header: bool | None) -> int:
    """The same rows in the same order, names as they were given, with the new columns behind them."""
    if model.graph is None:
        raise DataError(
            "the model was trained on many graphs, so the table does not say whose nodes are meant"
        )
    done = 0
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
