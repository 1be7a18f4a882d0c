"""The processes that `torchrun` started, as one crew: the share of each, and arrays gathered from all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from mhmgnn.errors import DataError

if TYPE_CHECKING:
    import numpy as np


class Crew(NamedTuple):
    """This process among those that work together; alone by default."""

    rank: int = 0
    world: int = 1

    @property
    def leads(self) -> bool:
        """Whether this is the process that prints and that writes shared files."""
        return self.rank == 0

    def stretch(self, length: int) -> range:
        """Which of `length` items belong to this process; the shares of processes differ by at most one."""
        return range(self.rank * length // self.world, (self.rank + 1) * length // self.world)

    def gather(self, rows: np.ndarray) -> list[np.ndarray]:
        """The arrays of all processes, by rank; dtypes must agree, and shapes but for the number of rows."""
        if self.world == 1:
            return [rows]
        import numpy as np
        import torch
        from torch import distributed

        mine = torch.from_numpy(np.frombuffer(np.ascontiguousarray(rows).tobytes(), np.uint8).copy())
        sizes = [torch.zeros(1, dtype=torch.int64) for _ in range(self.world)]
        distributed.all_gather(sizes, torch.tensor([mine.numel()]))
        padded = torch.zeros(max(map(int, sizes)), dtype=torch.uint8)
        padded[: mine.numel()] = mine
        arrays = [torch.empty_like(padded) for _ in range(self.world)]
        distributed.all_gather(arrays, padded)
        return [
            np.frombuffer(array[: int(size)].numpy().tobytes(), rows.dtype).reshape(-1, *rows.shape[1:])
            for array, size in zip(arrays, sizes, strict=True)
        ]

    def wait(self) -> None:
        """Wait until every process is here."""
        if self.world > 1:
            from torch import distributed

            distributed.barrier()


ALONE = Crew()


def started() -> Crew:
    """The rank and world size that `torchrun` gave this process; nothing is sent to the others."""
    try:
        crew = Crew(int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1")))
    except ValueError as error:
        raise DataError(
            f"RANK and WORLD_SIZE, which torchrun sets, must be whole numbers: {error}"
        ) from error
    if not 0 <= crew.rank < crew.world:
        raise DataError(f"RANK is {crew.rank} of WORLD_SIZE {crew.world}; start all processes by torchrun")
    return crew


@contextmanager
def together() -> Iterator[Crew]:
    """Join the processes that `torchrun` started, over gloo, until the block ends."""
    crew = started()
    if crew.world == 1:
        yield crew
        return
    from torch import distributed

    distributed.init_process_group("gloo", timeout=timedelta(days=30))  # one may work long after the others
    try:
        yield crew
    finally:
        distributed.destroy_process_group()
