"""What a benchmark or a trial found: a line on the screen for each row, and a file below results/.

`python docs/write_pages.py` makes the pages of these files.
"""

import json
import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results"


def keep_trial(name: str, row: Mapping[str, object]) -> None:
    """Print a row of a trial, and put it into results/trials/NAME.jsonl in the place of an earlier one."""
    from mhmgnn.io.jsonl import put_row

    same = ("dataset", "k", "variant", "steps")

    def replaces(line: bytes) -> bool:
        found = json.loads(line)
        return all(found.get(key) == row[key] for key in same)

    put_row(RESULTS / "trials" / f"{name}.jsonl", {**row, "measured": time.strftime("%Y-%m")}, replaces)
    print("; ".join(f"{key}: {value}" for key, value in row.items()), flush=True)


class Record:
    """Rows of one table, kept until all are there.

    With `by`, the columns that tell rows apart, it starts with the rows of the file, and may be written after
    each row, so that a long benchmark can go on.
    """

    def __init__(self, name: str, title: str, about: str, *, by: Sequence[str] = ()) -> None:
        self.path = RESULTS / "benchmarks" / f"{name}.json"
        self.title, self.about, self.by = title, about, by
        there = by and self.path.exists()
        self.rows: list[dict[str, object]] = json.loads(self.path.read_bytes())["rows"] if there else []

    def has(self, *values: object) -> bool:
        """Whether there is a row with these values in the columns that tell rows apart."""
        return any(self._key(row) == values for row in self.rows if self.by)

    def add(self, row: Mapping[str, object]) -> None:
        """Keep a row, in the place of an earlier one, and print it; keys are the titles of its columns."""
        new = {key: _rounded(value) for key, value in row.items()}
        places = [at for at, other in enumerate(self.rows) if self.by and self._key(other) == self._key(row)]
        if places:
            self.rows[places[0]] = new
        else:
            self.rows.append(new)
        print("; ".join(f"{key}: {value}" for key, value in new.items()), flush=True)

    def _key(self, row: Mapping[str, object]) -> tuple[object, ...]:
        return tuple(row[name] for name in self.by)

    def write(self, notes: Sequence[str] = ()) -> None:
        """Write the file, a line for each row. A run with arguments of its own is not what the page tells."""
        if sys.argv[1:] and not self.by:
            print(f"run with {' '.join(sys.argv[1:])}: {self.path.name} is left as it is")
            return
        head = {
            "title": self.title,
            "command": f"python benchmarks/{Path(sys.argv[0]).name}",
            "about": self.about,
            "measured": f"Measured on {_machine()}.",
        }
        lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
        for key, values in (("rows", self.rows), ("notes", list(notes))):
            inside = ",\n".join(json.dumps(value, ensure_ascii=False) for value in values)
            lines.append(f'"{key}": [\n{inside}\n]' if values else f'"{key}": []')
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _rounded(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    day, python = time.strftime("%d %B %Y").lstrip("0"), platform.python_version()
    return f"{day}, {os.cpu_count()} cores, {memory:.0f} GB, Python {python}"
