"""report: from a run folder to one page about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mhmgnn.graph import Graph
from mhmgnn.report import sections, sets
from mhmgnn.report import tasks as scores
from mhmgnn.report.atlas import chart
from mhmgnn.report.diagnosis import count_sets, diagnose
from mhmgnn.report.energies import contrast, draw, draw_labelled
from mhmgnn.report.groups import groups
from mhmgnn.report.page import Page, Section
from mhmgnn.report.run import Labels, Run, Task

PAGE = "report.html"
TOP = 12  # sets that are drawn
SEARCHED = 300_000  # k-sets that are all looked at for the best; beyond, a search


def report(
    run: str | Path,
    *,
    page: str | Path | None = None,
    labels: Labels | None = None,
    tasks: Sequence[Task] = (),
    cliques: bool = False,
) -> Path:
    """Write a page about the run in a folder, `report.html` there unless `page` says else; where it went.

    `labels` colour the map and stand beside the sets found; `tasks` are scores to show. `cliques` keeps the
    best sets to those whose nodes are all adjacent. The same run gives the same page.
    """
    folder = Path(run)
    found = Run.read(folder)
    body = _of_graph(found, found.graph, labels, cliques) if found.graph is not None else _of_many(found)
    if found.model.facts.get("groups") is not None:
        body.append(groups(found.model.facts["groups"]))
    if tasks:
        body.append(scores.tasks(tasks))
    body.append(sections.origin(found))
    kind = f"sets of {found.model.k} nodes" if found.of_sets else "whole graphs"
    lead = f"A model of {kind}, learned without labels: vectors, and energies, low for what belongs together."
    foot = f"Made by mhmgnn report from the run “{found.name}” with seed {found.seed}; no number is typed."
    return Page("mhmgnn report", f"{found.name}: {kind}", lead, body, foot).write(
        Path(page) if page else folder / PAGE
    )


def _of_many(run: Run) -> list[Section]:
    return [sections.overview(run, None), sections.training(run)]


def _of_graph(run: Run, graph: Graph, labels: Labels | None, cliques: bool) -> list[Section]:
    apart = contrast(run.model, graph)
    if not run.of_sets:
        return [sections.overview(run, None), sections.training(run), sections.contrasts(apart)]
    model, seed = run.model, run.seed
    counted = count_sets(graph, model.k, seed)
    body = [sections.overview(run, counted), sections.training(run), sections.contrasts(apart)]
    body.append(sections.sampling(diagnose(model, graph), counted))
    drawn = draw(model, graph, seed)
    labelled = None if labels is None else draw_labelled(model, graph, labels, seed)
    if drawn is not None:
        body.append(sets.kinds(drawn, counted, labelled))
    shown, by = (labelled, "label") if labelled is not None else (drawn, "shape")
    if shown is not None and len(shown.ksets) > 1:
        body.append(sets.atlas(chart(model, graph, shown, by=by, seed=seed), shown.how))
    tags = {}
    if labels is not None:
        rows = graph.ksets(labels.ksets, k=model.k)
        tags = dict(zip(map(tuple, rows.tolist()), labels.names, strict=True))
    best = model.discover(top=TOP, cliques=cliques, limit=SEARCHED, seed=seed)
    body.append(sets.discovered(graph, best, tags, cliques=cliques))
    return body
