"""Write the tables of README.md from files below results: `python docs/write_readme.py`, or `make pages`."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from mhmgnn.io.jsonl import read_lines
from mhmgnn.paper.goal import in_short, markdown, standings
from mhmgnn.paper.recipe import recipes
from mhmgnn.paper.results import Results

ROOT = Path(__file__).parents[1]
PAGE, RESULTS = ROOT / "README.md", ROOT / "results"
OURS = "mhmgnn"
SETS = {
    "3 exact": "which triangles are exactly a cart? (area under the ROC curve)",
    "4 exact": "which sets of four are?",
    "3 contained": "which triangles lie inside a cart?",
    "4 contained": "which sets of four do?",
}
COMPLETED = "who completes a cart never seen? (mean of 1 / rank)"
MARKED = re.compile(r"(<!-- (steam|paper) -->\n).*?(?=<!-- end -->)", re.S)
Row = dict[str, Any]


def rows_of(name: str) -> list[Row]:
    """The rows of Steam, pairs alone, in one of the files of groups."""
    rows = [json.loads(line) for line in read_lines(RESULTS / "groups" / f"{name}.jsonl")]
    return [row for row in rows if row["set"] == "Steam" and not row["counts"]]


def means(rows: list[Row], figure: str) -> dict[str, float]:
    """The mean over seeds of what each method has."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if figure in row:
            value = row[figure]
            found.setdefault(row["by"], []).append(value[0] if isinstance(value, list) else value)
    return {by: float(np.mean(values)) for by, values in found.items()}


def beside(words: str, found: dict[str, float], *, turned: bool) -> list[str]:
    """Ours, and the best of the others; `turned` takes a formula in the direction that does better."""
    ours = found.pop(OURS, None)
    others = {
        by: max((value, by), (1 - value, f"{by}, turned round")) if turned else (value, by)
        for by, value in found.items()
    }
    value, by = max(others.values())
    return [words, "" if ours is None else f"{ours:.3f}", f"{value:.3f} ({by})"]


def steam() -> list[str]:
    """What ours and the best formula have on Steam."""
    ranked, completed = rows_of("energy"), rows_of("completion")
    body = [beside(words, means(ranked, figure), turned=True) for figure, words in SETS.items()]
    body.append(beside(COMPLETED, means(completed, "mrr"), turned=False))
    return markdown([["Steam, pairs alone", OURS, "best formula or rival"], *body])


def paper() -> list[str]:
    """The paper's tables beside ours, in short."""
    lines = in_short(standings(recipes(), Results.read(RESULTS)))
    last = max(i for i, line in enumerate(lines) if line.startswith("|"))
    return [*lines[: last + 1], "", *(line for line in lines if line.startswith(f"{OURS}, "))]


def filled(text: str) -> str:
    """The page with its marked tables made anew."""
    tables = {"steam": steam, "paper": paper}
    return MARKED.sub(lambda found: "\n".join([found[1], *tables[found[2]](), "", ""]), text)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
