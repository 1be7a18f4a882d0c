"""Figures -> the paper's tables, as Markdown and as bars: rows are methods, columns data sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mhmgnn.evaluation.tasks.kind import TASKS
from mhmgnn.paper.bars import Bar, Panel, draw
from mhmgnn.paper.goal import markdown
from mhmgnn.paper.methods import methods_of
from mhmgnn.paper.recipe import DATASETS, Figure, Recipe
from mhmgnn.paper.results import PROBES, Results, figure

RUNS = 5  # of each method in the paper
NOT_RUN = "not run"


@dataclass(frozen=True)
class Row:
    """A row of a table: a method, and k where a table has several."""

    method: str
    k: int | str | None
    title: str


@dataclass(frozen=True, eq=False)
class Table:
    """One table: which recipes fill it."""

    name: str  # of its figure file
    title: str
    recipes: tuple[Recipe, ...]

    @property
    def task(self) -> str:
        """The task that all its recipes have."""
        return self.recipes[0].cell.task

    @property
    def datasets(self) -> list[str]:
        """Its columns."""
        found = {recipe.cell.dataset for recipe in self.recipes}
        return [name for name in DATASETS if name in found] + sorted(found - set(DATASETS))

    @property
    def rows(self) -> list[Row]:
        """Its rows, in the order of the paper, ours below."""
        found: dict[Row, None] = {}
        for recipe in self.recipes:
            k = recipe.cell.k if recipe.cell.whole_graphs else None
            for method in methods_of(recipe):
                found[Row(method, recipe.cell.k, method if k is None else f"{method} (k = {k})")] = None
        return list(found)

    def recipe(self, row: Row, dataset: str) -> Recipe | None:
        """What fills a row in a column; None where the row has nothing there."""
        for recipe in self.recipes:
            same = recipe.cell.k == row.k and recipe.cell.dataset == dataset
            if same and row.method in methods_of(recipe):
                return recipe
        return None


def tables(found: Iterable[Recipe]) -> list[Table]:
    """A table for each task and k; whole graphs have one for all k."""
    grouped: dict[tuple[str, object], list[Recipe]] = {}
    for recipe in found:
        cell = recipe.cell
        grouped.setdefault((cell.task, None if cell.whole_graphs else cell.k), []).append(recipe)
    return [
        Table(
            task if k is None else f"{task}-{k}",
            TASKS.find(task).title + ("" if k is None else f", k = {k}"),
            tuple(group),
        )
        for (task, k), group in grouped.items()
    ]


def layout(table: Table, found: Results) -> list[str]:
    """The table as Markdown: for each data set both probes of ours, and the published figure beside."""
    head = ["method"] + [text for name in table.datasets for text in (name, "published")]
    columns = [_column(table, found, name) for name in table.datasets]
    rows = [
        [row.title, *(text for pair in texts for text in pair)]
        for row, *texts in zip(table.rows, *columns, strict=True)
    ]
    return markdown([head, *rows])


def _column(table: Table, found: Results, dataset: str) -> list[tuple[str, str]]:
    """What each row has for a data set: ours (both probes), and the published figure; the best in bold."""
    filled = [table.recipe(row, dataset) for row in table.rows]
    runs = [
        [] if recipe is None else found.runs(recipe.cell, row.method)
        for recipe, row in zip(filled, table.rows, strict=True)
    ]
    ours = [_in_bold([figure(one, probe) for one in runs], digits=3) for probe in PROBES]
    paper = [
        None if recipe is None else recipe.published.get(row.method)
        for recipe, row in zip(filled, table.rows, strict=True)
    ]
    texts = []
    for recipe, one, by_paper, by_converged, published in zip(
        filled, runs, *ours, _in_bold(paper, digits=2), strict=True
    ):
        if recipe is None:
            texts.append(("", ""))
        elif not one:
            texts.append((NOT_RUN, published))
        else:
            few = f" ({len(one)} run{'s' * (len(one) > 1)})" if len(one) < RUNS else ""
            texts.append((f"{by_paper} / {by_converged}{few}", published))
    return texts


def _in_bold(figures: Sequence[Figure | None], *, digits: int) -> list[str]:
    """Figures as text, the highest mean in bold."""
    best = max((round(one.mean, 3) for one in figures if one is not None), default=None)
    texts = []
    for one in figures:
        if one is None:
            texts.append("")
            continue
        mean = f"{one.mean:.3f}"
        spread = "" if one.std is None else f" ± {one.std:.{digits}f}"
        texts.append((f"**{mean}**" if round(one.mean, 3) == best else mean) + spread)
    return texts


def plot(table: Table, found: Results) -> str:
    """The table as bars: ours (the paper's probe) above the published figure."""
    panels = []
    for dataset in table.datasets:
        bars = []
        for row in table.rows:
            recipe = table.recipe(row, dataset)
            runs = [] if recipe is None else found.runs(recipe.cell, row.method)
            bars.append(Bar(figure(runs, "paper"), recipe.published.get(row.method) if recipe else None))
        panels.append(Panel(dataset, tuple(bars)))
    return draw(f"{table.title}: balanced accuracy", [row.title for row in table.rows], panels)
