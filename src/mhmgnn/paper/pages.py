"""Results -> pages of Markdown: a short one with the standing in numbers, and one of tables for each task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mhmgnn.evaluation.tasks.kind import TASKS
from mhmgnn.io.atomic import write_atomic
from mhmgnn.paper.checks import READING, about, checks
from mhmgnn.paper.goal import fallen_short, in_short, shortfalls, standings
from mhmgnn.paper.recipe import Recipe, recipes
from mhmgnn.paper.results import Results
from mhmgnn.paper.tables import Table, layout, plot, tables

FALLS_SHORT = "## Where MHM-GNN falls short"


def write_pages(results: Path, page: Path, *, of: Sequence[Recipe] | None = None) -> list[Path]:
    """Write the short page of the folder `results`, and below a folder of its name a page for each task.

    A figure for each table goes to the folder `figures` beside the short page. Returns the pages.
    """
    found, of = Results.read(results), recipes() if of is None else of
    stand = standings(of, found)
    folder, figures = page.with_suffix(""), page.parent / "figures"
    for one in (folder, figures):
        one.mkdir(parents=True, exist_ok=True)
    tasks: dict[str, list[Table]] = {}
    for table in tables(of):
        tasks.setdefault(table.task, []).append(table)
        write_atomic(figures / _drawing(table), plot(table, found).encode())
    lines = ["# Results", "", *about(found, results), "", "## In short", "", *in_short(stand), ""]
    lines += [FALLS_SHORT, "", *fallen_short(stand), "", "## Tables", ""]
    lines += [_link(task, group, found, folder) for task, group in tasks.items()]
    pages = {page: lines}
    for task, group in tasks.items():
        own = [one for one in stand if one.cell.task == task]
        pages[folder / f"{task}.md"] = [
            *(
                f"# {TASKS.find(task).title}",
                "",
                f"[Results](../{page.name}) has all tasks in short. {READING}",
                "",
            ),
            *(line for table in group for line in _section(table, found)),
            *(FALLS_SHORT, "", *shortfalls(own)),
        ]
    for path, text in pages.items():
        write_atomic(path, ("\n".join(text) + "\n").encode())
    return list(pages)


def _link(task: str, group: Sequence[Table], found: Results, folder: Path) -> str:
    """A line that leads to the page of a task."""
    names = list(dict.fromkeys(name for table in group for name in table.datasets))
    number = sum(one["task"] == task for one in found.all)
    return f"- [{TASKS.find(task).title}]({folder.name}/{task}.md): {', '.join(names)}; {number:,} results."


def _section(table: Table, found: Results) -> list[str]:
    """A table with its source, its drawing and its checks."""
    alternative = f"Bars of the table above: {table.title}, each method on each data set, ours and published"
    lines = [f"## {table.title}", "", _source(table), "", *layout(table, found), ""]
    drawing = f"![{alternative}](../figures/{_drawing(table)})"
    return [*lines, drawing, "", *checks(table.recipes, found), ""]


def _drawing(table: Table) -> str:
    return f"results-{table.name}.svg"


def _source(table: Table) -> str:
    """Which tables of the paper these are."""
    labels = dict.fromkeys(recipe.table for recipe in table.recipes)
    others = dict.fromkeys(recipe.transductive for recipe in table.recipes if recipe.transductive)
    text = f"Beside {', '.join(f'`{label}`' for label in labels)} of the paper"
    if others:
        text += f", with DeepWalk and node2vec from {', '.join(f'`{label}`' for label in others)}"
    return text + ". Each column: the paper's probe / the converged probe; then the published figure."
