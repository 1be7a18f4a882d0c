"""k-sets of the whole graph -> the sections that show them: energies by kind, the map, the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from mhmgnn.graph import Graph
from mhmgnn.models.group_list import GroupList
from mhmgnn.models.search import Discovery
from mhmgnn.report.atlas import Atlas
from mhmgnn.report.compared import Spread, spreads
from mhmgnn.report.energies import Drawn
from mhmgnn.report.markup import figures, folded, legend, paragraph, shown, side_by_side, table
from mhmgnn.report.page import Section
from mhmgnn.report.render import piece
from mhmgnn.report.sketch import edges_of, portrait, sketch
from mhmgnn.report.svg import Drawing, number
from mhmgnn.subgraphs.exact import edge_codes
from mhmgnn.subgraphs.result import Estimate

OF_A_SIZE = 3  # groups that are listed
SIZES = 8  # the smallest ones, whose groups are counted and listed
ROWS = 12  # kinds that have a row in a chart of spreads; the rarer ones are left to the table


def kinds(drawn: Drawn, counted: Estimate | None, labelled: Drawn | None) -> Section:
    """Energies by shape, and by label where there are labels."""
    k = drawn.ksets.shape[1]
    shown_kinds = sorted(drawn.by_size()[:ROWS])
    charts = [shown(_spread("shapes", "Energies by shape", drawn, shown_kinds, k), note=_boxes(drawn.how))]
    if labelled is not None and labelled.energies.size:
        rows = labelled.by_size()[:ROWS]
        title = "Energies by label"
        charts.append(shown(_spread("labels", title, labelled, rows, k), note=_boxes(labelled.how)))
    body = side_by_side(charts)
    if counted is not None and isinstance(counted.value, np.ndarray):
        body += folded("Every shape of the whole graph, counted", _shape_table(drawn, counted))
    return Section("energies", "Energies by kind", body)


def _boxes(how: str) -> str:
    return f"Of {how}. Box: the middle half. Line: nine tenths. Tick: the median."


def _spread(name: str, title: str, drawn: Drawn, rows: Sequence[int], k: int) -> Drawing:
    spread = [
        Spread(
            drawn.kinds[row].name,
            drawn.of(row),
            "" if drawn.kinds[row].edges is None else sketch(k, drawn.kinds[row].edges or ()),
        )
        for row in rows
    ]
    return spreads(name, title, spread, axis="energy; low belongs together")


def _shape_table(drawn: Drawn, counted: Estimate) -> Markup:
    values, errors = np.asarray(counted.value), np.asarray(counted.stderr)
    rows = []
    for i, kind in enumerate(drawn.kinds):
        energies = drawn.of(i)
        middle = number(float(np.median(energies))) if energies.size else "none drawn"
        count = f"{values[i]:,.0f}" if counted.exact else f"{number(values[i])} ± {number(errors[i])}"
        rows.append([kind.name, str(len(kind.edges or ())), count, middle])
    return table(["shape", "edges", "in the graph", "median energy"], rows, caption="Shapes")


def atlas(found: Atlas, how: str) -> Section:
    """The map of embeddings."""
    note = (
        f"Principal components of the vectors: {found.shares[0]:.0%} of the variance across, "
        f"{found.shares[1]:.0%} up, each on its own scale. A point is a k-set; "
        f"point at it to read its nodes. Drawn from {how}."
    )
    body = shown(found.drawing, note=note, key=legend(found.names), kind="map")
    return Section("map-of-sets", "Map of embeddings", body)


class Card(NamedTuple):
    """A k-set as a small graph with its names, its energy and its label."""

    drawing: Markup
    names: Sequence[str]
    energy: str
    tag: str | None


def discovered(
    graph: Graph, found: Discovery, tags: Mapping[tuple[int, ...], str], *, cliques: bool
) -> Section:
    """The k-sets of lowest energy as small graphs."""
    how = "all of them were looked at" if found.exact else "found by descent, so perhaps not the best"
    cards = []
    for place, item in enumerate(found.sets, 1):
        code = int(edge_codes(graph.rows, np.array([item.nodes]))[0])
        drawing = portrait(f"set-{place}", item.names, edges_of(code, len(item.nodes)))
        cards.append(Card(drawing, item.names, number(item.energy), tags.get(item.nodes)))
    what = (
        "sets of lowest energy whose nodes are all adjacent" if cliques else "connected sets of lowest energy"
    )
    body = paragraph(f"The {what}, best first; {how}.")
    return Section("sets", "Best sets", body + piece("cards", cards))


def grouped(found: GroupList) -> Section:
    """Groups of three nodes and more: how many of each size, and the most probable ones by name."""
    sizes = Counter(len(group.nodes) for group in found.groups)
    few = sorted(sizes)[:SIZES]
    if not few:
        return Section("found", "Groups found", paragraph("No group of three nodes or more was found."))
    words = (
        f"{len(found.groups):,} groups of three nodes and more explain the pairs. The most probable of each "
        "size are shown; “mhmgnn groups” gives all."
    )
    rows = []
    for size in few:
        some = [group for group in found.groups if len(group.nodes) == size][:OF_A_SIZE]
        rows += [[", ".join(group.names), str(size), f"{group.probability:.2f}"] for group in some]
    counted = figures([(f"of {size}", f"{sizes[size]:,}") for size in few])
    listed = table(["group", "nodes", "probability"], rows, caption="Most probable groups, by size")
    return Section("found", "Groups found", paragraph(words) + counted + listed)
