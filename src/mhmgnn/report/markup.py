"""Values -> pieces of HTML, by the macros of templates/pieces.html, which escape every text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from markupsafe import Markup, escape

from mhmgnn.report.render import piece
from mhmgnn.report.svg import Drawing, marker


def paragraph(words: str) -> Markup:
    """A paragraph of plain words."""
    return piece("paragraph", words)


def heading(words: str) -> Markup:
    """A heading inside a section."""
    return piece("heading", words)


def listing(words: str) -> Markup:
    """Lines of text as they are, such as settings."""
    return piece("listing", words)


def figures(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Large numbers, each with what it counts."""
    return piece("figures", pairs)


def facts(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Names and values, line by line."""
    return piece("facts", pairs)


def legend(names: Sequence[str]) -> Markup:
    """Which marker means what, in the order of the markers."""
    return piece("legend", [(marker(form), name) for form, name in enumerate(names)])


def shown(drawing: Drawing, *, note: str = "", key: str = "", kind: str = "") -> Markup:
    """A drawing with its title, and a legend (`key`) where it needs one."""
    return piece("figure", drawing, note, key, kind)


def side_by_side(pieces: Iterable[Markup]) -> Markup:
    """Pieces beside each other where the window is wide enough."""
    return piece("box", "charts", pieces)


def confusions(tables: Iterable[Markup]) -> Markup:
    """The confusion tables of one method, beside each other where the window is wide enough."""
    return piece("box", "confusions", tables)


def folded(summary: str, body: Markup) -> Markup:
    """A summary that opens to show `body`."""
    return piece("folded", summary, body)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str) -> Markup:
    """A table in a box of its own that scrolls; the first cell of each row is its name."""
    return piece("table", head, rows, caption)


def marked(lines: Sequence[str], *, caption: str) -> Markup:
    """Lines of Markdown as our tables use it: paragraphs, lists, tables, `code` and **bold**."""
    pieces = []
    for kind, group in groupby(lines, key=_kind):
        block = list(group)
        if kind == "|":
            cells = [[_inline(cell.strip()) for cell in row.strip("|").split("|")] for row in block]
            pieces.append(table(cells[0], cells[2:], caption=caption))
        elif kind == "-":
            pieces.append(piece("bullets", [_inline(row[2:]) for row in block]))
        elif kind:
            pieces.append(paragraph(_inline(" ".join(block))))
    return Markup("").join(pieces)


def _kind(row: str) -> str:
    if not row.strip():
        return ""
    return row[0] if row[0] in "|-" else "p"


def _inline(words: str) -> Markup:
    code = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(words)))
    return Markup(re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", code))
