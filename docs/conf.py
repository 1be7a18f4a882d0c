"""How `make docs` builds the site: Markdown pages, API from the docstrings, nothing fetched from anywhere."""

import dataclasses
import inspect
from collections.abc import Iterator
from importlib.metadata import version as version_of
from types import ModuleType
from typing import Any, get_type_hints

from docutils import nodes
from docutils.statemachine import StringList
from latex2mathml.converter import convert
from sphinx.util.docutils import SphinxDirective

import mhmgnn

project = "mhmgnn"
release = version = version_of("mhmgnn")
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["figures/*.md"]

html_theme = "furo"
html_title = f"mhmgnn {release}"
html_math_renderer = "mathml"
html_show_sourcelink = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}


def inline(writer: Any, node: nodes.math) -> None:
    """Write mathematics within a line as MathML, which browsers read without a script."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write mathematics on lines of its own as MathML."""
    writer.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def documented(thing: Any) -> Iterator[Any]:
    """A public name's classes and functions: of a module those in its `__all__`, of settings each section."""
    if isinstance(thing, ModuleType):
        yield from (getattr(thing, name) for name in thing.__all__)
    else:
        yield thing
        if dataclasses.is_dataclass(thing):
            kinds = get_type_hints(thing).values()
            yield from (kind for kind in kinds if dataclasses.is_dataclass(kind))


class PublicNames(SphinxDirective):
    """`.. public-names::` is the docstring of every name in `mhmgnn.__all__`, each under a title."""

    def run(self) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        for name in mhmgnn.__all__:
            title = nodes.section(ids=[f"public-{name.lower().replace('_', '-')}"])
            title += nodes.title(text=name)
            lines = []
            for one in documented(getattr(mhmgnn, name)):
                kind = "function" if not inspect.isclass(one) else "class"
                kind = "exception" if inspect.isclass(one) and issubclass(one, BaseException) else kind
                lines += [f".. auto{kind}:: {one.__module__}.{one.__qualname__}", ""]
            self.state.nested_parse(StringList(lines, "mhmgnn.__all__"), 0, title)
            found.append(title)
        return found


def setup(app: Any) -> None:
    """Make MathML one of Sphinx's ways to write mathematics, and the API page one directive."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.add_directive("public-names", PublicNames)
