"""A k-set drawn as a small graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from html import escape
from itertools import permutations

from mhmgnn.subgraphs.shapes import LARGEST_K


def sketch(k: int, edges: Sequence[Sequence[int]], *, radius: float = 10) -> str:
    """A shape without names, about (0, 0): an ornament beside words that say the same."""
    places = _ring(k, edges, radius)
    lines = "".join(_edge(places[a], places[b]) for a, b in edges)
    nodes = "".join(f'<circle class="node" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in places)
    return lines + nodes


def portrait(name: str, names: Sequence[str], edges: Sequence[tuple[int, int]]) -> str:
    """A k-set as a graph whose nodes are numbered from 1, in the order of its names."""
    places = _ring(len(names), edges, 40)
    said = "; ".join(f"{names[a]} with {names[b]}" for a, b in edges)
    parts = [
        f'<svg role="img" viewBox="-58 -58 116 116" id="{name}" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{escape(", ".join(names))}</title>'
        f'<desc id="{name}-d">{escape(f"{len(edges)} edges: {said}.")}</desc>'
    ]
    parts += [_edge(places[a], places[b]) for a, b in edges]
    for i, (x, y) in enumerate(places, 1):
        parts.append(f'<circle class="node" cx="{x:.1f}" cy="{y:.1f}" r="12"/>')
        parts.append(f'<text class="on" x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle">{i}</text>')
    return "".join([*parts, "</svg>"])


def edges_of(code: int, k: int) -> list[tuple[int, int]]:
    """The pairs of slots that an edge code joins; see `mhmgnn.subgraphs.shapes`."""
    pairs = [(i, j) for j in range(k) for i in range(j)]
    return [pair for bit, pair in enumerate(pairs) if code >> bit & 1]


def _ring(k: int, edges: Sequence[Sequence[int]], radius: float) -> list[tuple[float, float]]:
    """Places on a circle, the first at the top, so that adjacent nodes are near; two of them side by side."""
    turn = 0.0 if k == 2 else -math.pi / 2
    angles = [turn + 2 * math.pi * place / k for place in _order(k, tuple(map(tuple, edges)))]
    return [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]


@cache
def _order(k: int, edges: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The place of each node on a ring with the shortest edges; as they come where k is large."""
    if k > LARGEST_K:
        return tuple(range(k))

    def length(order: tuple[int, ...]) -> int:
        return sum(min((order[a] - order[b]) % k, (order[b] - order[a]) % k) for a, b in edges)

    return min(((0, *rest) for rest in permutations(range(1, k))), key=length)


def _edge(one: tuple[float, float], other: tuple[float, float]) -> str:
    return f'<line class="edge" x1="{one[0]:.1f}" y1="{one[1]:.1f}" x2="{other[0]:.1f}" y2="{other[1]:.1f}"/>'
