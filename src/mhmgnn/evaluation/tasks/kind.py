"""What a task declares of itself, and how tasks are found by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeVar

from mhmgnn.datasets.dataset import AnyDataset, Dataset, GraphDataset
from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks.graphs import GraphTask
from mhmgnn.evaluation.tasks.side import Drawing, Labelling
from mhmgnn.evaluation.tasks.task import Task, draw_task
from mhmgnn.graph import Graph
from mhmgnn.registry import REGISTERED, Registry


class TaskKind(ABC):
    """A question that is asked of vectors: what recipes, tables and commands need to know of it."""

    name: ClassVar[str]  # as recipes and result files have it
    title: ClassVar[str]  # of its tables
    of_graphs: ClassVar[bool] = False  # whether whole graphs have labels; else k-sets have
    sought: ClassVar[tuple[int, str] | None] = None  # the label that is asked for, and its name in tables

    @abstractmethod
    def make(self, dataset: AnyDataset, k: int | None, *, most: int, seed: int) -> Task | GraphTask:
        """Labelled k-sets, at most so many a side, or labelled graphs; both sides follow from the seed."""


class KSetTask(TaskKind):
    """A question about k-sets. `labelling` says which k-sets are asked about, and what the answers are."""

    @abstractmethod
    def labelling(self, graph: Graph, truth: Any, k: int) -> Labelling:
        """Candidates and labels in one graph of a data set; `truth` is what training does not see of it."""

    def make(self, dataset: AnyDataset, k: int | None, *, most: int, seed: int) -> Task:
        """A task with as many k-sets of each label as possible."""
        if k is None or isinstance(dataset, GraphDataset):
            raise DataError(
                f"{self.name} is asked of {dataset.name} with k = {k}; it needs one graph, and a number k"
            )
        return self.draw(dataset, Drawing(k, most, by_class=True), seed)

    def draw(self, dataset: Dataset[Any], drawing: Drawing, seed: int) -> Task:
        """A task with k-sets drawn as `drawing` says."""
        return draw_task(self.name, dataset, self.labelling, drawing, seed)


TASKS: Registry[TaskKind] = Registry(  # in the order of the paper's tables
    "task", pattern=r"[a-z0-9][a-z0-9._-]*", allowed="a-z, 0-9 and . _ -", also=REGISTERED
)
AnyKind = TypeVar("AnyKind", bound=type[TaskKind])


def register(kind: AnyKind) -> AnyKind:
    """Register a class under its name, in this process; use it as a decorator."""
    TASKS.check_declared(kind, ("name", "title"))
    TASKS.add(kind.name, kind(), kind.__module__)
    return kind
