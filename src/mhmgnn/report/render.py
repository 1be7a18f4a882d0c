"""The templates of a page, with every value escaped by jinja2 unless it is HTML already (`Markup`)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.environment import TemplateModule
from markupsafe import Markup

HERE = Path(__file__).parent


def piece(name: str, *values: object) -> Markup:
    """What the macro `name` of templates/pieces.html makes of these values."""
    return Markup(getattr(_pieces(), name)(*values))


def render_page(page: object) -> str:
    """A page as a whole: its frame, style and script around the sections of `page`."""
    style, script = (Markup((HERE / name).read_text(encoding="utf-8")) for name in ("style.css", "hover.js"))
    return _environment().get_template("page.html").render(page=page, style=style, script=script)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def _pieces() -> TemplateModule:
    return _environment().get_template("pieces.html").module
