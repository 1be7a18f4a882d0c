"""Bar charts as SVG: a panel a data set, a pair of bars a method, whiskers for the spread."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from mhmgnn.paper.recipe import Figure

LABELS, WIDTH, GAP = 190, 130, 14  # pixels: names of methods, a panel, the space between two
LINE, HEAD, FOOT = 18, 44, 24  # a method, the titles above, the axis below
COLOURS = ("#1f6f8b", "#e0a458")  # ours, published
TICKS = (0.0, 0.5, 1.0)


class Bar(NamedTuple):
    """A method in a panel; None where there is no figure."""

    ours: Figure | None
    published: Figure | None


class Panel(NamedTuple):
    """One data set."""

    title: str
    bars: tuple[Bar, ...]


def draw(title: str, methods: Sequence[str], panels: Sequence[Panel]) -> str:
    """The chart as an SVG file, with all its numbers in its description."""
    width = LABELS + len(panels) * (WIDTH + GAP)
    height = HEAD + LINE * len(methods) + FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" aria-labelledby="t d">',
        f'<title id="t">{escape(title)}</title>',
        f'<desc id="d">{escape(_described(methods, panels))}</desc>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        _text(4, 16, title, size=13),
        *_legend(width),
    ]
    for i, method in enumerate(methods):
        parts.append(_text(LABELS - 6, HEAD + LINE * i + 13, method, anchor="end"))
    for number, panel in enumerate(panels):
        parts += _panel(LABELS + number * (WIDTH + GAP), panel, height - FOOT)
    return "\n".join([*parts, "</svg>", ""])


def _panel(left: float, panel: Panel, bottom: float) -> list[str]:
    parts = [_text(left, HEAD - 6, panel.title)]
    for tick in TICKS:
        x = left + tick * WIDTH
        parts.append(f'<line x1="{x:g}" y1="{HEAD}" x2="{x:g}" y2="{bottom:g}" stroke="#ddd"/>')
        parts.append(_text(x, bottom + 14, f"{tick:g}", anchor="middle"))
    for i, bar in enumerate(panel.bars):
        for j, figure in enumerate(bar):
            if figure is not None:
                parts += _bar(left, HEAD + LINE * i + 2 + 7 * j, figure, COLOURS[j])
    return parts


def _bar(left: float, top: float, figure: Figure, colour: str) -> list[str]:
    end, middle = left + WIDTH * figure.mean, top + 3
    parts = [f'<rect x="{left:g}" y="{top:g}" width="{end - left:.1f}" height="6" fill="{colour}"/>']
    if figure.std:
        low, high = end - WIDTH * figure.std, end + WIDTH * figure.std
        line = f'x1="{low:.1f}" y1="{middle:g}" x2="{high:.1f}" y2="{middle:g}" stroke="#333"'
        parts.append(f"<line {line}/>")
    return parts


def _legend(width: float) -> list[str]:
    parts = []
    for i, name in enumerate(("ours, paper's probe", "published")):
        left = width - 220 + 130 * i
        parts.append(f'<rect x="{left:g}" y="8" width="10" height="8" fill="{COLOURS[i]}"/>')
        parts.append(_text(left + 14, 16, name))
    return parts


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 11) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def _described(methods: Sequence[str], panels: Sequence[Panel]) -> str:
    told = []
    for panel in panels:
        for method, bar in zip(methods, panel.bars, strict=True):
            known = [
                f"{name} {figure.mean:.3f}"
                for name, figure in zip(Bar._fields, bar, strict=True)
                if figure is not None
            ]
            if known:
                told.append(f"{panel.title}, {method}: {', '.join(known)}.")
    return " ".join(told)
