"""Sets shared out among the workers of a Ray cluster to be scored, in the search for groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from mhmgnn.graph.sets import Sets
from mhmgnn.models.kept import Kept, number_of, sets_from_table, sets_to_table, to_table
from mhmgnn.models.model import Model
from mhmgnn.models.predict_ray import check_ray, cluster, made_by_workers
from mhmgnn.models.shards import SETS, write_shard
from mhmgnn.runtime.console import Tell


class KeptByRay(Kept):
    """Energies that workers of Ray put into the folder; where a single chunk is missing, this process."""

    def __init__(self, folder: Path, load: Callable[[Path], Model], run: Path, workers: int) -> None:
        super().__init__(folder)
        self.load, self.run, self.workers = load, run, workers

    def prepare(self, chunks: Iterable[Sets], tell: Tell) -> None:
        """Have workers score the chunks that are missing."""
        missing = []
        for sets in chunks:
            if not self.has(sets):
                missing.append(number_of(sets))
                write_shard(self.folder, SETS, missing[-1], sets_to_table(sets))
        if len(missing) < 2:
            return
        workers = min(self.workers, len(missing))
        made = made_by_workers(missing, workers, (self.load, self.run, self.folder, score_table))
        for done, _ in enumerate(made, 1):
            tell(done / len(missing), f"{done} of {len(missing)}")


def score_table(model: Model, table: pa.Table) -> pa.Table:
    """The energies of a shard of connected sets."""
    return to_table(model.reader().score(sets_from_table(table)))


@contextmanager
def keep_by_ray(
    load: Callable[[Path], Model], run: Path, *, workers: int | None = None, address: str | None = None
) -> Iterator[Callable[[Path], Kept]]:
    """What makes a `KeptByRay` of a folder, for `write_groups`, while the cluster is there.

    Each worker loads the model from `run` by `load`, a function of a module; see `predict_ray.write_on_ray`.
    """
    check_ray(address)
    with cluster(address, workers) as cores:
        yield lambda folder: KeptByRay(folder, load, run.absolute(), workers or cores)
