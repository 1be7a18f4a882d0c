"""report: from a run folder to one page about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mhmgnn.report import sections, sets
from mhmgnn.report import tasks as scores
from mhmgnn.report.atlas import chart
from mhmgnn.report.diagnosis import count_sets, diagnose
from mhmgnn.report.energies import contrast, draw, draw_labelled
from mhmgnn.report.groups import groups
from mhmgnn.report.page import Page, Section
from mhmgnn.report.run import Labels, Run, Task
from mhmgnn.subgraphs.result import Estimate

PAGE = "report.html"
TOP = 12  # sets that are drawn
MOST_EDGES = 200_000  # of a graph whose groups are looked for; in a larger one this takes minutes
SEARCHED = 300_000  # k-sets that are all looked at for the best; beyond, a search


def report(
    run: str | Path,
    *,
    page: str | Path | None = None,
    labels: Labels | None = None,
    tasks: Sequence[Task] = (),
    cliques: bool = False,
    first: Sequence[Section] = (),
) -> Path:
    """Write a page about the run in a folder, `report.html` there unless `page` says else; where it went.

    `labels` colour the map and stand beside the sets found; `tasks` are scores to show, and `first` are
    sections that the page begins with. `cliques` keeps the best sets to those whose nodes are all adjacent.
    What was found comes first, how it was learned last. The same run gives the same page.
    """
    folder = Path(run)
    found = Run.read(folder)
    graph = found.graph
    counted = None if graph is None or not found.of_sets else count_sets(graph, found.model.k, found.seed)
    body = [*first, *_found(found, counted, labels, cliques)]
    if found.model.facts.get("groups") is not None:
        body.append(groups(found.model.facts["groups"]))
    if tasks:
        body.append(scores.tasks(tasks))
    body += [*_learned(found, counted), sections.origin(found)]
    title, lead = _heading(found)
    foot = f"Made by mhmgnn report from the run “{found.name}” with seed {found.seed}; no number is typed."
    return Page("mhmgnn report", title, lead, body, foot).write(Path(page) if page else folder / PAGE)


def _heading(run: Run) -> tuple[str, str]:
    """The title of the page, and a sentence below it."""
    graph = run.graph
    if graph is None or not run.of_sets:
        return (
            f"{run.name}: whole graphs",
            "A vector and an energy for a whole graph, learned without labels.",
        )
    learned = f"Learned without labels from {graph.num_edges:,} pairs of {graph.num_nodes:,} nodes"
    lead = f"{learned}: the groups they were made of, and an energy for any set, low if it belongs together."
    return f"{run.name}: what belongs together", lead


def _found(run: Run, counted: Estimate | None, labels: Labels | None, cliques: bool) -> list[Section]:
    """What the model says of the graph, then what was trained."""
    graph = run.graph
    if graph is None or not run.of_sets:
        return [sections.overview(run, None)]
    model, seed = run.model, run.seed
    body = []
    if model.facts.get("groups") is not None and graph.num_edges <= MOST_EDGES:
        body.append(sets.grouped(model.groups(sizes=(3, graph.num_nodes))))
    labelled = None if labels is None else draw_labelled(model, graph, labels, seed)
    tags = {}
    if labels is not None:
        rows = graph.ksets(labels.ksets, k=model.k)
        tags = dict(zip(map(tuple, rows.tolist()), labels.names, strict=True))
    best = model.discover(top=TOP, cliques=cliques, limit=SEARCHED, seed=seed)
    body.append(sets.discovered(graph, best, tags, cliques=cliques))
    drawn = draw(model, graph, seed)
    if drawn is not None:
        body.append(sets.kinds(drawn, counted, labelled))
    shown, by = (labelled, "label") if labelled is not None else (drawn, "shape")
    if shown is not None and len(shown.ksets) > 1:
        body.append(sets.atlas(chart(model, graph, shown, by=by, seed=seed), shown.how))
    return [*body, sections.overview(run, counted)]


def _learned(run: Run, counted: Estimate | None) -> list[Section]:
    """How training went."""
    body, graph = [sections.training(run)], run.graph
    if graph is not None:
        body.append(sections.contrasts(contrast(run.model, graph)))
        if run.of_sets:
            body.append(sections.sampling(diagnose(run.model, graph), counted))
    return body
