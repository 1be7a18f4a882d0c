"""A table of k-sets -> a table of results, chunk by chunk, so that its length does not matter."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from scipy import sparse

from mhmgnn.errors import DataError, MHMError
from mhmgnn.graph import Graph
from mhmgnn.io.tables import TableWriter, is_parquet, read_chunks
from mhmgnn.models.checkpoint import fingerprint
from mhmgnn.models.model import Model
from mhmgnn.models.shards import PART, Pieces, begin, folder_of, held, write_piece
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import ALONE, Crew

ROWS = 2**17  # k-sets in memory at once


class Embeds(Protocol):
    """What gives each k-set of its graph a row: a trained model, a baseline."""

    @property
    def graph(self) -> Graph | None:
        """Whose nodes are meant; None where it was trained on many."""

    @property
    def k(self) -> int:
        """Nodes in a set."""

    @property
    def facts(self) -> dict[str, Any]:
        """Where it comes from."""

    def embed(self, ksets: Any, *, graph: Graph | None = None) -> np.ndarray | sparse.csr_array:
        """A row for each k-set, (m, d)."""


Columns = Callable[[Any, np.ndarray], list[tuple[str, np.ndarray]]]  # of a model and k-sets: by name


class Job(NamedTuple):
    """A table of k-sets, and what it is to become: the same rows, with new columns behind them."""

    columns: Columns
    source: Path
    target: Path
    header: bool | None = None  # whether text has a line of titles; None takes one that names no node for it
    rows: int = ROWS


def energies(model: Model, ksets: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The column `energy`."""
    return [("energy", model.energy(ksets))]


def vectors(model: Embeds, ksets: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The columns `v0`, `v1`, ..."""
    rows = model.embed(ksets)
    dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
    return [(f"v{i}", column) for i, column in enumerate(dense.T)]


def write_energies(
    model: Model, source: Path, target: Path, *, header: bool | None = None, rows: int = ROWS
) -> int:
    """Write the k-sets of `source` with a column `energy` to `target`; how many there were.

    `header` says whether text has a line of titles; None takes the first line for one if it names no node. A
    table of more than `rows` k-sets is worked on in parts: see `write`.
    """
    return write(lambda: model, Job(energies, source, target, header, rows))


def write_embeddings(
    model: Embeds, source: Path, target: Path, *, header: bool | None = None, rows: int = ROWS
) -> int:
    """Write the k-sets of `source` with their vectors, columns `v0`, `v1`, ..., to `target`; how many."""
    return write(lambda: model, Job(vectors, source, target, header, rows))


def write(load: Callable[[], Embeds], job: Job, *, crew: Crew = ALONE, quiet: bool = True) -> int:
    """Write the table that a job asks for; how many k-sets it has, 0 in processes that do not lead.

    All processes of a crew call this. The leading one loads the model first and looks at every k-set. A table
    longer than a chunk is worked on in parts, kept whole in a hidden folder beside the target until all are
    there; the processes divide them. A run that was killed is gone on with by the same call.
    """
    with ExitStack() as stack:
        model, pieces = None, None
        missing: list[int] = []
        if crew.leads:
            try:
                model = load()
                pieces = stack.enter_context(opened(model, job, quiet=quiet))
            except MHMError:
                _tell(crew, [])  # nothing to do for the others: the complaint is made once
                raise
            if pieces is not None:
                missing = pieces.missing()
        missing = _tell(crew, missing)
        if missing:
            with console.progress("parts", quiet=quiet or not crew.leads) as tell:
                mine = missing[crew.rank :: crew.world]
                _write_parts(load() if model is None else model, job, mine, tell)
            crew.wait()
        done = 0
        if model is not None:
            done = write_directly(model, job) if pieces is None else pieces.join(job.target)
        if missing:
            crew.wait()  # all leave when the file is there
        return done


@contextmanager
def opened(model: Embeds, job: Job, *, quiet: bool = True) -> Iterator[Pieces | None]:
    """Hold the parts of a job's table, after a look at every k-set; None for a table of one chunk."""
    TableWriter(job.target)  # refuses a name that it cannot write
    if job.target.is_dir():
        raise DataError(f"cannot write {job.target}: it is a folder")
    if len(list(islice(_chunks(model, job), 2))) == 1:
        yield None
        return
    with held(job.target) as folder:
        pieces = begin(folder, _facts(model, job), lambda: _lengths(model, job))
        there = len(pieces.lengths) - len(pieces.missing())
        if there and not quiet:
            console.say(f"going on: {there} of {len(pieces.lengths)} parts are there")
        yield pieces


def write_directly(model: Embeds, job: Job) -> int:
    """Write the table of a job without parts."""
    done = 0
    with TableWriter(job.target) as writer:
        for table in _chunks(model, job):
            writer.write(extended(model, job, table, done))
            done += table.num_rows
    return done


def numbered(model: Embeds, job: Job, numbers: Iterable[int]) -> Iterator[tuple[int, pa.Table]]:
    """The chunks of a job's source that have such numbers, with them."""
    wanted = set(numbers)
    for number, table in enumerate(_chunks(model, job)):
        if number in wanted:
            yield number, table
            wanted.remove(number)
        if not wanted:
            return


def extended(model: Embeds, job: Job, table: pa.Table, start: int = 0) -> pa.Table:
    """The rows of a chunk, names as they were given, with the new columns behind them."""
    for name, column in job.columns(model, _ksets(model, job, table, start)):
        table = table.append_column(name, pa.array(np.ascontiguousarray(column)))
    return table


def titles_in(path: Path, graph: Graph, header: bool | None) -> bool | None:
    """`header` if it is stated; True where the first row of a table of k-sets names no node of the graph.

    Else None: a line of titles is then told from numbers alone.
    """
    if header is not None or graph.names is None or is_parquet(path):
        return header
    first = next(read_chunks(path, rows=1, header=False))
    cells = [str(column[0]) for column in first.columns if len(column)]
    return True if cells and (graph.names.find(cells) < 0).all() else None


def _graph(model: Embeds) -> Graph:
    if model.graph is None:
        raise DataError(
            "the model was trained on many graphs, so the table does not say whose nodes are meant"
        )
    return model.graph


def _chunks(model: Embeds, job: Job) -> Iterator[pa.Table]:
    """The source in pieces of `job.rows` rows, the last one shorter; at least one."""
    header = titles_in(job.source, _graph(model), job.header)
    pieces = read_chunks(job.source, rows=job.rows, header=header)
    rest = next(pieces)
    for table in pieces:  # those of text are shorter
        rest = pa.concat_tables([rest, table])
        if rest.num_rows > job.rows:
            yield rest.slice(0, job.rows)
            rest = rest.slice(job.rows)
    yield rest


def _ksets(model: Embeds, job: Job, table: pa.Table, start: int) -> np.ndarray:
    """The k-sets of a chunk whose first row is `start`."""
    try:
        return _graph(model).ksets(table, k=model.k)
    except DataError as error:
        raise DataError(f"{job.source}, counting rows from {start:,}: {error}") from None


def _lengths(model: Embeds, job: Job) -> list[int]:
    """The rows of every chunk, all of which are known to be k-sets then."""
    lengths, start = [], 0
    for table in _chunks(model, job):
        lengths.append(len(_ksets(model, job, table, start)))
        start += lengths[-1]
    return lengths


def _write_parts(model: Embeds, job: Job, numbers: list[int], tell: console.Tell) -> None:
    for done, (number, table) in enumerate(numbered(model, job, numbers), 1):
        write_piece(folder_of(job.target), PART, number, extended(model, job, table))
        tell(done / len(numbers), f"{done} of {len(numbers)}")


def _facts(model: Embeds, job: Job) -> dict[str, str]:
    """What parts must have in common to be of one table."""
    with job.source.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "columns": job.columns.__name__,
        "k-sets": content,
        "model": _fingerprint(model),
        "rows": f"{job.rows}, header {titles_in(job.source, _graph(model), job.header)}",
        "versions": ", ".join(f"{name} {version(name)}" for name in ("mhmgnn", "pyarrow", "torch")),
    }


def _fingerprint(model: Embeds) -> str:
    """Tells models apart by weights, settings and graph with its names; baselines by what they came from."""
    graph = _graph(model)
    told = [model.k, fingerprint(graph), model.facts]
    digest = hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode())
    if graph.names is not None:
        digest.update(np.ascontiguousarray(graph.names.offsets).data)
        digest.update(np.ascontiguousarray(graph.names.text).data)
    if isinstance(model, Model):
        digest.update(model.config.to_toml().encode())
        for name, tensor in sorted(model.network.state_dict().items()):
            digest.update(name.encode() + tensor.detach().cpu().numpy().tobytes())
    return digest.hexdigest()


def _tell(crew: Crew, numbers: list[int]) -> list[int]:
    """The numbers that the leading process brings, in every process."""
    return [int(number) for number in crew.gather(np.array(numbers, np.int64))[0]]
