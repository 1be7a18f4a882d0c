"""Commands that write vectors or energies for a table of sets."""

import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from mhmgnn.cli.commands.model import Header, Run
from mhmgnn.cli.output import Json, print_json, print_rows
from mhmgnn.cli.processes import Devices, in_processes
from mhmgnn.errors import DataError
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import started, together

if TYPE_CHECKING:
    from mhmgnn.models.predict import Columns, Embeds, Job


class Engine(StrEnum):
    """What writes the shards of a long table."""

    HERE = "here"
    RAY = "ray"


Sets = Annotated[
    Path, typer.Argument(help="Table with a set per row, by names or indices of nodes: CSV, TSV, Parquet.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="File to write: .csv, .tsv, .parquet; or print with --json."),
]
Rows = Annotated[
    int, typer.Option(min=1, help="Sets in memory at once; a longer table is written in shards.")
]
Chosen = Annotated[Engine, typer.Option(help="What writes the shards: processes here, or Ray workers.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Ray workers; one per core by default.")]
Address = Annotated[
    str | None, typer.Option(help="Address of a running Ray cluster; by default one is started here.")
]
ROWS = 2**17  # as in `predict`, which is not imported here because it takes long
GO_ON = "run the command again: it resumes from the finished shards"
PRINTED = 2**13  # rows in memory at once while they are printed


class Asked(NamedTuple):
    """The options of a command."""

    run: Path
    sets: Path
    out: Path | None
    header: bool | None
    rows: int
    engine: Engine
    workers: int | None
    address: str | None
    as_json: bool


def embed(
    run: Run,
    sets: Sets,
    out: Out = None,
    header: Header = None,
    rows: Rows = ROWS,
    devices: Devices = 1,
    engine: Chosen = Engine.HERE,
    workers: Workers = None,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Write the vector of each k-set in SETS. After a kill, the same command resumes."""
    asked = Asked(run, sets, out, header, rows, engine, workers, address, as_json)
    _check(asked, devices)
    in_processes(devices, then=GO_ON)
    from mhmgnn.baselines.baseline import load_fitted
    from mhmgnn.models.predict import vectors

    _serve(asked, load_fitted, vectors, lambda vector: {"vector": vector})


def energy(
    run: Run,
    sets: Sets,
    out: Out = None,
    match: Annotated[
        str | None, typer.Option(help="contained (in a group, the default) or exact (a group).")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="An energy of noises instead: features, edges, or noise for all.")
    ] = None,
    header: Header = None,
    rows: Rows = ROWS,
    devices: Devices = 1,
    engine: Chosen = Engine.HERE,
    workers: Workers = None,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Write the energy of each set in SETS. It is low for sets that belong together.

    It is inf for a set that is not connected. Sets may have any size, unless --kind is given, which takes
    sets of k nodes: a row may leave its last cells empty. In JSON, null stands for inf. After a kill, the
    same command resumes.
    """
    asked = Asked(run, sets, out, header, rows, engine, workers, address, as_json)
    _check(asked, devices)
    in_processes(devices, then=GO_ON)
    from mhmgnn.models.load import load
    from mhmgnn.models.predict import Energies

    _serve(asked, load, Energies(match, kind), lambda energy: {"energy": energy[0]})


def _check(asked: Asked, devices: int) -> None:
    """Refuse options that do not go together, before processes are started."""
    several = max(devices, started().world) > 1
    if asked.out is None and not asked.as_json:
        raise DataError("there is no output; name a file with --out, or print with --json")
    if asked.out is None and (several or asked.engine is Engine.RAY):
        raise DataError("several processes cannot print; name a file with --out")
    if asked.engine is Engine.RAY and several:
        raise DataError(
            "Ray starts its own processes: use --engine ray with --workers, not with --devices or torchrun"
        )
    if asked.engine is Engine.HERE and (asked.workers or asked.address):
        raise DataError("--workers and --address are options of Ray; they need --engine ray")


def _serve(
    asked: Asked,
    load: "Callable[[Path], Embeds]",
    columns: "Columns",
    named: Callable[[list[float]], dict[str, Any]],
) -> None:
    """Write the table to a file, or print its rows as JSON, each with the numbers that `named` returns."""
    from mhmgnn.io.tables import column_names
    from mhmgnn.models.predict import Job, write

    if asked.out is not None:
        job = Job(columns, asked.sets, asked.out, asked.header, asked.rows)
        _deliver(asked, load, job)
        return
    with TemporaryDirectory() as scratch:
        table, model = Path(scratch) / "rows.parquet", load(asked.run)
        write(lambda: model, Job(columns, asked.sets, table, asked.header, asked.rows))
        width = len(column_names(asked.sets, asked.header))
        print_rows({"names": names, **named(numbers)} for names, numbers in _cells(table, width))


def _deliver(asked: Asked, load: "Callable[[Path], Embeds]", job: "Job") -> None:
    began = time.monotonic()
    if asked.engine is Engine.RAY:
        from mhmgnn.models.predict_ray import write_on_ray

        done = write_on_ray(load, asked.run, job, workers=asked.workers, address=asked.address, quiet=False)
    else:
        from mhmgnn.models.predict import write

        with together() as crew:
            done = write(lambda: load(asked.run), job, crew=crew, quiet=False)
        if not crew.leads:
            return
    if asked.as_json:
        from mhmgnn.io.tables import column_names

        facts = {"out": job.target, "rows": done, "columns": column_names(job.target, True)}
        print_json({**facts, "seconds": time.monotonic() - began})
    else:
        console.say(f"{job.target}: {done:,} k-sets")


def _cells(table: Path, width: int) -> Iterator[tuple[list[str], list[float]]]:
    """The first `width` cells of each row, the nodes as they were given, and the numbers after them."""
    from mhmgnn.io.tables import read_chunks

    for chunk in read_chunks(table, rows=PRINTED):
        for row in zip(*(column.to_pylist() for column in chunk.columns), strict=True):
            names = [str(name) for name in row[:width] if name is not None and name != ""]
            yield names, list(row[width:])
