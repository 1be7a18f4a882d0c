"""Values -> pieces of HTML; every text from outside is escaped here or by the drawing that holds it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

from mhmgnn.report.svg import Drawing, marker


def paragraph(words: str, *, kind: str = "") -> str:
    """A paragraph of plain words."""
    css = f' class="{kind}"' if kind else ""
    return f"<p{css}>{escape(words)}</p>"


def figures(pairs: Iterable[tuple[str, str]]) -> str:
    """Large numbers, each with what it counts."""
    rows = (f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in pairs)
    return f'<dl class="figures">{"".join(rows)}</dl>'


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values, line by line."""
    rows = (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    return f'<dl class="facts">{"".join(rows)}</dl>'


def legend(names: Sequence[str]) -> str:
    """Which marker means what, in the order of the markers."""
    rows = (f"<li>{marker(form)}{escape(name)}</li>" for form, name in enumerate(names))
    return f'<ul class="legend">{"".join(rows)}</ul>'


def shown(drawing: Drawing, *, note: str = "", key: str = "", kind: str = "") -> str:
    """A drawing with its title, and a legend where it needs one."""
    css = f' class="{kind}"' if kind else ""
    small = f"<small>{escape(note)}</small>" if note else ""
    caption = f"<figcaption>{escape(drawing.title)}{small}</figcaption>"
    return f"<figure{css}>{caption}{key}{drawing}</figure>"


def side_by_side(parts: Iterable[str]) -> str:
    """Figures beside each other where the window is wide enough."""
    return f'<div class="charts">{"".join(parts)}</div>'


def folded(summary: str, body: str) -> str:
    """What is shown when one asks for it."""
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str) -> str:
    """Rows of plain words, the first of each being its name; it scrolls in a box of its own."""
    return _table(map(escape, head), [[escape(cell) for cell in row] for row in rows], caption)


def marked(lines: Sequence[str], *, caption: str) -> str:
    """Lines of Markdown as our tables use it: paragraphs, lists, tables, `code` and **bold**."""
    parts = []
    for kind, group in groupby(lines, key=_kind):
        block = list(group)
        if kind == "|":
            cells = [[_inline(cell.strip()) for cell in row.strip("|").split("|")] for row in block]
            parts.append(_table(cells[0], cells[2:], caption))
        elif kind == "-":
            parts.append("<ul>" + "".join(f"<li>{_inline(row[2:])}</li>" for row in block) + "</ul>")
        elif kind:
            parts.append(f"<p>{_inline(' '.join(block))}</p>")
    return "".join(parts)


def _kind(row: str) -> str:
    if not row.strip():
        return ""
    return row[0] if row[0] in "|-" else "p"


def _inline(words: str) -> str:
    words = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words))
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", words)


def _table(head: Iterable[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """A table of cells that are HTML already."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = []
    for first, *others in rows:
        cells = "".join(f"<td{_loose(cell)}>{cell}</td>" for cell in others)
        body.append(f'<tr><th scope="row"{_loose(first)}>{first}</th>{cells}</tr>')
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption><div>{escape(caption)}</div></caption><thead><tr>{top}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _loose(cell: str) -> str:
    """Long cells may break into lines."""
    return ' class="loose"' if len(cell) > 40 else ""
