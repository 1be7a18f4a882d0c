"""Energies of sets in a folder, a chunk of sets a file: what was scored before a kill is not scored again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from mhmgnn.graph.sets import Sets
from mhmgnn.models.groups import MATCHES
from mhmgnn.models.shards import RESULT, has_shard, read_shard, write_shard
from mhmgnn.runtime.console import Tell

Score = Callable[[Sets], np.ndarray]  # connected sets -> energies of both questions, (s, 2) float32


class Kept:
    """Energies of chunks of sets by one model, kept in a folder that a run holds (see `shards.held`)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, sets: Sets) -> bool:
        """Whether the energies of a chunk are there, and not damaged."""
        return has_shard(self.folder, number_of(sets), sets.num)

    def prepare(self, chunks: Iterable[Sets], tell: Tell) -> None:
        """Have others score chunks before this process reads them: nobody does here."""

    def energies(self, sets: Sets, score: Score) -> np.ndarray:
        """The energies of a chunk, (s, 2) float32: those in the folder, else by `score`, which then are."""
        if self.has(sets):
            return from_table(read_shard(self.folder, RESULT, number_of(sets)))
        found = score(sets)
        write_shard(self.folder, RESULT, number_of(sets), to_table(found))
        return found


def number_of(sets: Sets) -> int:
    """The number of a chunk: a hash of its sets, so that it is found again whatever came before it."""
    digest = hashlib.sha256(np.ascontiguousarray(sets.members).data)
    digest.update(np.ascontiguousarray(sets.offsets).data)
    return int.from_bytes(digest.digest()[:7])


def to_table(energies: np.ndarray) -> pa.Table:
    """Energies as a shard has them."""
    return pa.table({name: np.ascontiguousarray(energies[:, i]) for i, name in enumerate(MATCHES)})


def from_table(table: pa.Table) -> np.ndarray:
    """The energies of a shard, (s, 2) float32."""
    return np.column_stack([table[name].to_numpy() for name in MATCHES])


def sets_to_table(sets: Sets) -> pa.Table:
    """Sets as a shard has them."""
    rows = pa.LargeListArray.from_arrays(pa.array(sets.offsets), pa.array(sets.members))
    return pa.table({"set": rows})


def sets_from_table(table: pa.Table) -> Sets:
    """The sets of a shard."""
    rows = table["set"].combine_chunks()
    return Sets(rows.values.to_numpy(), rows.offsets.to_numpy())
