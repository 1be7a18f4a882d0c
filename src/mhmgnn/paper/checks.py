"""Checks of the tables: chance, random weights, one split, few positives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mhmgnn.datasets.sources import SOURCES
from mhmgnn.evaluation.tasks.kind import TASKS
from mhmgnn.evaluation.tasks.task import FEW
from mhmgnn.paper.goal import NOTHING, markdown
from mhmgnn.paper.methods import EXTENDED, OURS, RANDOM
from mhmgnn.paper.recipe import Cell, Recipe
from mhmgnn.paper.results import PROBES, Results, figure

FAR = 4  # standard errors from chance, past which shuffled labels say that something is wrong
READING = (
    "Figures are balanced accuracies of two linear probes, mean ± standard deviation over runs, each with a "
    "seed and a split of the graph of its own, the same for all methods. The best of a column is in bold, "
    f'for each probe. Rows with "{EXTENDED.strip()}" read bins of the nodes\' degrees beside the features, '
    "all others what the paper's read. GS-lstm is trained for 100 steps, docs/experiments.md says why."
)


def about(found: Results, folder: Path) -> list[str]:
    """How the figures came about, and what they cost."""
    lines = [
        f"Generated from the files in `{folder.name}` by `mhmgnn reproduce --runs 0 --page docs/results.md`; "
        f"do not edit. {READING}",
    ]
    if not found.all:
        return [*lines, "", NOTHING]
    seconds = [one["seconds"]["all"] for one in found.all if "seconds" in one]
    peak = max((one.get("peak_bytes", 0) for one in found.all), default=0)
    cost = (
        f"{len(found.all):,} results; {sum(seconds) / 3600:.1f} hours of one core, half of that on two; "
        f"the longest item {max(seconds, default=0) / 60:.1f} minutes, {peak / 1e9:.1f} GB at most."
    )
    return [*lines, "", cost, f"Commits: {', '.join(found.commits())}."]


def checks(recipes: Sequence[Recipe], found: Results) -> list[str]:
    """A table of checks: a row for each cell that MHM-GNN fills."""
    of = [recipe for recipe in recipes if recipe.cell.k is not None]
    head = ["the paper's probe / converged", "trained less random weights", "the same, with degrees"]
    head += [
        "shuffled labels",
        "one split, training seeds alone",
        "the same, with degrees",
        "rarest label of the test side",
    ]
    rows = [
        [
            f"{cell.dataset}, k = {cell.k}",
            _gain(found, cell, ""),
            _gain(found, cell, EXTENDED),
            _shuffled(found, cell),
            _one_cut(found, cell, OURS),
            _one_cut(found, cell, OURS + EXTENDED),
            _fewest(found, cell),
        ]
        for cell in (recipe.cell for recipe in of)
    ]
    notes = dict.fromkeys(
        f"- {recipe.cell.dataset}: {note}."
        for recipe in of
        if recipe.cell.dataset in SOURCES
        for note in SOURCES[recipe.cell.dataset].notes.values()
    )
    return [*markdown([head, *rows]), *(["", *notes] if notes else [])]


def _gain(found: Results, cell: Cell, extended: str) -> str:
    """Of training over random weights."""
    texts = []
    for probe in PROBES:
        ours, drawn = (figure(found.runs(cell, method + extended), probe) for method in (OURS, RANDOM))
        if ours is None or drawn is None:
            return "not run"
        texts.append(f"{ours.mean - drawn.mean:+.3f}")
    return " / ".join(texts)


def _shuffled(found: Results, cell: Cell) -> str:
    """The mean over shuffles and its standard error, with a word where it is not chance."""
    runs = found.shuffled(cell, OURS)
    if not runs:
        return "not run"
    shuffles = [{"score": one} for run in runs for one in run["shuffles"]]
    chance, texts, far = 1 / len(runs[0]["counts"]["train"]["kept"]), [], False
    for probe in PROBES:
        one = figure(shuffles, probe)
        assert one is not None, "there are runs"
        error = (one.std or 0.0) / len(shuffles) ** 0.5
        far = far or abs(one.mean - chance) > FAR * error
        texts.append(f"{one.mean:.3f} (standard error {error:.3f})")
    return f"{' / '.join(texts)}; chance {chance:.3f}" + (", NOT CHANCE" if far else "")


def _one_cut(found: Results, cell: Cell, method: str) -> str:
    runs = found.one_cut(cell, method)
    return f"{_both(runs)}, {len(runs)} seeds" if len(runs) > 1 else "not run"


def _both(runs: Sequence[dict[str, Any]]) -> str:
    texts = []
    for probe in PROBES:
        one = figure(runs, probe)
        assert one is not None, "there are runs"
        texts.append(f"{one.mean:.3f}" + ("" if one.std is None else f" ± {one.std:.3f}"))
    return " / ".join(texts)


def _fewest(found: Results, cell: Cell) -> str:
    """The smallest class of the test side, with a word where it is small."""
    runs = found.runs(cell, OURS) or found.runs(cell, RANDOM)
    if not runs:
        return "not run"
    test = runs[0]["counts"]["test"]
    sought = TASKS.find(cell.task).sought
    if sought is not None:
        label, what = sought
        fewest = test["kept"].get(str(label), 0)
        text = f"{fewest:,} {what}"
    else:
        label, fewest = min(test["kept"].items(), key=lambda pair: (pair[1], pair[0]))
        text = f"{fewest:,} of label {label}"
    if "candidates" in test:
        text += f"; kept {sum(test['kept'].values()):,} of {test['candidates']:,.0f} candidates"
    return text + (f" (fewer than {FEW}: the score says little)" if fewest < FEW else "")
