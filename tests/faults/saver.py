"""Forks processes that save the same thing again and again, under rising numbers, until they are killed.

A line on stdin, KIND PLACE NUMBER, starts one. Its id goes to stdout, then "begun" for each save that begins,
and "dead" once it has ended.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

from mhmgnn.graph import Graph
from mhmgnn.io.atomic import write_atomic
from mhmgnn.io.tables import TableWriter, read_table

ROWS = 2_000


def save_graph(place: Path, number: int) -> None:
    path = np.column_stack([np.arange(ROWS), np.arange(1, ROWS + 1)])
    Graph.from_edges(path, features=np.full((ROWS + 1, 8), number)).save(place)


def load_graph(place: Path) -> set[int]:
    return set(map(int, np.unique(Graph.load(place).x)))


def save_table(place: Path, number: int) -> None:
    with TableWriter(place) as writer:
        for _ in range(3):
            writer.write(pa.table({"a": [str(number)] * ROWS, "b": np.full(ROWS, number)}))


def load_table(place: Path) -> set[int]:
    table = read_table(place)
    assert table.num_rows == 3 * ROWS
    return {int(value) for column in table.columns for value in column.unique().to_pylist()}


def save_result(place: Path, number: int) -> None:
    write_atomic(place, json.dumps([number] * ROWS).encode())


def load_result(place: Path) -> set[int]:
    return set(json.loads(place.read_text()))


KINDS: dict[str, tuple[Callable[[Path, int], None], Callable[[Path], set[int]]]] = {
    "graph": (save_graph, load_graph),
    "table.csv.gz": (save_table, load_table),
    "table.parquet": (save_table, load_table),
    "result.json": (save_result, load_result),
}


def main() -> None:
    with TemporaryDirectory() as scratch:  # what is imported late is there before the forks
        save_graph(Path(scratch) / "graph", 0)
    for line in sys.stdin:
        kind, place, first = line.split()
        pid = os.fork()
        if pid == 0:
            os.write(1, b"%d\n" % os.getpid())
            for number in count(int(first)):
                os.write(1, b"begun\n")
                KINDS[kind][0](Path(place), number)
        os.write(1, b"dead\n" if os.waitpid(pid, 0)[1] == signal.SIGKILL else b"failed\n")


if __name__ == "__main__":
    main()
