"""Commands that take a table of k-sets: their vectors, their energies."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from mhmgnn import screen
from mhmgnn.cli.model import Header, Run
from mhmgnn.cli.output import Json, print_json, print_rows
from mhmgnn.errors import DataError

Sets = Annotated[
    Path, typer.Argument(help="Table with k columns of node names or indices: CSV, TSV, Parquet.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Where the result goes: .csv, .tsv, .parquet; else --json prints it."),
]
PRINTED = 2**13  # rows in memory at once while they are printed


def embed(run: Run, sets: Sets, out: Out = None, header: Header = None, as_json: Json = False) -> None:
    """Write the vector of each k-set in SETS."""
    _check_place(out, as_json)
    from mhmgnn.baselines.ksets import load_fitted
    from mhmgnn.streamed import write_embeddings

    fitted = load_fitted(run)

    def write(target: Path) -> int:
        return write_embeddings(fitted, sets, target, header=header)

    def rows(table: Path) -> Iterator[dict[str, Any]]:
        return ({"names": names, "vector": vector} for names, vector in _cells(table, fitted.k))

    _deliver(write, rows, out, as_json=as_json)


def energy(run: Run, sets: Sets, out: Out = None, header: Header = None, as_json: Json = False) -> None:
    """Write the energy of each k-set in SETS: low where it belongs together, inf if it is not connected.

    In JSON, null stands for inf.
    """
    _check_place(out, as_json)
    from mhmgnn.model import load
    from mhmgnn.streamed import write_energies

    model = load(run)

    def write(target: Path) -> int:
        return write_energies(model, sets, target, header=header)

    def rows(table: Path) -> Iterator[dict[str, Any]]:
        return ({"names": names, "energy": energy} for names, (energy,) in _cells(table, model.k))

    _deliver(write, rows, out, as_json=as_json)


def _check_place(out: Path | None, as_json: bool) -> None:
    if out is None and not as_json:
        raise DataError("nothing says where the result goes; name a file with --out, or print it with --json")


def _deliver(
    write: Callable[[Path], int],
    rows: Callable[[Path], Iterable[dict[str, Any]]],
    out: Path | None,
    *,
    as_json: bool,
) -> None:
    """Have a table written to `out` and tell of it; without a place for it, print its rows."""
    if out is None:
        with TemporaryDirectory() as scratch:
            table = Path(scratch) / "rows.parquet"
            write(table)
            print_rows(rows(table))
        return
    began = time.monotonic()
    written = write(out)
    if as_json:
        from mhmgnn.tables import column_names

        facts = {"out": out, "rows": written, "columns": column_names(out, True)}
        print_json({**facts, "seconds": time.monotonic() - began})
    else:
        screen.say(f"{out}: {written:,} k-sets")


def _cells(table: Path, k: int) -> Iterator[tuple[list[str], list[float]]]:
    """The k names of each k-set, as they were given, and the numbers behind them."""
    from mhmgnn.tables import read_chunks

    for chunk in read_chunks(table, rows=PRINTED):
        for row in zip(*(column.to_pylist() for column in chunk.columns), strict=True):
            yield [str(name) for name in row[:k]], list(row[k:])
