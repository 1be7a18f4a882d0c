"""What large graphs cost: reading, counting, training, embedding, completing, groups, as graphs grow.

    python benchmarks/large.py [--limit SECONDS] [--table NAME ...] [EDGES ...]

Without EDGES it is 10^4, 10^5, 10^6 and 10^7. The graph has a tenth as many nodes: planted groups with stray
edges and 64 features; in the table "hubs" a fifth as many, groups and pairs between nodes of very unequal
degree, with counts. Each row comes from a process of its own, so that the peak memory is its own; `load`
states resident memory too. A row that takes more than --limit seconds is stopped and says so, and is not
tried on larger graphs. Rows go to results/benchmarks/scaling.json as they come; tables of sizes that the file
has whole are not measured again, unless asked for by EDGES. On a new machine the first size compiles: run a
small one before.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from large_parts import GENERATE, PARTS, STEP, TABLES, Took
from record import Record

SIZES = [10**4, 10**5, 10**6, 10**7]


def row(part: str, folder: Path, limit: float) -> dict[str, Any]:
    """Run a part in a process of its own; what it took, or why there is nothing to tell."""
    command = [sys.executable, __file__, "--part", part, str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"shown": f"stopped after {limit:,.0f} s"}
    if done.returncode:
        return {"shown": (done.stderr.strip().splitlines() or ["failed"])[-1]}
    return dict(json.loads(done.stdout.splitlines()[-1]))  # the service prints lines of its own


def told(took: Took) -> dict[str, Any]:
    """What a part took in this process, and how the page shows it."""
    peak, seconds = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6, took.seconds
    digits = 3 if seconds < 0.1 else 2 if seconds < 10 else 1 if seconds < 100 else 0
    parts = [f"{seconds:.{digits}f} s", took.beside, f"{peak:,.0f} MB"]
    shown = took.instead or ", ".join(part for part in parts if part)
    return {"shown": shown, "seconds": seconds, "peak MB": round(peak), "note": took.note}


def verdict(record: Record) -> str:
    """How much longer the longest training step is than that on the smallest graph."""
    rows = sorted((row["edges"], row.get("seconds", np.inf)) for row in record.rows if row["part"] == STEP)
    steps = [seconds for _, seconds in rows]
    if not steps or not np.isfinite(steps).all():
        return "Not every training step was measured."
    times = max(steps) / steps[0]
    met = "met" if times < 1.5 else "MISSED"
    return f"The longest training step takes {times:.2f} times as long as the first; goal 1.5: {met}."


def main() -> None:
    """All tables, or one part of them in this process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("edges", nargs="*", help="sizes of the graphs")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a row")
    parser.add_argument("--table", action="append", choices=TABLES, help="may be repeated; by default all")
    parser.add_argument("--dry", action="store_true", help="keep no row")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        print(json.dumps(told(PARTS[given.part](Path(given.edges[0])))))
        return
    about = "Planted groups; each part in a process of its own."
    record = Record("scaling", "Large graphs", about, by=("group", "part", "edges"))
    with tempfile.TemporaryDirectory() as temporary:
        for table in given.table or TABLES:
            for edges in map(int, given.edges or SIZES):
                if given.edges or not all(record.has(table, part, edges) for part in TABLES[table]):
                    measure(record, table, edges, Path(temporary) / table, given)
    print(verdict(record))


def measure(record: Record, table: str, edges: int, folder: Path, given: argparse.Namespace) -> None:
    """All rows of a table for one size; parts that did not come to an end on a smaller graph are left out."""
    folder = folder / str(edges)
    folder.mkdir(parents=True)
    if not any(part.startswith(GENERATE) for part in TABLES[table]):  # it has no row, but is needed
        row(GENERATE, folder, given.limit)
    for part in TABLES[table]:
        ended = any(
            (row["group"], row["part"]) == (table, part) and "seconds" not in row and row["edges"] < edges
            for row in record.rows
        )
        took = {"shown": "not tried"} if ended else row(part, folder, given.limit)
        record.add({"group": table, "part": part, "edges": edges, **took})
        if not given.dry:
            record.write([verdict(record)])
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
