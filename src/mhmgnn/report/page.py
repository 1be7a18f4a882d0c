"""The frame of a page: one file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from mhmgnn.io.atomic import write_atomic
from mhmgnn.report.render import render_page


class Section(NamedTuple):
    """A section of a page."""

    name: str  # its place in the address
    title: str
    body: Markup


class Page(NamedTuple):
    """A page without its frame."""

    kind: str  # above the title
    title: str
    lead: str
    sections: Sequence[Section]
    foot: str

    def __str__(self) -> str:
        return render_page(self)

    def write(self, path: Path) -> Path:
        """Write the page atomically; where it went."""
        write_atomic(path, str(self).encode())
        return path
