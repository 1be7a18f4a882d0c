"""What a run folder holds -> the facts that a page tells of it."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mhmgnn.errors import DataError
from mhmgnn.evaluation.probes.score import Score
from mhmgnn.graph import Graph
from mhmgnn.models.checkpoint import PROVENANCE
from mhmgnn.models.load import load
from mhmgnn.models.model import Model
from mhmgnn.nn.losses import blind_loss
from mhmgnn.training.noise.noise import noise_of


@dataclass(frozen=True, eq=False)
class Labels:
    """k-sets with a label each, which training has not seen."""

    ksets: Any  # (m, k) indices, or names
    names: Sequence[str]  # (m,)


@dataclass(frozen=True, eq=False)
class Task:
    """How well several methods do the same, each with both probes."""

    title: str
    scores: Sequence[tuple[str, Score]]  # method and score, the model of the run last
    note: str = ""
    classes: Mapping[str, str] = field(default_factory=dict)  # words for the labels of the probes


@dataclass(frozen=True, eq=False)
class Run:
    """A run folder, read."""

    name: str
    model: Model
    losses: tuple[float, ...]  # of each step
    ksets: int  # motifs that went through the network, over all steps
    versions: dict[str, str]  # that trained it

    @classmethod
    def read(cls, folder: Path) -> Run:
        """The run in a folder as `fit` left it; the log may be missing."""
        model = load(folder)
        story = json.loads((folder / "model" / PROVENANCE).read_text(encoding="utf-8"))
        losses, ksets = _read_log(folder / "log.csv")
        return cls(folder.resolve().name, model, losses, ksets, story["versions"])

    @property
    def graph(self) -> Graph | None:
        """What it was trained on; None where that was many graphs, which a run does not keep."""
        return self.model.graph

    @property
    def of_sets(self) -> bool:
        """Whether the model reads k-sets; else it reads whole graphs as one motif."""
        return not self.model.config.model.reads_graphs

    @property
    def seed(self) -> int:
        """What every random choice of the run came from."""
        return int(self.model.facts["seed"])

    @property
    def blind_loss(self) -> float:
        """The loss of a model that cannot tell data from noise."""
        return blind_loss(self.model.config.subgraphs.noises)

    @property
    def noise(self) -> str:
        """What data is contrasted with."""
        kinds = [noise_of(name).about for name in self.model.config.subgraphs.kinds]
        return ", and as many more: ".join(kinds)

    @property
    def end(self) -> str:
        """Why training ended, for each kind of noise if there are several."""
        facts, steps = self.model.facts, len(self.losses)
        taught = facts.get("taught", {})
        if len(taught) < 2:
            return "the loss had settled" if facts.get("settled") else f"all {steps:,} steps were taken"
        return "; ".join(f"{noise_of(kind).about}: {number:,} steps" for kind, number in taught.items())


def _read_log(path: Path) -> tuple[tuple[float, ...], int]:
    """The losses, and the motifs in all."""
    if not path.is_file():
        return (), 0
    with path.open(encoding="utf-8", newline="") as file:
        try:
            rows = [(float(row["loss"]), int(row["ksets"])) for row in csv.DictReader(file)]
        except (KeyError, TypeError, ValueError, csv.Error) as error:
            raise DataError(f"{path} is no log of a run ({error}); remove it to do without") from error
    return tuple(loss for loss, _ in rows), sum(ksets for _, ksets in rows)
