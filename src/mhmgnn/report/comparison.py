"""The HTML page of a comparison."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from mhmgnn.baselines.comparison.compare import Answers, Comparison
from mhmgnn.baselines.comparison.rows import OURS
from mhmgnn.report.compared import Dot, dots
from mhmgnn.report.markup import facts, legend, paragraph, shown, table
from mhmgnn.report.page import Page, Section

NAMES = ("sets", "completion", "recovery")
TITLES = ("Scoring sets", "Completing groups never seen", "Recovering all groups")


def report_comparison(found: Comparison, page: str | Path) -> Path:
    """Write the page of a comparison; returns its path."""
    told = found.facts
    rows = [
        ("groups", f"{told['groups']:,} of 2 to {told['largest']} nodes, {told['left_out']:,} left out"),
        ("nodes and pairs", f"{told['nodes']:,} and {told['pairs']:,}"),
        ("pairs have", "counts" if told["counts"] else "no counts"),
        ("held out for completion", f"{told['held_out']:,} groups, by seed {told['seed']}"),
    ]
    words = "The groups were hidden: every method sees which nodes were together, and never in which group."
    body = [Section("groups", "The groups", paragraph(words) + facts(rows))]
    body += map(section_of, NAMES, TITLES, found.answers)
    lead = "How well mhmgnn and simple baselines find these groups from their pairs; higher is always better."
    foot = f"Made by mhmgnn compare with seed {told['seed']}; no number is typed."
    return Page("mhmgnn compare", "mhmgnn and simple baselines", lead, body, foot).write(Path(page))


def section_of(name: str, title: str, answers: Answers) -> Section:
    """A section on one question: a chart and a table of the figures of each method."""
    kinds = [*answers.columns.values()]
    drawn = [
        (row.by, [Dot(row.figures.get(key)) for key in answers.columns])
        for row in answers.rows
        if row.figures
    ]
    chance = 0.5 if name == "sets" else None
    chart = shown(dots(name, title, drawn, kinds, chance=chance, ours=(OURS,)), key=legend(kinds))
    lines = [[row.by, *(_cell(row.figures.get(key)) for key in answers.columns)] for row in answers.rows]
    absent = [paragraph(f"{row.by} is absent: {row.absent}.") for row in answers.rows if row.absent]
    parts = [paragraph(f"{answers.title}."), chart, table(["", *kinds], lines, caption=title), *absent]
    return Section(name, title, Markup("").join(parts))


def _cell(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.3f}"
