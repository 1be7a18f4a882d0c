"""A k-set drawn as a small graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import permutations

from markupsafe import Markup

from mhmgnn.report.render import piece
from mhmgnn.subgraphs.shapes import LARGEST_K


def sketch(k: int, edges: Sequence[Sequence[int]]) -> str:
    """A shape without names, around (0, 0): an ornament beside words that say the same."""
    places = _ring(k, edges, 10)
    lines = "".join(_edge(places[a], places[b]) for a, b in edges)
    nodes = "".join(f'<circle class="node" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in places)
    return lines + nodes


def portrait(name: str, names: Sequence[str], edges: Sequence[tuple[int, int]]) -> Markup:
    """A k-set as a graph whose nodes are numbered from 1, in the order of its names."""
    places = _ring(len(names), edges, 40)
    pairs = "; ".join(f"{names[a]} with {names[b]}" for a, b in edges)
    lines = Markup("").join(_edge(places[a], places[b]) for a, b in edges)
    return piece("portrait", name, ", ".join(names), f"{len(edges)} edges: {pairs}.", lines, places)


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


def _edge(one: tuple[float, float], other: tuple[float, float]) -> Markup:
    shape = Markup('<line class="edge" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>')
    return shape.format(*one, *other)
