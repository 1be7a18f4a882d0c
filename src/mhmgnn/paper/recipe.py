"""A cell of the paper's tables as a recipe: data, task, the settings that the paper states, its figures."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from mhmgnn.config import SECTIONS, RunConfig, check_one_of
from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks.kind import TASKS
from mhmgnn.io.toml import read_section

RECIPES = Path(__file__).parent / "recipes"
DATASETS = (  # in the order of the paper's columns
    *("cora", "citeseer", "pubmed", "dblp", "steam", "rent"),
    *("proteins", "enzymes", "imdb-binary", "imdb-multi"),
)
SIZES = ("3", "4", "5", "n")


class Figure(NamedTuple):
    """A balanced accuracy over several runs."""

    mean: float
    std: float | None  # None of one run


@dataclass(frozen=True)
class Cell:
    """A task on a data set at one k; k is None for what a whole-graph table has once for all k."""

    task: str
    dataset: str
    k: int | str | None  # "n" is the whole graph as one motif

    @property
    def place(self) -> str:
        """Its folder below the results, which is also how a person names it."""
        return f"{self.task}/{self.dataset}" + ("" if self.k is None else f"-{self.k}")

    @property
    def whole_graphs(self) -> bool:
        """Whether graphs have classes; else k-sets have labels."""
        return TASKS.find(self.task).of_graphs


@dataclass(frozen=True, eq=False)
class Recipe:
    """What fills a cell, and what the paper has there."""

    path: Path
    cell: Cell
    table: str  # the label in Cotta et al. (2020), arXiv:2010.04259
    transductive: str | None  # the label of the table of its transductive methods
    config: RunConfig
    published: Mapping[str, Figure]  # by method, in the order of the table

    @classmethod
    def load(cls, path: Path) -> Recipe:
        """The recipe of a TOML file."""
        try:
            return cls._of(path, tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror}") from error
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise DataError(f"{path} is no recipe: {error}") from error

    @classmethod
    def _of(cls, path: Path, found: dict[str, Any]) -> Recipe:
        about, run = found["cell"], found.get("run", {})
        cell = Cell(about["task"], about["dataset"], about.get("k"))
        TASKS.find(cell.task)
        for name in run:
            check_one_of("a section of [run]", name, sorted(SECTIONS))
        config = RunConfig(**{name: read_section(name, SECTIONS[name], run[name]) for name in run})
        if isinstance(cell.k, int):
            config = replace(config, train=replace(config.train, k=cell.k))
        published = {method: _figure(method, pair) for method, pair in found.get("published", {}).items()}
        labels = about["table"], about.get("transductive", "")
        if not all(isinstance(text, str) for text in (cell.dataset, *labels)):
            raise DataError("dataset, table and transductive must be texts")
        if not (cell.k is None or isinstance(cell.k, int) or cell.k in SIZES):
            raise DataError(f"k is {cell.k!r}; it must be a whole number or 'n'")
        return cls(path, cell, labels[0], labels[1] or None, config, published)


def _figure(method: str, pair: list[float]) -> Figure:
    mean, std = pair
    if not all(isinstance(one, int | float) and 0 <= one <= 1 for one in pair):
        raise DataError(f"{method} has {pair!r}; a mean and a standard deviation from 0 to 1 are needed")
    return Figure(mean, std)


def recipes(folder: Path = RECIPES) -> list[Recipe]:
    """Every recipe of a folder, in the order of the paper's tables and columns."""
    return sorted(
        (Recipe.load(path) for path in folder.glob("*.toml")), key=lambda recipe: order(recipe.cell)
    )


def order(cell: Cell) -> tuple[int, str, int, str]:
    """Where a cell stands: by task, k and column; the part of a table that has no k comes first."""
    place = DATASETS.index(cell.dataset) if cell.dataset in DATASETS else len(DATASETS)
    return list(TASKS).index(cell.task), "" if cell.k is None else str(cell.k), place, cell.dataset


def choose(
    found: Iterable[Recipe],
    *,
    tasks: Iterable[str] = (),
    sizes: Iterable[str] = (),
    datasets: Iterable[str] = (),
) -> list[Recipe]:
    """The recipes of these tasks, k and data sets; of all where none is named.

    The part of a whole-graph table that has no k goes with every k.
    """
    found, tasks, sizes, datasets = list(found), list(tasks), list(sizes), list(datasets)
    known = sorted({recipe.cell.dataset for recipe in found})
    for name, given, allowed in (
        ("table", tasks, list(TASKS)),
        ("k", sizes, SIZES),
        ("dataset", datasets, known),
    ):
        for word in given:
            check_one_of(name, word, allowed)
    return [
        recipe
        for recipe in found
        if (not tasks or recipe.cell.task in tasks)
        and (not sizes or recipe.cell.k is None or str(recipe.cell.k) in sizes)
        and (not datasets or recipe.cell.dataset in datasets)
    ]
