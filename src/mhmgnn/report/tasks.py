"""Scores of probes -> the section that shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from mhmgnn.evaluation.probes.score import Score
from mhmgnn.report.compared import Dot, dots
from mhmgnn.report.markup import confusions, folded, heading, legend, paragraph, shown, side_by_side, table
from mhmgnn.report.page import Section
from mhmgnn.report.run import Task

PROBES = ("paper's probe", "converged probe")


def tasks(given: Sequence[Task]) -> Section:
    """Scores of both probes, with confusions."""
    parts = []
    for i, task in enumerate(given):
        rows = [
            (method, [Dot(score.paper, score.paper_std), Dot(score.converged, score.converged_std)])
            for method, score in task.scores
        ]
        classes = max(len(score.confusion.classes) for _, score in task.scores)
        drawing = dots(f"task-{i}", "Balanced accuracy", rows, PROBES, chance=1 / classes)
        parts.append(heading(task.title) + (paragraph(task.note) if task.note else ""))
        parts.append(side_by_side([shown(drawing, key=legend(PROBES)), _scores(task)]))
        *others, (method, score) = task.scores
        parts.append(_confusions(method, score, task.classes))
        if others:
            rest = Markup("").join(_confusions(name, one, task.classes) for name, one in others)
            parts.append(folded("Confusions of the other methods", rest))
    return Section("tasks", "Tasks", Markup("").join(parts))


def _scores(task: Task) -> Markup:
    rows = [
        [
            method,
            _with_spread(score.paper, score.paper_std),
            _with_spread(score.converged, score.converged_std),
        ]
        for method, score in task.scores
    ]
    return table(["method", *PROBES], rows, caption="Balanced accuracy of two linear probes")


def _with_spread(mean: float, std: float | None) -> str:
    return f"{mean:.3f}" if std is None else f"{mean:.3f} ± {std:.3f}"


def _confusions(method: str, score: Score, words: Mapping[str, str]) -> Markup:
    tables, classes = [], [words.get(name, name) for name in score.confusion.classes]
    for name, counts in zip(PROBES, (score.confusion.paper, score.confusion.converged), strict=True):
        rows = [
            [truth, *(f"{count:,} ({count / max(sum(row), 1):.0%})" for count in row)]
            for truth, row in zip(classes, counts.tolist(), strict=True)
        ]
        head = ["truth", *(f"taken for {guess}" for guess in classes)]
        tables.append(table(head, rows, caption=f"{method}, {name}"))
    return confusions(tables)
