"""Result files -> figures: the mean and the spread over runs, on one split, and with shuffled labels."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mhmgnn.paper.files import read_folder
from mhmgnn.paper.item import FIRST
from mhmgnn.paper.recipe import Cell, Figure

PROBES = ("paper", "converged")


class Results:
    """Everything that was measured, by cell and method."""

    def __init__(self, found: Iterable[dict[str, Any]]) -> None:
        self.all = list(found)
        self._by_row: dict[tuple[Cell, str], list[dict[str, Any]]] = {}
        for one in self.all:
            cell = Cell(one["task"], one["dataset"], one["k"])
            self._by_row.setdefault((cell, one["method"]), []).append(one)

    @classmethod
    def read(cls, folder: Path) -> Results:
        """The results of a folder; a line among them that is no result is an error."""
        return cls(read_folder(folder))

    def runs(self, cell: Cell, method: str) -> list[dict[str, Any]]:
        """The runs of the main table: each with its own split, labels as they are."""
        return [
            one for one in self._of(cell, method) if one["split_seed"] == one["seed"] and not one["shuffled"]
        ]

    def one_cut(self, cell: Cell, method: str) -> list[dict[str, Any]]:
        """The runs of every training seed on the split of the first run."""
        return [one for one in self._of(cell, method) if one["split_seed"] == FIRST and not one["shuffled"]]

    def shuffled(self, cell: Cell, method: str) -> list[dict[str, Any]]:
        """The runs with shuffled labels."""
        return [one for one in self._of(cell, method) if one["shuffled"]]

    def commits(self) -> list[str]:
        """The commits that the results come from, the one of most results first."""
        names = [_commit(one) for one in self.all]
        return sorted(set(names), key=lambda name: (-names.count(name), name))

    def _of(self, cell: Cell, method: str) -> list[dict[str, Any]]:
        return self._by_row.get((cell, method), [])


def figure(runs: Sequence[dict[str, Any]], probe: str) -> Figure | None:
    """Mean and standard deviation over runs; None where there are none."""
    scores = [one["score"][probe] for one in runs]
    if not scores:
        return None
    return Figure(statistics.fmean(scores), statistics.stdev(scores) if len(scores) > 1 else None)


def _commit(one: dict[str, Any]) -> str:
    if not one.get("commit"):
        return "no commit"
    return str(one["commit"])[:10] + (" with changes" if one.get("dirty") else "")
