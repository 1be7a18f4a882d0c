"""Values -> charts, each with a description in words for people who do not see it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mhmgnn.report.svg import MARKERS, Drawing, Scale, Spot, axis_below, grid_beside, line, number, path, text

WIDTH = 390  # of all charts but the map: letters stay legible on a phone
MOST_POINTS = 400  # of a line; more are too close to be told apart
SMOOTH = 0.8  # what the smoothed loss keeps of itself at a step, as in `settled_after`


def curve(name: str, title: str, values: Sequence[float], *, level: float, level_name: str) -> Drawing:
    """A loss by steps: as it was, and smoothed; and a level to compare it with."""
    losses = np.asarray(values, np.float64)
    smooth = losses.copy()
    for i in range(1, losses.size):
        smooth[i] = SMOOTH * smooth[i - 1] + (1 - SMOOTH) * losses[i]
    height, bottom = 280, 238
    x = Scale(1, max(losses.size, 2), 46, WIDTH - 8)
    y = Scale(0.0, 1.08 * max(level, float(losses.max())), bottom, 16)
    chosen = np.unique(np.linspace(0, losses.size - 1, min(MOST_POINTS, losses.size)).astype(int)).tolist()
    body = [
        grid_beside(y, x.start, x.end),
        axis_below(x, bottom),
        text((x.start + x.end) / 2, height - 6, "step", anchor="middle"),
        line(x.start, y(level), x.end, y(level), "level"),
        text(x.end, y(level) - 6, level_name, anchor="end", kind="note"),
        path([(x(i + 1), y(losses[i])) for i in chosen], "faint"),
        path([(x(i + 1), y(smooth[i])) for i in chosen], "strong"),
    ]
    spots = [
        Spot(x(i + 1), y(smooth[i]), f"step {i + 1}: {losses[i]:.3f}, smoothed {smooth[i]:.3f}")
        for i in chosen
    ]
    told = (
        f"From {losses[0]:.3f} at the first of {losses.size} steps to {losses[-1]:.3f} at the last, "
        f"{smooth[-1]:.3f} when smoothed; the lowest is {losses.min():.3f}. {level_name}: {level:.3f}."
    )
    return Drawing(name, title, told, (WIDTH, height), "".join(body), tuple(spots), "x")


class Heap(NamedTuple):
    """Values of one kind, with their weights where these differ."""

    name: str
    values: np.ndarray  # (m,)
    weights: np.ndarray | None = None  # (m,)


def mirrored(name: str, title: str, above: Heap, below: Heap, *, axis: str) -> Drawing:
    """Two histograms on one axis, one upright and one hanging: told apart without colour."""
    both = np.concatenate([above.values, below.values]).astype(np.float64)
    low, high = _range(both)
    edges = np.linspace(low, high, 33)
    shares = [_shares(heap, edges) for heap in (above, below)]
    most = max(part.max(initial=0.0) for part in shares) or 1.0
    x = Scale(low, high, 10, WIDTH - 10)
    middle, reach, bottom = 122.0, 96.0, 226.0
    body, spots = [], []
    for part, sign, kind in zip(shares, (-1, 1), ("data", "noise"), strict=True):
        for i, share in enumerate(part.tolist()):
            if share:
                size = reach * share / most
                top = middle - size if sign < 0 else middle
                body.append(
                    f'<rect class="{kind}" x="{x(edges[i]):.1f}" y="{top:.1f}" '
                    f'width="{x(edges[i + 1]) - x(edges[i]) - 1:.1f}" height="{size:.1f}"/>'
                )
    for i, (up, down) in enumerate(zip(*(part.tolist() for part in shares), strict=True)):
        if up or down:
            shares_told = f"{above.name} {up:.1%}, {below.name} {down:.1%}"
            words = f"{number(edges[i])} to {number(edges[i + 1])}: {shares_told}"
            spots.append(Spot(x((edges[i] + edges[i + 1]) / 2), middle, words))
    body += [
        line(x.start, middle, x.end, middle, "axis"),
        text(x.start, 14, above.name, kind="name"),
        text(x.start, bottom - 4, below.name, kind="name"),
        axis_below(x, bottom),
        text(WIDTH / 2, bottom + 36, axis, anchor="middle"),
    ]
    told = " ".join(_heap_told(heap) for heap in (above, below))
    return Drawing(name, title, told, (WIDTH, 270), "".join(body), tuple(spots), "x")


def histogram(name: str, title: str, values: np.ndarray, *, axis: str) -> Drawing:
    """A histogram of whole numbers from 1 on; on a log axis if the largest is over 100 times the smallest."""
    logs = values.max() > 100 * values.min()
    edges = _whole_edges(int(values.min()), int(values.max()), logs=logs)
    counts, _ = np.histogram(values, edges)
    first, last = (math.log10(edge) if logs else float(edge) for edge in (edges[0], edges[-1]))
    x = Scale(first, last, 10, WIDTH - 10)
    bottom = 166.0
    y = Scale(0, int(counts.max()), bottom, 14)
    body, spots = [line(x.start, bottom, x.end, bottom, "axis")], []
    for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True):
        left, right = (x(math.log10(edge) if logs else edge) for edge in (low, high))
        if count:
            body.append(
                f'<rect class="data" x="{left:.1f}" y="{y(count):.1f}" '
                f'width="{max(right - left - 1, 1):.1f}" height="{bottom - y(count):.1f}"/>'
            )
            words = " to ".join(dict.fromkeys([f"{math.ceil(low):,}", f"{math.floor(high):,}"]))
            spots.append(Spot((left + right) / 2, y(count), f"{words}: {count:,}"))
    for tick in x.ticks(4):
        body.append(line(x(tick), bottom, x(tick), bottom + 4, "axis"))
        words = number(10.0**tick if logs else tick)
        body.append(text(x(tick), bottom + 18, words, anchor="middle"))
    body.append(text(WIDTH / 2, bottom + 36, axis, anchor="middle"))
    told = _heap_told(Heap(axis, values))
    return Drawing(name, title, told, (WIDTH, 210), "".join(body), tuple(spots), "x")


def _whole_edges(low: int, high: int, *, logs: bool) -> np.ndarray:
    """Edges between whole numbers, about 24 bars of them."""
    if logs:
        return np.asarray(np.unique(np.geomspace(low, high + 1, 25).round()) - 0.5)
    width = math.ceil((high - low + 1) / 24)
    return np.arange(low, high + 1 + width, width) - 0.5


class Cloud(NamedTuple):
    """Points of one kind on a map."""

    name: str
    places: np.ndarray  # (m, 2)
    words: tuple[str, ...]  # of each point


def scatter(name: str, title: str, clouds: Sequence[Cloud], told: str) -> Drawing:
    """A map of points, each kind with its own marker and colour; what is rarer lies above."""
    size = (720, 520)
    places = np.concatenate([cloud.places for cloud in clouds])
    x = Scale.around(places[:, 0].tolist(), 0, size[0], air=0.03)
    y = Scale.around(places[:, 1].tolist(), size[1], 0, air=0.03)
    body, spots = [], []
    for form, cloud in enumerate(clouds):
        body.append(f'<defs><path id="{name}-m{form}" d="{MARKERS[form]}"/></defs><g class="c{form} points">')
        for (across, up), words in zip(cloud.places.tolist(), cloud.words, strict=True):
            body.append(f'<use href="#{name}-m{form}" x="{x(across):.1f}" y="{y(up):.1f}"/>')
            spots.append(Spot(x(across), y(up), words))
        body.append("</g>")
    return Drawing(name, title, told, size, "".join(body), tuple(spots))


def _range(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _shares(heap: Heap, edges: np.ndarray) -> np.ndarray:
    counts, _ = np.histogram(heap.values, edges, weights=heap.weights)
    return np.asarray(counts / max(counts.sum(), 1e-12))


def _heap_told(heap: Heap) -> str:
    low, middle, high = np.quantile(heap.values, (0.05, 0.5, 0.95)).tolist()
    return (
        f"{heap.name}: {heap.values.size:,} values, median {number(middle)}, "
        f"nine tenths of them between {number(low)} and {number(high)}."
    )
