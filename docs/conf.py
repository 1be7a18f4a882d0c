"""How `make docs` builds the site: Markdown pages, API from the docstrings, nothing fetched from anywhere."""

from importlib.metadata import version as version_of
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

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


def setup(app: Any) -> None:
    """Make MathML one of Sphinx's ways to write mathematics."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
