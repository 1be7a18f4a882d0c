"""What charts are drawn with: a frozen drawing with its words, scales, ticks, markers that need no colour.

Charts are drawn by hand, because a page is one file that works without a network, small enough to be sent,
whose charts a screen reader can read (title and description), show values under the pointer and follow the
style sheet in dark mode. Libraries either draw without descriptions and hover (Matplotlib) or bring megabytes
of script (Plotly, Bokeh, Vega).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from markupsafe import Markup

from mhmgnn.report.render import piece

# Outlines around (0, 0), about 8 pixels across: told apart by form alone, first the plainest.
MARKERS = (
    "M-3.4,0a3.4,3.4 0 1,0 6.8,0a3.4,3.4 0 1,0 -6.8,0z",  # disc
    "M0,-4.4L4.2,3.2H-4.2z",  # triangle
    "M-3.2,-3.2H3.2V3.2H-3.2z",  # square
    "M0,-4.8L4.2,0L0,4.8L-4.2,0z",  # diamond
    "M-1.3,-4H1.3V-1.3H4V1.3H1.3V4H-1.3V1.3H-4V-1.3H-1.3z",  # plus
    "M0,4.4L4.2,-3.2H-4.2z",  # triangle upside down
    "M-4,-1.2H4V1.2H-4z",  # bar
)


MINUS = "\N{MINUS SIGN}"  # as wide as a figure, unlike a hyphen


class Spot(NamedTuple):
    """A place in a drawing that has something to say when one points at it."""

    x: float
    y: float
    words: str


class Drawing(NamedTuple):
    """A chart as SVG and as words."""

    name: str  # unlike all others on a page
    title: str
    told: str  # what one would see in it
    size: tuple[int, int]
    body: str  # SVG; words in it were escaped by `text`
    spots: tuple[Spot, ...] = ()
    nearest: Literal["xy", "x", "y"] = "xy"  # how the pointer chooses among the spots

    def __html__(self) -> Markup:
        hover = ""
        if self.spots:
            hover = json.dumps(
                [[round(spot.x, 1), round(spot.y, 1), spot.words] for spot in self.spots],
                ensure_ascii=False,
                separators=(",", ":"),
            )
        return piece("drawing", self, hover)

    def __str__(self) -> str:
        return str(self.__html__())


class Scale(NamedTuple):
    """Maps values from low to high onto pixels from start to end."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    @classmethod
    def around(cls, values: Sequence[float], start: float, end: float, *, air: float = 0.05) -> Scale:
        """A scale that holds all values, with a margin at both ends."""
        low, high = min(values), max(values)
        reach = (high - low) * air or abs(low) * air or 1.0
        return cls(low - reach, high + reach, start, end)

    def ticks(self, about: int = 5) -> list[float]:
        """Round values inside the scale, about so many."""
        rough = (self.high - self.low) / about
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * step for step in (1, 2, 2.5, 5, 10) if power * step >= rough)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def number(value: float) -> str:
    """A number as people write it: three figures, thousands set apart, a true minus sign."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e6:
        value = float(f"{value:.2e}")
    if size >= 1e12 or size < 1e-3:
        text = f"{value:.2e}"
        mantissa, exponent = text.split("e")
        text = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    else:
        text = f"{value:,.{max(0, 2 - math.floor(math.log10(size)))}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", MINUS)


def text(x: float, y: float, words: str, *, anchor: str = "start", kind: str = "") -> Markup:
    """Words at a place."""
    css = Markup(' class="{}"').format(kind) if kind else ""
    shape = Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>')
    return shape.format(x, y, anchor, css, words)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line of a kind that the style sheet knows."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def path(points: Sequence[tuple[float, float]], kind: str) -> str:
    """A line through points."""
    places = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<path class="{kind}" d="M{places}"/>'


def marker(form: int) -> Markup:
    """A marker on its own, for a legend."""
    return piece("marker", form, MARKERS[form])


def axis_below(scale: Scale, y: float, *, about: int = 5) -> str:
    """Ticks of an axis below a chart."""
    parts = [line(scale.start, y, scale.end, y, "axis")]
    for tick in scale.ticks(about):
        parts.append(line(scale(tick), y, scale(tick), y + 4, "axis"))
        parts.append(text(scale(tick), y + 18, number(tick), anchor="middle"))
    return "".join(parts)


def grid_beside(scale: Scale, left: float, right: float, *, about: int = 5) -> str:
    """Ticks of an axis beside a chart, with lines across it."""
    parts = []
    for tick in scale.ticks(about):
        parts.append(line(left, scale(tick), right, scale(tick), "grid"))
        parts.append(text(left - 7, scale(tick) + 4, number(tick), anchor="end"))
    return "".join(parts)
