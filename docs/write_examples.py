"""Run the examples and write docs/examples.md with what each printed: `python docs/write_examples.py`.

The examples of citations and molecules need their data (`mhmgnn data fetch`, or MHMGNN_DATA).
"""

import ast
import io
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGE, EXAMPLES = ROOT / "docs" / "examples.md", ROOT / "examples"
USERS = {
    "bundles": "For a practitioner: pairs in, carts out",
    "citations": "For a researcher: vectors beside baselines",
    "count_motifs": "For a network scientist: counts with error bars",
}
LEAD = """# Examples

<!-- `python docs/write_examples.py` runs the scripts and writes this page -->

Whole scripts of `examples/`, piece by piece, each with what it printed. Settings are small, to take seconds.
Others: `examples/teams.py` (author lists from who wrote with whom), `examples/molecules.py` (vectors of whole
graphs), `examples/sklearn_pipeline.py` (vectors in a pipeline of scikit-learn) and `examples/slurm.sh` (many
machines).
"""


class Piece(NamedTuple):
    """Lines of a script, and what they printed."""

    code: str
    said: str


def pieces(path: Path) -> Iterator[Piece]:
    """Run a script statement by statement; a piece ends where something was printed and a line is empty."""
    lines, known = path.read_text(encoding="utf-8").splitlines(), {"__name__": "__main__"}
    body = ast.parse("\n".join(lines)).body
    begun, said = body[0].end_lineno or 0, io.StringIO()  # below the docstring
    for statement, following in zip(body[1:], [*body[2:], None], strict=True):
        with redirect_stdout(said):
            exec(compile(ast.Module([statement], []), str(path), "exec"), known)
        end = statement.end_lineno or 0
        if following is None or (said.getvalue() and not lines[end].strip()):
            yield Piece("\n".join(lines[begun:end]).strip("\n"), said.getvalue().strip("\n"))
            begun, said = end, io.StringIO()


def section(name: str, title: str) -> str:
    """One script as a part of the page."""
    path = EXAMPLES / f"{name}.py"
    about = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").splitlines()[0]
    parts = [f"## {title}", about, f"`python examples/{name}.py`"]
    for piece in pieces(path):
        parts += [f"```python\n{piece.code}\n```", f"```text\n{piece.said}\n```"]
    return "\n\n".join(parts)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    written = [LEAD, *(section(name, title) for name, title in USERS.items())]
    PAGE.write_text("\n".join([written[0], "\n\n".join(written[1:]), ""]), encoding="utf-8")
