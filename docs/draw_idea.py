"""Draw what the package does, as docs/figures/idea.svg: python docs/draw_idea.py [RUN] (about a minute).

It trains on the generated shop from seed 0, on pairs, counts and words, as `mhmgnn demo` does; a RUN that
`mhmgnn demo --run RUN` has left is taken in place of it. Eight products were chosen by hand for their two
kinds of triangle; all numbers are the model's, and energy alone says which triangles are shown.
"""

import math
import sys
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

import mhmgnn
from mhmgnn.cli.demo import SETTINGS
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.models.model import Model
from mhmgnn.report.svg import MINUS, Scale, line, text
from mhmgnn.subgraphs.cliques import list_cliques

DRAWING = Path(__file__).parent / "figures" / "idea.svg"
WIDTH, HEIGHT = 800, 372
PART = (  # around the ring, clockwise from the top
    "mirrorless camera",
    "photo paper",
    "camera bag",
    "monopod",
    "hand coffee mill",
    "coffee mugs",
    "coffee beans",
    "espresso machine",
)
GROUPS = 10  # of all triangles by energy, of equal size
STYLE = """
    svg { --paper: #ffffff; --ink: #1b2127; --quiet: #55606b; --rule: #d5dbe0; --faint: #d5dbe0;
      --soft: #eef1f4; --cart: #0b6a88; --other: #b3560a; }
    @media (prefers-color-scheme: dark) {
      svg { --paper: #14181c; --ink: #e6eaee; --quiet: #a3aeb8; --rule: #303841; --faint: #434d57;
        --soft: #262d34; --cart: #62bcd8; --other: #f0a45d; }
    }
    text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
      fill: var(--ink); font-variant-numeric: tabular-nums; }
    .head { font-size: 15px; font-weight: 650; }
    .quiet { fill: var(--quiet); }
    .bold { font-weight: 650; }
    .paper { fill: var(--paper); stroke: var(--rule); }
    .edge { stroke: var(--quiet); stroke-width: 1.3; opacity: .6; }
    .rule { stroke: var(--rule); }
    .thin { stroke: var(--faint); }
    .level { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 2 3; }
    .node { fill: var(--ink); }
    .on { fill: none; stroke: var(--quiet); stroke-width: 1.5; stroke-linecap: round; }
    .dot { fill: var(--faint); }
    .soft { fill: var(--soft); }
    .cart { fill: var(--cart); }
    .other { fill: var(--other); }
    .cart.set { stroke: var(--cart); }
    .other.set { stroke: var(--other); }
    .set { fill-opacity: .2; stroke-width: 2; stroke-linejoin: round; }"""


class Triangles(NamedTuple):
    """All triangles of the graph, lowest energy first."""

    ksets: np.ndarray  # (t, 3)
    energies: np.ndarray  # (t,)
    is_cart: np.ndarray  # (t,) bool

    @classmethod
    def of(cls, model: Model, market: Dataset[Hyperedges]) -> "Triangles":
        ksets = list_cliques(market.graph, 3)
        energies = model.energy(ksets, match="exact")
        order = np.lexsort((*ksets.T[::-1], energies))
        return cls(ksets[order], energies[order], market.truth.holds(ksets[order]))

    def shares(self) -> list[float]:
        """The share of carts in each of `GROUPS` groups, by energy."""
        return [float(part.mean()) for part in np.array_split(self.is_cart, GROUPS)]


class Card(NamedTuple):
    """A triangle of the part."""

    slots: list[int]  # into `PART`, sorted
    energy: float
    is_cart: bool
    tenth: int  # of all triangles, by energy

    @classmethod
    def of(cls, found: Triangles, at: int, nodes: list[int]) -> "Card":
        slots = sorted(nodes.index(node) for node in found.ksets[at].tolist())
        groups = np.array_split(np.arange(len(found.ksets)), GROUPS)
        tenth = next(i for i, group in enumerate(groups) if at in group)
        return cls(slots, float(found.energies[at]), bool(found.is_cart[at]), tenth)


def drawing(model: Model, market: Dataset[Hyperedges]) -> str:
    """The picture as SVG; the same model always gives the same text."""
    graph = market.graph
    nodes = graph.ksets([[name] for name in PART], k=1)[:, 0]
    near = graph.to_scipy()[nodes][:, nodes].toarray() > 0
    edges = [(a, b) for b in range(len(PART)) for a in range(b) if near[a, b]]
    found = Triangles.of(model, market)
    inside = np.flatnonzero(np.isin(found.ksets, nodes).all(axis=1))
    cards = [Card.of(found, int(at), nodes.tolist()) for at in inside[[0, inside.size // 2, -1]]]
    size = f"{len(found.ksets):,} triangles"
    foot = (
        f"Trained from seed 0 on {graph.num_edges:,} pairs, their counts and words, never on a cart. "
        f"{found.is_cart.sum():,} triangles are exactly a cart."
    )
    body = [
        *_heading(
            24,
            "Pairs go in",
            f"{len(PART)} of {graph.num_nodes:,} products, picked by hand;",
            "an edge: some cart held both",
        ),
        _ring((190, 206), 84, edges, names=True),
        _chevron(350),
        *_heading(
            376, "Sets get an energy", "lowest, middle and highest", f"of these {inside.size} triangles"
        ),
        *(_drawn(376, 100 + 78 * i, "ABC"[i], card, edges) for i, card in enumerate(cards)),
        _chevron(566),
        *_heading(594, "Which were carts?", f"all {size} by energy,", "in tenths of equal size"),
        _tenths(594, found, cards),
        line(24, 336, WIDTH - 24, 336, "rule"),
        text(24, 357, foot, kind="quiet"),
    ]
    return _framed(body, _told(found, cards, inside.size))


def _framed(body: list[str], told: str) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            'aria-labelledby="title told">',
            '  <title id="title">From pairs of products to the carts that they were bought in</title>',
            f'  <desc id="told">{escape(told)}</desc>',
            f"  <style>{STYLE}\n  </style>",
            f'  <rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10"/>',
            *(f"  {part}" for part in body),
            "</svg>",
            "",
        ]
    )


def _heading(x: float, title: str, *words: str) -> list[str]:
    below = [text(x, 54 + 16 * i, part, kind="quiet") for i, part in enumerate(words)]
    return [text(x, 34, title, kind="head"), *below]


def _chevron(x: float) -> str:
    return f'<path class="on" d="M{x - 3},23l6,6l-6,6"/>'


def _places(centre: tuple[float, float], radius: float) -> list[tuple[float, float]]:
    angles = [2 * math.pi * (i + 0.5) / len(PART) for i in range(len(PART))]
    return [(centre[0] + radius * math.sin(angle), centre[1] - radius * math.cos(angle)) for angle in angles]


def _ring(
    centre: tuple[float, float], radius: float, edges: list[tuple[int, int]], *, names: bool = False
) -> str:
    """The part of the graph, with the names of its nodes, or faint without."""
    places = _places(centre, radius)
    parts = [line(*places[a], *places[b], "edge" if names else "thin") for a, b in edges]
    kind, size = ("node", 5) if names else ("dot", 2)
    parts += [f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size}"/>' for x, y in places]
    for name, (x, y) in zip(PART if names else (), places, strict=names):
        side = 1 if x > centre[0] else -1
        anchor = "start" if side > 0 else "end"
        if abs(x - centre[0]) > abs(y - centre[1]):
            parts.append(text(x + 11 * side, y + 4, name, anchor=anchor, kind="name"))
        else:  # above or below its node
            parts.append(
                text(x - 4 * side, y + (20 if y > centre[1] else -12), name, anchor=anchor, kind="name")
            )
    return "".join(parts)


def _drawn(x: float, y: float, letter: str, card: Card, edges: list[tuple[int, int]]) -> str:
    """One triangle: where it is in the part, its names, its energy, and what it was."""
    centre = (x + 50, y + 32)
    places = [_places(centre, 29)[slot] for slot in card.slots]
    outline = "L".join(f"{across:.1f},{down:.1f}" for across, down in places)
    kind, was = ("cart", "a cart") if card.is_cart else ("other", "no cart")
    parts = [
        '<g class="card">',
        text(x, y + 37, letter, kind="head"),
        _ring(centre, 29, edges),
        f'<path class="{kind} set" d="M{outline}z"/>',
        *(f'<circle class="{kind}" cx="{a:.1f}" cy="{b:.1f}" r="3.5"/>' for a, b in places),
        *(text(x + 94, y + 11 + 15 * i, PART[slot], kind="name") for i, slot in enumerate(card.slots)),
        text(x + 94, y + 58, _written(card.energy), kind="bold"),
        text(x + 142, y + 58, was, kind=f"{kind} bold"),
        "</g>",
    ]
    return "".join(parts)


def _tenths(x: float, found: Triangles, cards: list[Card]) -> str:
    """The share of carts in each tenth of all triangles, by energy."""
    across, up = Scale(0, GROUPS, x, WIDTH - 24), Scale(0, 1, 284, 100)
    shares, of_all = found.shares(), float(found.is_cart.mean())
    parts = []
    for i, share in enumerate(shares):
        for kind, low, high in (("soft", share, 1.0), ("cart", 0.0, share)):
            if high > low:
                parts.append(
                    f'<rect class="{kind}" x="{across(i) + 1.5:.1f}" y="{up(high):.1f}" '
                    f'width="{across(1) - across(0) - 3:.1f}" height="{up(low) - up(high):.1f}"/>'
                )
    first, last = across.start + 1.5, across.end - 1.5
    parts += [
        line(first, up(of_all), last, up(of_all), "level"),
        text(first, up(max(shares[:5])) - 6, f"{shares[0]:.0%} carts", kind="bold"),
        text(last, up(max(of_all, *shares[-4:])) - 6, f"{of_all:.0%} of all", anchor="end", kind="quiet"),
        text(first, 321, "low energy", kind="quiet"),
        text(last, 321, "high energy", anchor="end", kind="quiet"),
    ]
    for tenth in sorted({card.tenth for card in cards}):
        letters = "".join(letter for letter, card in zip("ABC", cards, strict=True) if card.tenth == tenth)
        parts.append(text(across(tenth + 0.5), 301, letters, anchor="middle", kind="bold"))
    return "".join(parts)


def _written(energy: float) -> str:
    return f"{energy:.2f}".replace("-", MINUS)


def _told(found: Triangles, cards: list[Card], inside: int) -> str:
    """What one would see in it."""
    sets = "; ".join(
        f"{letter}, {', '.join(PART[slot] for slot in card.slots)}, energy {_written(card.energy)}, "
        + ("a cart" if card.is_cart else "no cart")
        for letter, card in zip("ABC", cards, strict=True)
    )
    shares = ", ".join(f"{share:.0%}" for share in found.shares())
    return (
        f"Left, a graph of {len(PART)} products, chosen by hand for their two kinds of triangle. "
        f"Middle, of its {inside} triangles those of lowest, middle and highest energy: {sets}. "
        f"Right, the share of carts in each tenth of all {len(found.ksets):,} triangles, from low energy to "
        f"high: {shares}; {found.is_cart.mean():.0%} of all."
    )


if __name__ == "__main__":
    shop = mhmgnn.datasets.load("market")
    if len(sys.argv) > 1:
        learned = mhmgnn.load(sys.argv[1])
    else:
        settings = mhmgnn.RunConfig().with_settings(SETTINGS)
        learned = mhmgnn.fit(shop.graph, k=3, config=settings, seed=0)
    DRAWING.write_text(drawing(learned, shop), encoding="utf-8")
