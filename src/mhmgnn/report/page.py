"""The frame of a page: one file that asks nothing of any address."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from mhmgnn.io.atomic import write_atomic

HERE = Path(__file__).parent


class Section(NamedTuple):
    """A part of a page."""

    name: str  # its place in the address
    title: str
    body: str  # HTML


class Page(NamedTuple):
    """A page without its frame."""

    kind: str  # above the title
    title: str
    lead: str
    sections: Sequence[Section]
    foot: str

    def __str__(self) -> str:
        links = "".join(f'<li><a href="#{part.name}">{escape(part.title)}</a></li>' for part in self.sections)
        parts = "".join(
            f'<section id="{part.name}" aria-labelledby="{part.name}-h"><h2 id="{part.name}-h">'
            f"{escape(part.title)}</h2>{part.body}</section>\n"
            for part in self.sections
        )
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
            "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
            f'<link rel="icon" href="data:,">\n<title>{escape(self.title)}</title>\n'
            f"<style>\n{_file('style.css')}</style>\n</head>\n<body>\n"
            f'<div class="wide">\n<header><p class="kind">{escape(self.kind)}</p>'
            f'<h1>{escape(self.title)}</h1><p class="lead">{escape(self.lead)}</p>'
            f'<nav aria-label="Sections"><ul>{links}</ul></nav></header>\n'
            f"<main>\n{parts}</main>\n<footer><p>{escape(self.foot)}</p></footer>\n</div>\n"
            f'<div id="tip" role="status" hidden></div>\n<script>\n{_file("hover.js")}</script>\n'
            "</body>\n</html>\n"
        )

    def write(self, path: Path) -> Path:
        """Write the page, whole or not at all; where it went."""
        write_atomic(path, str(self).encode())
        return path


def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
