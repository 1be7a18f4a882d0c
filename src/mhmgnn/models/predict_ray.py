"""Prediction on a table of k-sets by the workers of a Ray cluster, given or started here."""

from __future__ import annotations

import logging
import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mhmgnn.errors import DataError
from mhmgnn.models.predict import Embeds, Job, add_columns, chunks_of, open_shards, write_directly
from mhmgnn.models.shards import RESULT, SETS, read_shard, write_shard
from mhmgnn.runtime import console

STORE = 2**27  # bytes of Ray's object store on this machine: only the numbers of shards go through it
SECONDS = 10  # to wait for a cluster to answer
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
ONE_CORE = {"env_vars": {"MHMGNN_THREADS": "1"}}  # the environment of a worker


class Worker:
    """Loads the model once and writes the shards whose numbers it is given.

    `make` takes the model and `table=` the sets of a chunk, and gives the rows of its shard.
    """

    def __init__(
        self, load: Callable[[Path], Any], run: Path, folder: Path, make: Callable[..., pa.Table]
    ) -> None:
        self.loader, self.run, self.folder, self.make = load, run, folder, make

    @cached_property
    def model(self) -> Any:
        """Loaded with the first shard: Ray would restart a worker that fails at its start for long."""
        return self.loader(self.run)

    def __call__(self, batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Write the shards with the numbers `batch["number"]`; returns the batch."""
        for number in batch["number"].tolist():
            table = read_shard(self.folder, SETS, number)
            write_shard(self.folder, RESULT, number, self.make(self.model, table=table))
        return batch


def write_on_ray(
    load: Callable[[Path], Embeds],
    run: Path,
    job: Job,
    *,
    workers: int | None = None,
    address: str | None = None,
    quiet: bool = True,
) -> int:
    """Write the table of a job with Ray workers that write its shards; returns its number of k-sets.

    Each worker calls `load(run)`, which must be a function that Ray can pickle. `address` names a cluster,
    whose machines need mhmgnn and a shared file system with `run` and the target; None starts a cluster here.
    By default there is a `worker` for each core. As in `predict.write`, a table of one chunk is written
    directly, and after a kill the same call resumes from the shards.
    """
    check_ray(address)
    run = run.absolute()
    model = load(run)
    with open_shards(model, job, quiet=quiet) as shards:
        if shards is None:
            return write_directly(model, job)
        missing = shards.missing()
        if missing:
            for number, table in chunks_of(model, job, missing):
                write_shard(shards.folder, SETS, number, table)
            with cluster(address, workers) as cores, console.progress("shards", quiet=quiet) as tell:
                given = load, run, shards.folder, partial(add_columns, job=job)
                made = made_by_workers(missing, min(workers or cores, len(missing)), given)
                for done, _ in enumerate(made, 1):
                    tell(done / len(missing), f"{done} of {len(missing)}")
        return shards.join(job.target)


def made_by_workers(missing: list[int], workers: int, given: tuple[Any, ...]) -> Iterator[Any]:
    """The numbers of the missing shards, each as soon as a worker has written it.

    `given` are the arguments of `Worker`.
    """
    import ray.data
    from ray.exceptions import RayError

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    numbers = ray.data.from_items([{"number": n} for n in missing], override_num_blocks=len(missing))
    shards = numbers.map_batches(
        Worker, fn_constructor_args=given, batch_size=1, concurrency=workers, num_cpus=1, runtime_env=ONE_CORE
    )
    try:
        yield from shards.iter_rows()
    except RayError as error:
        cause = re.search(r"^[\w.]+: .*$", str(error), re.M)  # the first exception that Ray quotes
        why = cause[0] if cause else str(error).partition("\n")[0]
        raise DataError(
            f"a worker of Ray failed: {why}; what is done is kept: run the command again"
        ) from error


@contextmanager
def cluster(address: str | None, workers: int | None) -> Iterator[int]:
    """Connect to the cluster at an address, or start one, while the block runs; gives its number of cores.

    A connection that this process already has is used as it is.
    """
    for name, value in QUIET.items():  # Ray reads these when it is first imported
        os.environ.setdefault(name, value)
    import ray

    cores = max(workers or 1, os.cpu_count() or 1)  # Ray never starts more workers than it has cores
    here = {"num_cpus": cores, "include_dashboard": False, "object_store_memory": STORE}
    joined = ray.is_initialized()
    try:
        if not joined:
            ray.init(
                address or "local",
                log_to_driver=False,
                logging_level=logging.ERROR,
                **({} if address else here),
            )
    except (ConnectionError, ValueError, RuntimeError) as error:
        first = str(error).partition("\n")[0]
        raise DataError(f"no cluster of Ray at {address or 'this machine'}: {first}") from error
    try:
        yield int(ray.cluster_resources().get("CPU", 1))
    finally:
        if not joined:
            ray.shutdown()


def check_ray(address: str | None) -> None:
    """Refuse if Ray is missing, or if an address does not answer in seconds: Ray would wait for minutes."""
    if find_spec("ray") is None:
        raise DataError("Ray is not installed; get it with: pip install 'ray[data]'")
    if address is None:
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise DataError(f"{address!r} is no address of a cluster of Ray; it must be host:port")
    try:
        socket.create_connection((host, int(port)), timeout=SECONDS).close()
    except (OSError, OverflowError) as error:
        raise DataError(f"no cluster of Ray at {address}: {error}") from error
