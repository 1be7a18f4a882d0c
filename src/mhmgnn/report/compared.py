"""Charts that compare rows of figures: box plots and dot plots."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from mhmgnn.report.charts import WIDTH
from mhmgnn.report.svg import MARKERS, Drawing, Scale, Spot, axis_below, line, number, text


class Spread(NamedTuple):
    """A row of a box plot."""

    name: str
    values: np.ndarray  # (m,)
    mark: str = ""  # SVG of a small drawing before the name, centred at (0, 0)


def spreads(name: str, title: str, rows: Sequence[Spread], *, axis: str) -> Drawing:
    """A box plot: a box for the middle half of each row, a line for the middle 90%, a tick for the median."""
    levels = [np.quantile(row.values, (0.05, 0.25, 0.5, 0.75, 0.95)).tolist() for row in rows]
    left, step, top = 146.0, 36.0, 10.0
    bottom = top + step * len(rows)
    x = Scale.around([value for level in levels for value in level], left, WIDTH - 12)
    body, spots, told = [axis_below(x, bottom + 6, about=4)], [], []
    for i, (row, level) in enumerate(zip(rows, levels, strict=True)):
        middle = top + step * (i + 0.5)
        at = [x(value) for value in level]
        body += [
            f'<g transform="translate(18 {middle:.1f})">{row.mark}</g>' if row.mark else "",
            text(40 if row.mark else 4, middle - 1, _cut(row.name, 17)),
            text(40 if row.mark else 4, middle + 12, f"{row.values.size:,}", kind="note"),
            line(at[0], middle, at[4], middle, "whisker"),
            f'<rect class="box" x="{at[1]:.1f}" y="{middle - 7:.1f}" '
            f'width="{max(at[3] - at[1], 1):.1f}" height="14"/>',
            line(at[2], middle - 9, at[2], middle + 9, "median"),
        ]
        words = (
            f"{row.name}: median {number(level[2])}, half between {number(level[1])} and {number(level[3])}"
        )
        spots.append(Spot(at[2], middle, words))
        told.append(words + f", of {row.values.size:,} k-sets.")
    body.append(text((x.start + x.end) / 2, bottom + 42, axis, anchor="middle"))
    size = (WIDTH, int(bottom + 50))
    return Drawing(name, title, " ".join(told), size, "".join(body), tuple(spots), "y")


class Dot(NamedTuple):
    """A mean with its standard deviation; None if there is none."""

    mean: float | None
    std: float | None = None


def dots(
    name: str,
    title: str,
    rows: Sequence[tuple[str, Sequence[Dot]]],
    kinds: Sequence[str],
    *,
    chance: float | None = None,
    ours: Collection[str] = (),
) -> Drawing:
    """A dot plot: a line per row, a marker per figure, and whiskers for the standard deviation.

    The names of the rows in `ours` are emphasised.
    """
    left, step, top = 186.0, 28.0, 4.0 if chance is None else 16.0
    bottom = top + step * len(rows)
    known = [
        dot.mean + sign * (dot.std or 0.0)
        for _, row in rows
        for dot in row
        for sign in (-1, 1)
        if dot.mean is not None
    ]
    low = min([0.5 if chance is None else chance, *known])
    x = Scale(max(0.0, low - 0.05), max([1.0, *known]), left, WIDTH - 12)
    body, spots, told = [axis_below(x, bottom + 4, about=4)], [], []
    if chance is not None:
        body += [
            line(x(chance), top, x(chance), bottom, "level"),
            text(x(chance), 11, "chance", anchor="middle", kind="note"),
        ]
    for i, (row, figures) in enumerate(rows):
        middle = top + step * (i + 0.5)
        body += [
            text(left - 10, middle + 4, _cut(row, 24), anchor="end", kind="name" if row in ours else ""),
            line(x.start, middle, x.end, middle, "grid"),
        ]
        said = []
        for form, (kind, dot) in enumerate(zip(kinds, figures, strict=True)):
            if dot.mean is None:
                continue
            y = middle + (form - (len(kinds) - 1) / 2) * min(7.0, 18 / len(kinds))
            if dot.std:
                body.append(line(x(dot.mean - dot.std), y, x(dot.mean + dot.std), y, "whisker"))
            body.append(
                f'<path class="c{form}" transform="translate({x(dot.mean):.1f} {y:.1f})" '
                f'd="{MARKERS[form]}"/>'
            )
            said.append(f"{kind} {dot.mean:.3f}" + ("" if dot.std is None else f" ± {dot.std:.3f}"))
        if said:
            spots.append(Spot((x.start + x.end) / 2, middle, f"{row}: {', '.join(said)}"))
            told.append(f"{row}: {', '.join(said)}.")
    size = (WIDTH, int(bottom + 28))
    return Drawing(name, title, " ".join(told) or "Nothing measured.", size, "".join(body), tuple(spots), "y")


def _cut(words: str, length: int) -> str:
    return words if len(words) <= length else words[: length - 1] + "…"
