"""A table of k-sets -> a table of vectors or energies, chunk by chunk, in bounded memory."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from scipy import sparse

from mhmgnn.errors import DataError, MHMError
from mhmgnn.graph import Graph
from mhmgnn.graph.fingerprint import fingerprint
from mhmgnn.graph.sets import Sets
from mhmgnn.io.checksums import file_sha256, sha256
from mhmgnn.io.tables import TableWriter, is_parquet, read_chunks
from mhmgnn.models.model import Model
from mhmgnn.models.shards import RESULT, Shards, begin, folder_of, held, write_shard
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import ALONE, Crew

ROWS = 2**17  # k-sets in memory at once


class Embeds(Protocol):
    """What can embed k-sets: a trained model, or a baseline."""

    @property
    def graph(self) -> Graph | None:
        """The graph of the k-sets; None if it was trained on many."""

    @property
    def k(self) -> int:
        """Nodes in a set."""

    @property
    def facts(self) -> dict[str, Any]:
        """Where it comes from."""

    def embed(self, ksets: Any, *, graph: Graph | None = None) -> np.ndarray | sparse.csr_array:
        """A row for each k-set, (m, d)."""


Columns = Callable[[Any, Any], list[tuple[str, np.ndarray]]]  # a model and sets -> named columns


class Job(NamedTuple):
    """A table of k-sets, and the columns to append to it."""

    columns: Columns
    source: Path
    target: Path
    header: bool | None = None  # whether text has a header; None: if its first row names no node of the graph
    rows: int = ROWS  # of a chunk


@dataclass(frozen=True)
class Energies:
    """The column `energy`, by `match` or by `kind`; see `Model.energy`."""

    match: str | None = None
    kind: str | None = None

    def __call__(self, model: Model, sets: np.ndarray | Sets) -> list[tuple[str, np.ndarray]]:
        return [("energy", model.energy(sets, match=self.match, kind=self.kind))]

    def any_size(self, model: Embeds) -> bool:
        """Whether rows may be sets of any size, as group energies allow; energies of noises need k nodes."""
        return self.kind is None and isinstance(model, Model) and model.group_energy is not None


energies = Energies()


def vectors(model: Embeds, ksets: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The columns `v0`, `v1`, ..."""
    rows = model.embed(ksets)
    dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
    return [(f"v{i}", column) for i, column in enumerate(dense.T)]


def write(load: Callable[[], Embeds], job: Job, *, crew: Crew = ALONE, quiet: bool = True) -> int:
    """Write the table of a job; returns its number of k-sets, 0 in processes other than the leader.

    All processes of a crew call this. The leader loads the model first and checks every k-set. A table longer
    than a chunk is written as shards, divided among the processes, in a hidden folder beside the target, and
    joined when all are there. After a kill, the same call resumes from the shards.
    """
    with ExitStack() as stack:
        model, shards = None, None
        missing: list[int] = []
        if crew.leads:
            try:
                model = load()
                shards = stack.enter_context(open_shards(model, job, quiet=quiet))
            except MHMError:
                _from_leader(crew, [])  # the others have nothing to do: only the leader reports the error
                raise
            if shards is not None:
                missing = shards.missing()
        missing = _from_leader(crew, missing)
        if missing:
            with console.progress("shards", quiet=quiet or not crew.leads) as tell:
                mine = missing[crew.rank :: crew.world]
                _write_shards(load() if model is None else model, job, mine, tell)
            crew.wait()
        done = 0
        if model is not None:
            done = write_directly(model, job) if shards is None else shards.join(job.target)
        if missing:
            crew.wait()  # no process returns before the file is there
        return done


@contextmanager
def open_shards(model: Embeds, job: Job, *, quiet: bool = True) -> Iterator[Shards | None]:
    """Check every k-set of a job and lock its shards; None for a table of one chunk, which needs none."""
    TableWriter(job.target)  # refuses a name that it cannot write
    if job.target.is_dir():
        raise DataError(f"cannot write {job.target}: it is a folder")
    if len(list(islice(_chunks(model, job), 2))) == 1:
        yield None
        return
    with held(job.target) as folder:
        shards = begin(folder, _facts(model, job), lambda: _lengths(model, job))
        there = len(shards.lengths) - len(shards.missing())
        if there and not quiet:
            console.say(f"going on: {there} of {len(shards.lengths)} shards are there")
        yield shards


def write_directly(model: Embeds, job: Job) -> int:
    """Write the table of a job without shards."""
    done = 0
    with TableWriter(job.target) as writer:
        for table in _chunks(model, job):
            writer.write(add_columns(model, job, table, done))
            done += table.num_rows
    return done


def chunks_of(model: Embeds, job: Job, numbers: Iterable[int]) -> Iterator[tuple[int, pa.Table]]:
    """The chunks of a job's source with these numbers, each with its number."""
    wanted = set(numbers)
    for number, table in enumerate(_chunks(model, job)):
        if number in wanted:
            yield number, table
            wanted.remove(number)
        if not wanted:
            return


def add_columns(model: Embeds, job: Job, table: pa.Table, start: int = 0) -> pa.Table:
    """The rows of a chunk as they were given, with the new columns appended."""
    for name, column in job.columns(model, _sets(model, job, table, start)):
        table = table.append_column(name, pa.array(np.ascontiguousarray(column)))
    return table


def has_titles(path: Path, graph: Graph, header: bool | None) -> bool | None:
    """Whether a text table begins with a header: `header` if given, True if its first row names no node.

    Otherwise None: the reader of tables decides, which recognises a header above columns of numbers.
    """
    if header is not None or graph.names is None or is_parquet(path):
        return header
    first = next(read_chunks(path, rows=1, header=False, ragged=True))
    cells = [str(column[0]) for column in first.columns if len(column) and str(column[0])]
    return True if cells and (graph.names.find(cells) < 0).all() else None


def graph_of(model: Embeds) -> Graph:
    """The graph whose nodes a table names."""
    if model.graph is None:
        raise DataError(
            "the model was trained on many graphs, so the table does not say whose nodes are meant"
        )
    return model.graph


def read_ksets(model: Embeds, table: pa.Table, source: Path, start: int = 0) -> np.ndarray:
    """The k-sets of a table whose first row is row `start` of the file `source`, (m, k)."""
    try:
        return graph_of(model).ksets(table, k=model.k)
    except DataError as error:
        raise DataError(f"{source}, counting rows from {start:,}: {error}") from None


def _sets(model: Embeds, job: Job, table: pa.Table, start: int) -> np.ndarray | Sets:
    """The sets of a chunk that begins at row `start`: of k nodes, or of any size if the columns allow it."""
    if not (isinstance(job.columns, Energies) and job.columns.any_size(model)):
        return read_ksets(model, table, job.source, start)
    try:
        graph = graph_of(model)
        return graph.sets(_without_blanks(table, by_name=graph.names is not None))
    except DataError as error:
        raise DataError(f"{job.source}, counting rows from {start:,}: {error}") from None


def _without_blanks(table: pa.Table, *, by_name: bool) -> pa.Table | list[list[Any]]:
    """The table, or if it has empty cells, the other cells of each row as a list; indices as numbers."""
    columns = [column.to_pylist() for column in table.columns]
    if not any(cell is None or cell == "" for column in columns for cell in column):
        return table

    def node(cell: Any) -> Any:
        is_index = not by_name and isinstance(cell, str) and cell.strip().isdecimal()
        return int(cell) if is_index else cell

    rows = zip(*columns, strict=True)
    return [[node(cell) for cell in row if cell is not None and cell != ""] for row in rows]


def _chunks(model: Embeds, job: Job) -> Iterator[pa.Table]:
    """The source in chunks of `job.rows` rows, the last one shorter; at least one."""
    header = has_titles(job.source, graph_of(model), job.header)
    tables = read_chunks(job.source, rows=job.rows, header=header, ragged=True)
    rest = next(tables)
    for table in tables:  # those of a text file may be shorter
        rest = pa.concat_tables([rest, table])
        if rest.num_rows > job.rows:
            yield rest.slice(0, job.rows)
            rest = rest.slice(job.rows)
    yield rest


def _lengths(model: Embeds, job: Job) -> list[int]:
    """How many rows each chunk has; every row is checked to be a k-set."""
    lengths, start = [], 0
    for table in _chunks(model, job):
        _sets(model, job, table, start)
        lengths.append(table.num_rows)
        start += table.num_rows
    return lengths


def _write_shards(model: Embeds, job: Job, numbers: list[int], tell: console.Tell) -> None:
    for done, (number, table) in enumerate(chunks_of(model, job, numbers), 1):
        write_shard(folder_of(job.target), RESULT, number, add_columns(model, job, table))
        tell(done / len(numbers), f"{done} of {len(numbers)}")


def _facts(model: Embeds, job: Job) -> dict[str, str]:
    """What identifies a job; shards are only continued by a job with the same facts."""
    return {
        "columns": getattr(job.columns, "__name__", str(job.columns)),
        "k-sets": file_sha256(job.source),
        "rows": f"{job.rows}, header {has_titles(job.source, graph_of(model), job.header)}",
        **model_facts(model),
    }


def model_facts(model: Embeds) -> dict[str, str]:
    """What identifies the model of a job, and the code that runs it."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("mhmgnn", "pyarrow", "torch"))
    return {"model": sha256(_model_bytes(model)), "versions": versions}


def _model_bytes(model: Embeds) -> Iterator[bytes | memoryview]:
    """The bytes that identify a model: weights, settings, graph and names; for a baseline, its facts."""
    graph = graph_of(model)
    yield json.dumps([model.k, fingerprint(graph), model.facts], sort_keys=True, default=str).encode()
    if graph.names is not None:
        yield np.ascontiguousarray(graph.names.offsets).data
        yield np.ascontiguousarray(graph.names.text).data
    if isinstance(model, Model):
        yield model.config.to_toml().encode()
        for name, tensor in sorted(model.network.state_dict().items()):
            yield name.encode() + tensor.detach().cpu().numpy().tobytes()
        if model.group_energy is not None:
            for name, tensor in sorted(model.group_energy.state_dict().items()):
                yield name.encode() + tensor.numpy().tobytes()


def _from_leader(crew: Crew, numbers: list[int]) -> list[int]:
    """The numbers of the leading process, handed to every process."""
    return [int(number) for number in crew.gather(np.array(numbers, np.int64))[0]]
