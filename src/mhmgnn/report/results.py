"""A folder of reproduced tables -> one page of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from mhmgnn.errors import DataError
from mhmgnn.paper.checks import READING, about, checks
from mhmgnn.paper.goal import in_short, shortfalls, standings
from mhmgnn.paper.methods import EXTENDED, OURS, PRODUCT
from mhmgnn.paper.recipe import Figure, Recipe, recipes
from mhmgnn.paper.results import PROBES, Results, figure
from mhmgnn.paper.tables import Table, layout, tables
from mhmgnn.report.compared import Dot, dots
from mhmgnn.report.markup import folded, legend, marked, paragraph, shown, side_by_side
from mhmgnn.report.page import Page, Section

KINDS = ("ours, paper's probe", "ours, converged probe", "published")


def report_results(folder: str | Path, page: str | Path, *, of: Sequence[Recipe] | None = None) -> Path:
    """Write a page of the tables that the result files in `folder` fill; where it went."""
    if not Path(folder).is_dir():
        raise DataError(f"{folder} is no folder of results; `mhmgnn reproduce` makes one")
    found, of = Results.read(Path(folder)), recipes() if of is None else of
    stand = standings(of, found)
    short = marked(
        in_short(stand), caption="MHM-GNN, the paper's probe, with the published figure in brackets"
    )
    falls = marked(shortfalls(stand), caption="Where MHM-GNN falls short")
    body = [
        _about(found, Path(folder)),
        Section("short", "In short", short),
        *(_table(table, found) for table in tables(of)),
        Section("shortfalls", "Where MHM-GNN falls short", falls),
    ]
    name = Path(folder).resolve().name
    lead = "Balanced accuracies of two linear probes beside those of Cotta et al. (2020), arXiv:2010.04259."
    foot = f"Made by mhmgnn report from the files in “{name}”; no number is typed."
    return Page("mhmgnn report", "The paper's tables, measured again", lead, body, foot).write(Path(page))


def _about(found: Results, folder: Path) -> Section:
    cost = about(found, folder)[1:]
    return Section("about", "About the figures", paragraph(READING) + marked(cost, caption="Cost"))


def _table(table: Table, found: Results) -> Section:
    """A chart for each data set, the table, and the checks behind it."""
    labels = dict.fromkeys(recipe.table for recipe in table.recipes)
    source = Markup(" and ").join(Markup("<code>{}</code>").format(label) for label in labels)
    charts = [chart for dataset in table.datasets if (chart := _chart(table, dataset, found))]
    parts = [
        Markup("<p>Beside {} of the paper.</p>").format(source),
        legend(KINDS) + side_by_side(charts) if charts else "",
        marked(layout(table, found), caption=f"{table.title}: the paper's probe / the converged probe"),
        folded("Checks: chance, random weights, one split", _checked(table, found)),
    ]
    return Section(table.name, table.title, Markup("").join(parts))


def _checked(table: Table, found: Results) -> Markup:
    return marked(checks(table.recipes, found), caption=f"{table.title}: checks")


def _chart(table: Table, dataset: str, found: Results) -> Markup:
    """What is known of each method on a data set; nothing where nothing of ours was measured."""
    rows, measured = [], 0
    for row in table.rows:
        recipe = table.recipe(row, dataset)
        if recipe is None:
            continue
        runs = found.runs(recipe.cell, row.method)
        figures = [*(figure(runs, probe) for probe in PROBES), recipe.published.get(row.method)]
        measured += len(runs)
        if any(one is not None for one in figures):
            rows.append((row.title, [_dot(one) for one in figures]))
    ours = {row.title for row in table.rows if row.method in (PRODUCT, OURS, OURS + EXTENDED)}
    return shown(dots(f"{table.name}-{dataset}", dataset, rows, KINDS, ours=ours)) if measured else Markup()


def _dot(one: Figure | None) -> Dot:
    return Dot(None) if one is None else Dot(one.mean, one.std)
