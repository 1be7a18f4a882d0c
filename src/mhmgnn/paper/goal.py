"""How MHM-GNN stands: at least the published figure, and at least every baseline measured beside it?"""

from __future__ import annotations

import math
import statistics
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from mhmgnn.evaluation.tasks.kind import TASKS
from mhmgnn.paper.methods import BESIDE, EXTENDED, OURS, PRODUCT, methods_of
from mhmgnn.paper.recipe import DATASETS, Cell, Recipe
from mhmgnn.paper.results import PROBES, Results, figure

REASONS = Path(__file__).parent / "reasons.toml"
PROBE_NAMES = {"paper": "the paper's probe", "converged": "the converged probe"}
NOTHING = "Nothing has been measured yet."
CLEAR = 2  # standard errors of the difference over runs, from which one row is clearly better than another
NAMED = 4  # better baselines that a line names
CLEARLY = (
    "Clearly better: by more than twice the standard error of the difference over the runs that both have."
)
READING = "Baselines in brackets are better, but not clearly: another five runs may turn it round."


class Rival(NamedTuple):
    """A baseline measured beside a row of MHM-GNN."""

    method: str
    mean: float
    clear: bool  # whether the difference, of either sign, is more than `CLEAR` standard errors

    def __str__(self) -> str:
        told = f"{self.method} {self.mean:.3f}"
        return told if self.clear else f"({told})"


class Standing(NamedTuple):
    """A row of MHM-GNN in a cell, by one probe; means to three digits, as the tables have them."""

    cell: Cell
    method: str
    probe: str
    ours: float
    published: float | None
    runs: int
    above: tuple[Rival, ...]  # baselines that are better, the best first

    @property
    def below_paper(self) -> bool:
        """Whether the paper's own MHM-GNN is better."""
        return self.published is not None and self.ours < self.published


def standings(recipes: Iterable[Recipe], found: Results) -> list[Standing]:
    """Every row of MHM-GNN that was measured, by each probe."""
    recipes = list(recipes)
    result = []
    for recipe in recipes:
        if recipe.cell.k is None:
            continue
        for method in (PRODUCT, OURS, OURS + EXTENDED):
            for probe in PROBES:
                runs = found.runs(recipe.cell, method)
                ours = figure(runs, probe)
                if ours is not None:
                    mean, published = round(ours.mean, 3), recipe.published.get(OURS)
                    rivals = _rivals(recipe, recipes, found, method, probe)
                    above = tuple(rival for rival in rivals if rival.mean > mean)
                    paper = None if published is None else published.mean
                    result.append(Standing(recipe.cell, method, probe, mean, paper, len(runs), above))
    return result


def shortfalls(of: Sequence[Standing]) -> list[str]:
    """Every row that is below its published figure, or below a baseline measured with it, and why.

    What was tried, and the likely reason, is known for a task on a data set, and stands above its rows.
    """
    if not of:
        return [NOTHING]
    lines: dict[str, list[str]] = {}
    for one in of:
        better = [f"published {one.published:.3f}"] if one.below_paper else []
        better += [str(rival) for rival in one.above[:NAMED]]
        if better:
            more = f" and {len(one.above) - NAMED} more" if len(one.above) > NAMED else ""
            told = (
                f"{one.method}, {PROBE_NAMES[one.probe]}, {one.ours:.3f}, is below {', '.join(better)}{more}."
            )
            place = f"{one.cell.task}/{one.cell.dataset}"
            lines.setdefault(place, []).append(f"- k = {one.cell.k}: {told}")
    if not lines:
        return [f"In none of the {len(of)} rows measured."]
    why = reasons()
    return [READING] + [
        line
        for place, rows in lines.items()
        for line in ("", f"**{place.replace('/', ', ')}.** {why.get(place, '')}".strip(), "", *rows)
    ]


def fallen_short(of: Sequence[Standing]) -> list[str]:
    """A table of how many rows of each task are below their published figure, and below a baseline."""
    if not of:
        return [NOTHING]
    head = ["rows of MHM-GNN, by each probe", "measured", "below the published figure"]
    rows = [[*head, "below a baseline", "clearly below one"]]
    for task in dict.fromkeys(one.cell.task for one in of):
        some = [one for one in of if one.cell.task == task]
        paper, rivals = sum(one.below_paper for one in some), sum(bool(one.above) for one in some)
        clear = sum(any(rival.clear for rival in one.above) for one in some)
        rows.append([TASKS.find(task).title, *map(str, (len(some), paper, rivals, clear))])
    return [*markdown(rows), "", "The page of each task has these rows one by one, with the likely reason."]


@cache
def reasons() -> dict[str, str]:
    """What was tried where MHM-GNN falls short, and the likely reason, by "task/dataset"."""
    found = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    return {place: " ".join(text.split()) for place, text in found.items()}


def in_short(of: Sequence[Standing]) -> list[str]:
    """MHM-GNN beside its published figures, and in how many cells it reaches the goal."""
    if not of:
        return [NOTHING]
    lines: list[str] = []
    for whole in (False, True):
        some = [one for one in of if one.cell.whole_graphs is whole and one.method in (PRODUCT, OURS)]
        if some:
            lines += [*_beside(some), ""]
    for method in dict.fromkeys(one.method for one in of):
        lines.append(_reached(method, [one for one in of if one.method == method]))
    return [*lines, CLEARLY]


def markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as a Markdown table, the first of them the titles."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]


def _beside(of: Sequence[Standing]) -> list[str]:
    """A small table by the paper's probe, tasks by data sets: the product, MHM-GNN, the published figure."""
    datasets = [name for name in DATASETS if any(one.cell.dataset == name for one in of)]
    ours = {(one.cell, one.method): f"{one.ours:.3f}" for one in of if one.probe == "paper"}
    published = {one.cell: f"{one.published:.3f}" for one in of if one.published is not None}
    texts = {
        (
            cell.task,
            cell.k,
            cell.dataset,
        ): f"{ours.get((cell, PRODUCT), '-')}, {ours.get((cell, OURS), '-')} ({text})"
        for cell, text in published.items()
    }
    rows = dict.fromkeys((task, k) for task, k, _ in texts)
    body = [
        [f"{TASKS.find(task).title}, k = {k}", *(texts.get((task, k, name), "") for name in datasets)]
        for task, k in rows
    ]
    return markdown([[f"{PRODUCT}, {OURS} (published)", *datasets], *body])


def _reached(method: str, of: Sequence[Standing]) -> str:
    told = []
    for probe in PROBES:
        some = [one for one in of if one.probe == probe]
        paper = sum(not one.below_paper for one in some)
        rivals = sum(not one.above for one in some)
        clear = sum(not any(rival.clear for rival in one.above) for one in some)
        told.append(
            f"by {PROBE_NAMES[probe]} in {paper} of {len(some)} cells at least the published figure, "
            f"in {rivals} at least every baseline measured beside it (in {clear} none is clearly better)"
        )
    fewest, most = min(one.runs for one in of), max(one.runs for one in of)
    runs = (
        f"{most} runs" if fewest == most > 1 else f"{fewest} run" if most == 1 else f"{fewest} to {most} runs"
    )
    return f"{method}, {runs} a cell: {'; '.join(told)}."


def _rivals(recipe: Recipe, recipes: Sequence[Recipe], found: Results, ours: str, probe: str) -> list[Rival]:
    """Other rows of a cell over the splits that ours has, best first.

    Those with degrees or context meet only what has them too.
    """
    unequal = {PRODUCT: (), OURS: (EXTENDED, BESIDE), OURS + EXTENDED: (BESIDE,)}[ours]
    shared = [other for other in recipes if other.cell == Cell(recipe.cell.task, recipe.cell.dataset, None)]
    own, rivals = found.runs(recipe.cell, ours), list[Rival]()
    splits = {run["split_seed"] for run in own}
    for source in (recipe, *shared):
        for method in methods_of(source):
            of_ours = method in (PRODUCT, OURS, OURS + EXTENDED)
            if (of_ours and ours != PRODUCT) or method == ours or method.endswith(unequal):
                continue
            runs = [run for run in found.runs(source.cell, method) if run["split_seed"] in splits]
            measured = figure(runs, probe)
            if measured is not None:
                rivals.append(Rival(method, round(measured.mean, 3), _is_clear(own, runs, probe)))
    return sorted(rivals, key=lambda rival: -rival.mean)


def _is_clear(own: Sequence[dict[str, Any]], other: Sequence[dict[str, Any]], probe: str) -> bool:
    """Whether two rows differ by more than `CLEAR` standard errors, over the splits that both have."""
    scores = [{run["split_seed"]: run["score"][probe] for run in runs} for runs in (own, other)]
    apart: list[float] = [scores[1][seed] - scores[0][seed] for seed in scores[0].keys() & scores[1].keys()]
    if len(apart) < 2:
        return False
    return abs(statistics.fmean(apart)) > CLEAR * statistics.stdev(apart) / math.sqrt(len(apart))
